"""BibTeX entries of measures."""

import re
from importlib import resources

from ..errors import InvalidInput
from ._base import Measure

__all__ = ["cite"]


def cite(*measures: Measure | type[Measure] | str) -> str:
    """The BibTeX entries of these measures or reference keys, each once, sorted by key.

    >>> from similitude import MEASURES, cite
    >>> print(cite(MEASURES["mutual_knn"]).splitlines()[0])
    @inproceedings{huh2024platonic,
    """
    entries = _entries()
    keys = sorted(
        {
            key
            for item in measures
            for key in ((item,) if isinstance(item, str) else item.refs)
        }
    )
    missing = [key for key in keys if key not in entries]
    if missing:
        raise InvalidInput(f"references.bib does not contain {missing[0]!r}.")
    return "\n\n".join(entries[key] for key in keys)


def _entries() -> dict[str, str]:
    # The file is in the package, so `cite` also works from an installed wheel.
    text = resources.files("similitude").joinpath("references.bib").read_text("utf-8")
    entries = re.split(r"\n(?=@)", text.strip())
    return {
        entry[entry.index("{") + 1 : entry.index(",")]: entry.strip()
        for entry in entries
    }
