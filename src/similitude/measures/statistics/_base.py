"""Absolute difference of one statistic of each representation."""

from dataclasses import dataclass
from typing import Any, ClassVar

from ... import _linalg
from ..._base import _array
from ..._base._array import Array
from ...transformations import Group
from .._base import Measure
from .._claims import Claims


@dataclass(frozen=True, kw_only=True)
class Difference(Measure):
    """``|s(x) - s(y)|``, where `prepare` computes s from the rows as a set."""

    statistic: ClassVar[str]  # name of s in `details`

    def difference(self, invariant: frozenset[Group], largest: float) -> Claims:
        """Claims of a pseudometric with the invariances of the statistic."""
        return Claims(
            on_device=True,
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
    """Length of one vector, with gradient 0 at the zero vector."""
    return _linalg.safe_sqrt(_array.namespace(v).vecdot(v, v))
