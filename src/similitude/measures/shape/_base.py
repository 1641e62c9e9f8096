"""Centered rows with their size, and a distance between two of them."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array
from .._base import Measure

Residual = Callable[[Array, Array], Array]


@dataclass(frozen=True, eq=False)
class Sized:
    """Centered rows, in units of a power of two; their squares are finite and not 0."""

    rows: Array
    unit: float
    dead: int = 0

    def in_unit(self, unit: float) -> Array:
        return self.rows if self.unit == unit else self.rows * (self.unit / unit)

    def permute(self, order: np.ndarray) -> "Sized":
        return replace(self, rows=_array.take(self.rows, order))


def sized_distance(residual: Residual, p: Sized, q: Sized) -> Array:
    """The root of the residual of p and q, in the caller's unit."""
    unit = max(p.unit, q.unit)
    root = _linalg.safe_sqrt(residual(p.in_unit(unit), q.in_unit(unit)))
    return _linalg.in_unit(root, unit)


@dataclass(frozen=True, kw_only=True)
class SizedMeasure(Measure):
    """A measure of two `Sized`, which `prepare` returns."""

    def permute(self, q: Sized, order: np.ndarray) -> Sized:
        return q.permute(order)

    def null_work(self, n: int, d_x: int, d_y: int) -> float:
        return _linalg.rotation_work(n, d_x, d_y)
