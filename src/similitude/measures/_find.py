"""Measures by the names that people type."""

import difflib
from collections.abc import Mapping
from typing import Any

from .._record import Option
from ..errors import InvalidInput
from ._base import Measure

#: what `compare` computes where nothing is chosen, one measure for each question
DEFAULT = ("cka", "procrustes", "mean_cca", "rsa", "mutual_knn", "rtd")


def find_measure(item: Any) -> Measure:
    """The measure of this name, or alias, with its options; a measure is itself."""
    if isinstance(item, Measure):
        return item
    from . import MEASURES

    if isinstance(item, str) and item in MEASURES:
        return MEASURES[item]
    aliases = _aliases()
    if isinstance(item, str) and item in aliases:
        record, options = aliases[item]
        if record.name in MEASURES:
            return record(**options)
        raise InvalidInput(
            f"{item} is added where inputs are known: leave it out of the measures, "
            f"and give --inputs images.npy (inputs= in Python)."
        )
    text = str(item).lower()
    near = difflib.get_close_matches(text, MEASURES, n=1)
    near = near or difflib.get_close_matches(text, aliases, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise InvalidInput(
        f"there is no measure {item!r}.{hint} `similitude measures` lists all "
        f"{len(MEASURES)}."
    )


def measures_of_inputs(inputs: Any) -> list[Measure]:
    """Those that need what the networks saw, given it."""
    from . import RECORDS

    made = [record.of_inputs(inputs) for record in RECORDS.values()]
    return [measure for measure in made if measure is not None]


def _aliases() -> dict[str, tuple[type[Measure], Mapping[str, Option]]]:
    """What is typed for each measure that is not in `MEASURES` under that name."""
    from . import MEASURES, RECORDS

    found: dict[str, tuple[type[Measure], Mapping[str, Option]]] = {}
    for name, record in RECORDS.items():
        if name not in MEASURES:
            found[name] = (record, {})
        found |= {alias.name: (record, alias.options) for alias in record.aliases}
    return found
