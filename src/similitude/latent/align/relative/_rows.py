"""Normalization of rows and columns that is safe for any scale and for zeros."""

from typing import Literal

import numpy as np

from .... import _linalg
from ...._base import _array
from ...._base._array import Array
from ....errors import Undefined

Normalize = Literal["none", "l2", "layer", "columns"]


def unit_rows(rows: Array) -> Array:
    """Divide rows by their lengths, in the wide dtype; rows of zeros stay zero.

    Each row is first divided by its largest entry, so squares cannot overflow or
    underflow.
    """
    xp, rows = _array.namespace(rows), _array.widen(rows)
    peak = xp.max(xp.abs(_array.stop_gradient(rows)), axis=1, keepdims=True)
    if not bool(xp.all(xp.isfinite(peak))):
        raise Undefined("a row is too far from the mean: remove it, or flat columns.")
    rows = rows / xp.where(peak > 0, peak, xp.ones_like(peak))
    length = _linalg.safe_sqrt(xp.sum(rows**2, axis=1, keepdims=True))
    return rows / xp.where(length > 0, length, xp.ones_like(length))


def moments(x: Array, *, eps: float = 0.0) -> tuple[Array, Array]:
    """Mean and 1 / standard deviation (biased) of each column, in the wide dtype.

    If the spread of a column is within the rounding error of its dtype, its factor is
    0. This floor scales with the column. `eps` > 0 replaces it by an absolute term
    under the root, as in torch's BatchNorm (1e-5), which does not scale.
    """
    xp, wide = _array.namespace(x), _array.widen(x)
    mean = xp.mean(wide, axis=0)
    mean = mean + xp.mean(wide - mean, axis=0)  # correct the rounding of the mean
    with np.errstate(over="ignore"):
        variance = xp.mean((wide - mean) ** 2, axis=0)
    if not bool(xp.all(xp.isfinite(_array.stop_gradient(variance)))):
        raise Undefined(
            "the variance of a column is larger than the largest number of its dtype. "
            "Divide the rows by a number that brings them near 1."
        )
    if eps > 0:
        return mean, 1.0 / xp.sqrt(variance + eps)
    deviation = _linalg.safe_sqrt(variance)
    size = xp.max(xp.abs(_array.stop_gradient(wide)), axis=0)
    alive = _array.stop_gradient(deviation) > 4 * _array.eps(x) * size
    if not bool(xp.any(alive)):
        raise Undefined(
            f"none of the {x.shape[1]} columns varies over the {x.shape[0]} rows used "
            f"for the statistics. Use more rows, or other rows."
        )
    one = xp.ones_like(deviation)
    factor = xp.where(alive, one / xp.where(alive, deviation, one), xp.zeros_like(one))
    return mean, factor


def normalized(rows: Array, how: Normalize, state: dict[str, Array]) -> Array:
    """Normalize the output; "columns" uses the statistics that `fit` computed."""
    xp = _array.namespace(rows)
    if how == "l2":
        return unit_rows(rows)
    if how == "layer":
        rows = _array.widen(rows)
        rows = rows - xp.mean(rows, axis=1, keepdims=True)
        return unit_rows(rows) * rows.shape[1] ** 0.5
    if how == "columns":
        return (_array.widen(rows) - state["output_mean"]) * state["output_factor"]
    return rows
