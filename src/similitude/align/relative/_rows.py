"""Rows and columns brought to a common size, at any scale and with any zeros."""

from typing import Literal

from ... import _array, _linalg
from ..._array import Array
from ...errors import Undefined

Normalize = Literal["none", "l2", "layer", "columns"]


def unit_rows(rows: Array) -> Array:
    """Rows over their lengths, in the wide dtype; a row of zeros stays one.

    Divided by the largest entry first, so that no square overflows or vanishes.
    """
    xp, rows = _array.namespace(rows), _array.widen(rows)
    peak = xp.max(xp.abs(_array.stop_gradient(rows)), axis=1, keepdims=True)
    rows = rows / xp.where(peak > 0, peak, xp.ones_like(peak))
    length = _linalg.safe_sqrt(xp.sum(rows**2, axis=1, keepdims=True))
    return rows / xp.where(length > 0, length, xp.ones_like(length))


def moments(x: Array, *, eps: float = 0.0) -> tuple[Array, Array]:
    """Mean and 1 / standard deviation (biased) of each column, in the wide dtype.

    The factor of a column whose spread is within the rounding of what it was stored in
    is 0: nothing is known of it. That floor moves with the column. An absolute `eps`
    under the root (torch's BatchNorm has 1e-5) does not, and replaces the floor.
    """
    xp, wide = _array.namespace(x), _array.widen(x)
    mean = xp.mean(wide, axis=0)
    mean = mean + xp.mean(wide - mean, axis=0)  # what the rounding of the mean left
    variance = xp.mean((wide - mean) ** 2, axis=0)
    if eps > 0:
        return mean, 1.0 / xp.sqrt(variance + eps)
    deviation = _linalg.safe_sqrt(variance)
    size = xp.max(xp.abs(_array.stop_gradient(wide)), axis=0)
    alive = _array.stop_gradient(deviation) > 4 * _array.eps(x) * size
    if not bool(xp.any(alive)):
        raise Undefined(
            f"none of the {x.shape[1]} columns varies over the {x.shape[0]} rows that "
            f"the statistics are taken from. Take them from more, or other, rows."
        )
    one = xp.ones_like(deviation)
    factor = xp.where(alive, one / xp.where(alive, deviation, one), xp.zeros_like(one))
    return mean, factor


def normalized(rows: Array, how: Normalize, state: dict[str, Array]) -> Array:
    """The output normalization; "columns" uses statistics that the fit has left."""
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
