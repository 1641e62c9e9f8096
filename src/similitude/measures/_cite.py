"""BibTeX entries of measures."""

import re
from importlib import resources

from ..errors import InvalidInput
from ._base import Measure
from ._find import find_measure

__all__ = ["cite"]


def cite(*measures: Measure | type[Measure] | str) -> str:
    """The BibTeX entries of these measures or reference keys, each once, sorted by key.

    >>> from similitude import cite
    >>> print(cite("mutual_knn").splitlines()[0])
    @inproceedings{huh2024platonic,
    """
    entries = _entries()
    keys: set[str] = set()
    for item in measures:
        if isinstance(item, str) and item in entries:
            keys.add(item)
        else:
            keys |= {*(find_measure(item) if isinstance(item, str) else item).refs}
    if missing := keys - entries.keys():
        raise InvalidInput(f"references.bib does not contain {min(missing)!r}.")
    return "\n\n".join(entries[key] for key in sorted(keys))


def _entries() -> dict[str, str]:
    # The file is in the package, so `cite` also works from an installed wheel.
    text = resources.files("similitude").joinpath("references.bib").read_text("utf-8")
    entries = re.split(r"\n(?=@)", text.strip())
    return {
        entry[entry.index("{") + 1 : entry.index(",")]: entry.strip()
        for entry in entries
    }
