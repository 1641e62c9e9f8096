"""One number of each representation, and how far apart the two numbers are."""

from dataclasses import dataclass
from typing import Any, ClassVar

from ... import _array, _linalg
from ..._array import Array
from ...transformations import Group
from .._base import Measure
from .._claims import Claims


@dataclass(frozen=True, kw_only=True)
class Difference(Measure):
    """|s(x) - s(y)| of a statistic s of the rows as a set, which `prepare` gives."""

    statistic: ClassVar[str]  # what s is called in `details`

    def difference(self, invariant: frozenset[Group], largest: float) -> Claims:
        """A pseudometric, up to what the statistic does not see."""
        return Claims(
            kind="distance",
            range=(0.0, largest),
            paired=False,
            triangle=True,
            invariant=invariant,
        )

    def compare(self, p: Array, q: Array) -> Array:
        return _array.namespace(p, q).abs(p - q)

    def details(self, p: Array, q: Array) -> dict[str, Any]:
        sides = {"x": p, "y": q}
        return {f"{self.statistic}_{k}": _array.number(v) for k, v in sides.items()}


def length(v: Array) -> Array:
    """Of one vector, with derivative 0 where it is 0."""
    return _linalg.safe_sqrt(_array.namespace(v).vecdot(v, v))
