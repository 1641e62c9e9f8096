"""BibTeX for what was used."""

import re
from importlib import resources

from ..errors import InvalidInput
from ._base import Measure

__all__ = ["cite"]


def cite(*measures: Measure | type[Measure]) -> str:
    """The BibTeX entries of these measures, each once, sorted by key.

    >>> from similitude import MEASURES, cite
    >>> print(cite(MEASURES["mutual_knn"]).splitlines()[0])
    @inproceedings{huh2024platonic,
    """
    known = _entries()
    keys = sorted({key for measure in measures for key in measure.refs})
    missing = [key for key in keys if key not in known]
    if missing:
        raise InvalidInput(f"references.bib has no entry {missing[0]!r}.")
    return "\n\n".join(known[key] for key in keys)


def _entries() -> dict[str, str]:
    # The file is part of the package, so that an installed wheel can cite.
    text = resources.files("similitude").joinpath("references.bib").read_text("utf-8")
    entries = re.split(r"\n(?=@)", text.strip())
    return {
        entry[entry.index("{") + 1 : entry.index(",")]: entry.strip()
        for entry in entries
    }
