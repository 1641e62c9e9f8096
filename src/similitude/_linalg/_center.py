"""Column-centered rows, accurate at any offset and any scale."""

import math
from dataclasses import replace

from .. import _array
from .._array import Array
from .._validate import Points, sum_of_squares
from ..errors import Undefined
from ._blocks import cross_product


def balanced(x: Points) -> Points:
    """`x`, or `x` times a power of two if its squares would overflow or vanish.

    For measures that do not see an isotropic scale. Multiplying by a power of two is
    exact, so nothing else changes.
    """
    if 1e-18 <= x.square <= 1e18:
        return x
    peak = _array.number(x.xp.max(x.xp.abs(_array.stop_gradient(x.values))))
    if peak == 0:
        return x
    most = 120 if x.values.dtype == x.xp.float32 else 1020  # 2**most is a number
    exponent = max(-most, min(most, math.frexp(peak)[1]))
    values = x.values * 2.0**-exponent
    unit = x.unit * 2.0**exponent
    return replace(x, values=values, square=sum_of_squares(values), unit=unit)


def widened(x: Points) -> Points:
    """`x` in float64; it remembers the precision in which it was stored."""
    return replace(x, values=_array.widen(x.values))


def center(x: Points) -> Array:
    """Rows minus their column means, in the dtype of `x`.

    Raises
    ------
    Undefined
        If all rows are the same up to rounding: nothing is left to compare.
    """
    means = _column_means(x.values)
    rows = x.values - means
    removed = x.n * sum_of_squares(means)
    if removed < 0.9 * x.square < math.inf:
        return rows
    # The means outweigh the rest, and so may their rounding: what that left behind
    # goes in a second pass.
    rows = rows - _column_means(rows)
    check_varies(x, rows)
    return rows


def center_each(x: Points) -> Array:
    """The same for those who look at columns one by one, whatever their size.

    `center` weighs all columns together. One whose mean outweighs its spread, beside
    others that spread more, has the rounding of its mean removed here.
    """
    rows = center(x)
    return rows - _column_means(rows)


def check_varies(x: Points, rows: Array) -> None:
    """`Undefined` if `rows`, which are `x` moved, are nothing but rounding.

    Subtracting equal numbers leaves an entry of at most an eps or two of its size.
    """
    xp = x.xp
    left = xp.max(xp.abs(_array.stop_gradient(rows)), axis=0)
    size = xp.max(xp.abs(_array.stop_gradient(x.values)), axis=0)
    if bool(xp.all(left <= 4 * _array.eps(rows) * size)):
        raise Undefined(
            f"all {x.n} rows are equal up to rounding: a constant representation "
            f"cannot be compared. Check the layer, or drop it."
        )


def _column_means(values: Array) -> Array:
    """As a product with ones, which is summed in blocks; in the dtype of `values`."""
    xp, n = _array.namespace(values), values.shape[0]
    ones = xp.ones((n, 1), dtype=values.dtype, device=_array.device(values))
    return xp.astype(cross_product(ones, values)[0, :] / n, values.dtype, copy=False)
