"""Unit columns, ridge factors, narrow rows and polar factors."""

import numpy as np

from ..._base import _array
from ..._base._array import Array
from ..._base._validate import Points
from ...errors import Undefined
from .._center import center_each, check_noise, column_norms, widened
from .._svd import svd
from ._lost import check_dropped_columns

# Weak columns have the weight of strong ones. A column is dropped as dead at a noise of
# 7 %, so a typical column must be well below.
_MOST_NOISE_OF_A_COLUMN = 0.01

ONLY_ROUNDING = (
    "the variation of this representation is below the rounding error of its dtype in "
    "every direction. Store it in float64, or remove its offset first."
)


def ridge_factor(rows: Array, penalty: float | Array) -> tuple[Array, Array]:
    """Z and R with Z R = rows and R'R = rows'rows + penalty I.

    They are QR factors of the rows stacked on sqrt(penalty) I; nothing is squared.
    """
    xp, (n, d) = _array.namespace(rows), rows.shape
    eye = xp.eye(d, dtype=rows.dtype, device=_array.device(rows))
    q, r = xp.linalg.qr(xp.concat([rows, penalty**0.5 * eye]))
    return q[:n, :], r


def typical_ratio(x: Points, factors: Array) -> float:
    """Median over columns that vary of the size of a column, relative to its spread."""
    ratios = _array.to_numpy(column_norms(x.values) * factors)
    return float(np.median(ratios[ratios > 0])) if (ratios > 0).any() else 0.0


def unit_columns(x: Points) -> tuple[Array, np.ndarray]:
    """Centered columns of unit length, n x d', and the numbers of these columns."""
    x = widened(x)
    rows = center_each(x)
    factors = unit_factors(x, rows)[0]
    alive = np.flatnonzero(_array.to_numpy(factors))
    if len(alive) == 0:
        raise Undefined(ONLY_ROUNDING)
    ratio = typical_ratio(x, factors)
    check_dropped_columns(x, factors, ratio)
    check_noise(x, ratio, most=_MOST_NOISE_OF_A_COLUMN)
    rows = _array.take(rows, alive, axis=1)
    return rows / x.xp.linalg.vector_norm(rows, axis=0), alive


def unit_factors(x: Points, xc: Array) -> tuple[Array, float]:
    """Factors that scale columns to unit length, 0 for dead columns; and the noise.

    `x` was stored with a relative error of one eps. A column whose spread is of that
    size is dead. For other columns the error is noise, proportional to the factor; the
    largest noise is returned.
    """
    xp = x.xp
    size = xp.linalg.vector_norm(_array.stop_gradient(x.values), axis=0)
    length = xp.linalg.vector_norm(_array.stop_gradient(xc), axis=0)
    alive = length > 4 * x.eps * size
    factors = xp.where(alive, 1.0 / xp.where(alive, length, 1.0), 0.0)
    return factors, x.eps * _array.number(xp.max(size * factors))


def narrow(rows: Array) -> Array:
    """The same rows up to a rotation, in at most n columns.

    All inner products between rows stay the same, and so do measures that are invariant
    to orthogonal maps. Then n x d with d > n costs as much as n x n.
    """
    n, d = rows.shape
    if d <= n:
        return rows
    return _array.namespace(rows).linalg.qr(rows.T)[1].T


def polar_factor(m: Array, *, partial: bool = False) -> Array:
    """The (semi-)orthogonal matrix nearest to `m`: U V' for m = U S V'.

    It maximizes the trace of Q'm. By the envelope theorem, the derivative of the
    maximum does not depend on the derivative of Q, so Q is returned as a constant.

    Directions with S = 0 are paired arbitrarily, which does not change the trace.
    `partial` omits them, for use on held-out rows.
    """
    xp, m = _array.namespace(m), _array.stop_gradient(m)
    u, s, vt = svd(m)
    if partial:
        rank = int(xp.count_nonzero(s > max(m.shape) * _array.eps(m) * s[0]))
        u, vt = u[:, :rank], vt[:rank, :]
    return u @ vt
