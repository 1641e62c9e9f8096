"""Rows in their own coordinates, and the difference of two representations.

These measures say whether two arrays hold the same numbers. They are for two forms of
one network, such as an exported and a quantized one, and ignore no change of basis.
"""

from typing import Any

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array
from ..._base._validate import points
from ...errors import Undefined
from .._base import Measure
from ..shape._base import Sized


def check_same_columns(p: Array, q: Array) -> None:
    if p.shape[1] != q.shape[1]:
        raise Undefined(
            f"x has {p.shape[1]} columns and y has {q.shape[1]}, and values are "
            f"compared column by column. Use cka or procrustes for other coordinates."
        )


class CoordinateMeasure(Measure):
    """A measure of the rows themselves."""

    def prepare(self, x: Any, seed: Any = None) -> Sized:
        x = _linalg.widened(_linalg.balanced(points(x)))
        return Sized(x.values, x.unit)

    def permute(self, q: Sized, order: np.ndarray) -> Sized:
        return q.permute(order)

    def null_work(self, n: int, d_x: int, d_y: int) -> float:
        return 3e6 + 3.0 * n * d_x


def difference(p: Sized, q: Sized) -> tuple[Array, float]:
    """x - y, and its unit: the larger unit of both."""
    check_same_columns(p.rows, q.rows)
    unit = max(p.unit, q.unit)
    return p.in_unit(unit) - q.in_unit(unit), unit


def relative_errors(p: Sized, q: Sized) -> tuple[Array, Array]:
    """The error of each row, and of all rows, relative to the size of x.

    The size of x is the root-mean-square length of its rows, so the score is the
    root-mean-square error.
    """
    rows, unit = difference(p, q)
    xp, n = _array.namespace(rows), rows.shape[0]
    size = xp.linalg.matrix_norm(p.rows)
    if _array.number(size) == 0:
        raise Undefined("x is 0 everywhere, so there is no error relative to it.")
    with np.errstate(over="ignore"):
        scale = float(np.divide(unit, p.unit))
    each = n**0.5 * xp.linalg.vector_norm(rows, axis=1) / size
    return each * scale, _linalg.in_unit(xp.linalg.matrix_norm(rows) / size, scale)
