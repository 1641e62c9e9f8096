"""Column-centered rows, accurate at any offset and any scale."""

import math
from dataclasses import replace

import numpy as np

from .._base import _array
from .._base._array import Array
from .._base._validate import Points, sum_of_squares
from ..errors import Undefined
from ._blocks import cross_product

# Rounding of 3.5 % of the total spread changes scores by about its square, 0.001.
MOST_NOISE = 0.035


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


def in_range(values: Array) -> tuple[Array, int]:
    """The values times 2^-exponent, and the exponent; 0 unless squares overflow."""
    xp = _array.namespace(values)
    peak = _array.number(xp.max(xp.abs(_array.stop_gradient(values))))
    if peak == 0 or 1e-70 <= peak <= 1e70:
        return values, 0
    exponent = max(-1020, min(1020, math.frexp(peak)[1]))
    return values * 2.0**-exponent, exponent


def balanced_columns(x: Points) -> Points:
    """`x`, or each column of `x` times its own power of two, if squares would be lost.

    For measures that are invariant to the scale of each column. With one factor for all
    columns, the squares of the smallest ones could vanish, and these columns with them.
    """
    xp, limit = x.xp, 1e-30 if _array.wide_dtype(x.values) == x.xp.float32 else 1e-100
    peaks = _array.to_numpy(xp.max(xp.abs(_array.stop_gradient(x.values)), axis=0))
    if 1e-18 <= x.square <= 1e18 and not np.any((peaks > 0) & (peaks < limit)):
        return x
    most = 120 if limit == 1e-30 else 1020  # 2**most is finite
    exponents = np.clip(np.frexp(peaks.astype(float))[1], -most, most)
    values = _array.widen(x.values) * _array.from_numpy(2.0**-exponents, x.values)
    return replace(x, values=values, square=sum_of_squares(values))


def check_squares(x: Points, option: str) -> Points:
    """`x`, or `Undefined` if its squares overflow and `option` depends on its scale."""
    wide = _array.widen(x.values)
    if not (x.square < math.inf or sum_of_squares(wide) < math.inf):
        raise Undefined(
            f"the squares of the values are larger than the largest number of float64, "
            f"and the score depends on the scale of the values ({option}). Divide the "
            f"representation by a number first."
        )
    return x


def in_unit(value: Array, unit: float) -> Array:
    """`value` times `unit`, or `Undefined` if the product overflows."""
    with np.errstate(over="ignore"):
        scaled = value * unit
    if not math.isfinite(_array.number(scaled)):
        raise Undefined(
            f"the distance is {_array.number(value):.3g} x 2^{math.log2(unit):.0f}, "
            f"which is larger than the largest number of float64. Divide both "
            f"representations by a common number first."
        )
    return scaled


def widened(x: Points) -> Points:
    """`x` in float64; its `eps` is still that of the original dtype."""
    return replace(x, values=_array.widen(x.values))


def center(x: Points) -> Array:
    """Rows minus their column means, in the dtype of `x`.

    Raises
    ------
    Undefined
        If all rows are equal up to rounding, or if the rounding errors of the stored
        values are more than `MOST_NOISE` of their spread.
    """
    return centered_with_means(x)[0]


def centered_with_means(x: Points) -> tuple[Array, Array]:
    """`center`, and the column means."""
    means = _column_means(x.values)
    rows = x.values - means
    removed = x.n * sum_of_squares(means)
    if removed < 0.9 * x.square < math.inf:
        return rows, means
    # If the means dominate, their rounding error may dominate too. A second pass
    # removes it.
    rows = rows - _column_means(rows)
    check_varies(x, rows)
    check_stored_spread(x, rows)
    return rows, means


def center_each(x: Points) -> Array:
    """Like `center`, for measures that treat each column separately.

    `center` decides about a second pass from all columns together. Here a second pass
    is always made: it matters for a column whose mean is much larger than its spread.
    """
    return centered_again(center(x))


def centered_again(rows: Array) -> Array:
    """Centered rows without the rounding errors of their means."""
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


def check_stored_spread(x: Points, rows: Array) -> None:
    """Raise `Undefined` if storage has rounded too much of the spread of `rows`.

    `rows` are `x` minus a center. A stored value v has an error that is uniform within
    eps |v| / 2, so its standard deviation is at most eps |v| / sqrt(12). Columns that
    do not vary are not counted: they do not change a score.
    """
    xp = x.xp
    size, spread = column_norms(x.values), column_norms(rows)
    varies = spread > x.eps * size
    zero = xp.zeros_like(size)
    largest = _array.number(xp.max(xp.where(varies, size, zero)))
    offset = _array.number(_norm(xp.where(varies, size / (largest or 1.0), zero)))
    total = _array.number(_norm(xp.where(varies, spread / (largest or 1.0), zero)))
    if total * largest * _array.number(xp.max(xp.abs(rows))) == 0.0:
        raise Undefined(
            f"the spread of these {x.n} rows is too small to be squared next to values "
            f"of {_array.number(xp.max(size)):.2g}. Drop the columns that do not vary."
        )
    check_noise(x, offset / total)


def check_noise(
    x: Points, ratio: float, what: str = "their spread", most: float = MOST_NOISE
) -> None:
    """Raise `Undefined` if values `ratio` times their spread were rounded too much."""
    noise = x.eps * ratio / 12**0.5
    if noise > most:
        raise Undefined(
            f"the values are {ratio:.2g} times {what}, and were stored with a relative "
            f"rounding error of {x.eps:.1g}: {ratio:.2g} x {x.eps:.1g} / sqrt(12) = "
            f"{100 * noise:.2g} % of the answer is rounding. Subtract the column means "
            f"before storing, or store more digits."
        )


def column_norms(values: Array) -> Array:
    """Lengths of the columns, without gradient; columns of any scale."""
    xp, values = _array.namespace(values), _array.stop_gradient(values)
    peaks = xp.max(xp.abs(values), axis=0)
    peaks = xp.where(peaks > 0, peaks, xp.ones_like(peaks))
    return peaks * xp.linalg.vector_norm(values / peaks, axis=0)


def _norm(values: Array) -> Array:
    return _array.namespace(values).linalg.vector_norm(values)


def _column_means(values: Array) -> Array:
    """Column means in the dtype of `values`, from a product with ones in blocks."""
    xp, n = _array.namespace(values), values.shape[0]
    ones = xp.ones((n, 1), dtype=values.dtype, device=_array.device(values))
    return xp.astype(cross_product(ones, values)[0, :] / n, values.dtype, copy=False)
