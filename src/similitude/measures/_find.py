"""Measures by their names."""

from typing import Any

from ..errors import InvalidInput
from ._base import Measure


def find_measure(item: Any) -> Measure:
    """The measure of this name with its default options; a measure is itself."""
    if isinstance(item, Measure):
        return item
    from . import MEASURES, DeconfoundedCKA

    if isinstance(item, str) and item in MEASURES:
        return MEASURES[item]
    if isinstance(item, str) and item == DeconfoundedCKA.name:
        raise InvalidInput(
            f"{item} is added where inputs are known: leave it out of the measures, "
            f"and give --inputs images.npy (inputs= in Python)."
        )
    import difflib

    near = difflib.get_close_matches(str(item).lower(), MEASURES, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise InvalidInput(
        f"there is no measure {item!r}.{hint} `similitude measures` lists all "
        f"{len(MEASURES)}."
    )
