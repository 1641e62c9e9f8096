"""Column-centred rows, accurate at any offset and any scale."""

import math

import numpy as np

from .. import _array
from .._array import Array
from .._validate import Points
from ..errors import Undefined


def balanced(x: Points) -> Points:
    """`x`, or `x` times a power of two if its squares would overflow or vanish.

    For measures that do not see an isotropic scale. Multiplying by a power of two is
    exact, so nothing else changes.
    """
    values = _array.stop_gradient(x.values)
    with np.errstate(over="ignore", under="ignore"):
        square = _array.number(_sum_of_squares(values))
    if 1e-18 <= square <= 1e18:
        return x
    peak = _array.number(x.xp.max(x.xp.abs(values)))
    if peak == 0:
        return x
    most = 120 if values.dtype == x.xp.float32 else 1020  # 2**most is a number
    exponent = max(-most, min(most, math.frexp(peak)[1]))
    return Points(x.values * 2.0**-exponent, x.xp)


def centre(x: Points) -> Array:
    """Rows minus their column means, in the dtype of `x`.

    Twice, because the mean itself is rounded to that dtype: at a column mean of 1e3
    standard deviations in float32 the first pass leaves an offset that shows.

    Raises
    ------
    Undefined
        If all rows are the same up to rounding: nothing is left to compare.
    """
    rows = x.values - _column_means(x.values)
    rows = rows - _column_means(rows)
    left = _array.number(_sum_of_squares(_array.stop_gradient(rows)))
    whole = _array.number(_sum_of_squares(_array.stop_gradient(x.values)))
    # Subtracting equal numbers leaves an entry of at most an eps or two of its size.
    if left <= (4 * _array.eps(x.values)) ** 2 * whole:
        raise Undefined(
            f"all {x.n} rows are equal up to rounding: a constant representation "
            f"cannot be compared. Check the layer, or drop it."
        )
    return rows


def _column_means(values: Array) -> Array:
    xp = _array.namespace(values)
    sums = xp.sum(values, axis=0, dtype=_array.wide_dtype(values))
    return xp.astype(sums / values.shape[0], values.dtype, copy=False)


def _sum_of_squares(values: Array) -> Array:
    xp = _array.namespace(values)
    flat = xp.reshape(values, (-1,))
    return xp.vecdot(flat, flat)
