"""Column-centered rows, accurate at any offset and any scale."""

import math
from dataclasses import replace

from .. import _array
from .._array import Array
from .._validate import Points, sum_of_squares
from ..errors import Undefined
from ._blocks import cross_product


def balanced(x: Points) -> Points:
    """`x`, or `x` times a power of two if its squares would overflow or underflow.

    For measures that are invariant to isotropic scale. Multiplication by a power of two
    is exact.
    """
    if 1e-18 <= x.square <= 1e18:
        return x
    peak = _array.number(x.xp.max(x.xp.abs(_array.stop_gradient(x.values))))
    if peak == 0:
        return x
    most = 120 if x.values.dtype == x.xp.float32 else 1020  # 2**most is finite
    exponent = max(-most, min(most, math.frexp(peak)[1]))
    values = x.values * 2.0**-exponent
    unit = x.unit * 2.0**exponent
    return replace(x, values=values, square=sum_of_squares(values), unit=unit)


def widened(x: Points) -> Points:
    """`x` in float64; its `eps` is still that of the original dtype."""
    return replace(x, values=_array.widen(x.values))


def center(x: Points) -> Array:
    """Rows minus their column means, in the dtype of `x`.

    Raises
    ------
    Undefined
        If all rows are equal up to rounding.
    """
    means = _column_means(x.values)
    rows = x.values - means
    removed = x.n * sum_of_squares(means)
    if removed < 0.9 * x.square < math.inf:
        return rows
    # If the means dominate, their rounding error may dominate too. A second pass
    # removes it.
    rows = rows - _column_means(rows)
    check_varies(x, rows)
    return rows


def center_each(x: Points) -> Array:
    """Like `center`, for measures that treat each column separately.

    `center` decides about a second pass from all columns together. Here a second pass
    is always made: it matters for a column whose mean is much larger than its spread.
    """
    rows = center(x)
    return rows - _column_means(rows)


def check_varies(x: Points, rows: Array) -> None:
    """Raise `Undefined` if `rows` (`x` minus a center) contain only rounding errors.

    Subtracting equal numbers leaves an entry of at most one or two eps of its size.
    """
    xp = x.xp
    residual = xp.max(xp.abs(_array.stop_gradient(rows)), axis=0)
    size = xp.max(xp.abs(_array.stop_gradient(x.values)), axis=0)
    if bool(xp.all(residual <= 4 * _array.eps(rows) * size)):
        raise Undefined(
            f"all {x.n} rows are equal up to rounding: a constant representation "
            f"cannot be compared. Check the layer, or drop it."
        )


def _column_means(values: Array) -> Array:
    """Column means in the dtype of `values`, from a product with ones in blocks."""
    xp, n = _array.namespace(values), values.shape[0]
    ones = xp.ones((n, 1), dtype=values.dtype, device=_array.device(values))
    return xp.astype(cross_product(ones, values)[0, :] / n, values.dtype, copy=False)
