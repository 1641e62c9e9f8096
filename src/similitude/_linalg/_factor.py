"""Orthonormal bases with numerical rank, ridge whitening, polar factors."""

import numpy as np

from .. import _array
from .._array import Array
from .._validate import Points
from ..errors import Undefined
from ._blocks import cross_product
from ._center import (
    center_each,
    centered_again,
    centered_with_means,
    check_noise,
    column_norms,
    widened,
)
from ._factored import Factored, Whitened
from ._gram_route import (
    gram_columns,
    is_worth_a_gram,
    passes,
    ridge_by_gram,
    whitened_by_gram,
)

# Weak columns and directions have the weight of strong ones. A column is dropped as
# dead at a noise of 7 %, so a typical column must be well below.
_MOST_NOISE_OF_A_COLUMN = 0.01
_MOST_NOISE_OF_A_DIRECTION = 0.05
# Directions weaker than about 14 times the rounding error are dropped. With an error
# of 0.1 % of the spread, a direction of 1 % may be among them.
_MOST_NOISE_OF_DROPPED = 0.001
_LARGE_OFFSET = 100.0  # of the size of typical columns, relative to their spread

_ONLY_ROUNDING = (
    "the variation of this representation is below the rounding error of its dtype in "
    "every direction. Store it in float64, or remove its offset first."
)


def whiten(x: Points, penalty: float | Array = 0.0, *, center: bool = True) -> Whitened:
    """Z = Xc R^-1 with R'R = Xc'Xc + penalty I; an orthonormal basis if penalty = 0.

    Zero-variance, duplicate and dependent columns only lower the rank. Without `center`
    the column means are kept, and a dead column is a column of zeros.

    Large arrays use Xc'Xc if its condition number certifies the result (`_gram_route`).
    Otherwise QR is used, because Xc'Xc would lose half of the digits of small
    directions, and with them the rank.
    """
    x = widened(x)
    rows, means = centered_with_means(x) if center else (x.values, None)
    basis = square = None
    if is_worth_a_gram(x.n, x.d):
        square = cross_product(rows, rows)
        basis = _whitened_by_gram(x, rows, means, square)
    if basis is None:
        rows, square = centered_again(rows) if center else rows, None
        basis = _whitened_by_qr(x, rows, center=center)
    if penalty == 0:
        return basis
    z = ridge_basis(rows, penalty, square)[0]
    return Whitened(z.columns, z.coefficients, basis.rank, basis.dead)


def _whitened_by_gram(
    x: Points, rows: Array, means: Array | None, square: Array
) -> Whitened | None:
    """The basis by products; None if they cannot certify its rank or its digits."""
    found = gram_columns(x, rows, means, square)
    if found is None:
        return None
    count = passes(found.condition, _array.eps(rows))
    noise = x.eps * float(np.max(found.ratios))
    # The rank is certain if the smallest singular value is far from the error.
    if count is None or found.smallest <= 2.0 * _rank_error(x, noise, found.largest):
        return None
    if means is not None:
        _check_directions(x, float(np.median(found.ratios)), found.smallest)
    return whitened_by_gram(rows, found, count)


def _whitened_by_qr(x: Points, xc: Array, *, center: bool) -> Whitened:
    xp = x.xp
    factors, noise = _unit_columns(x, xc)
    dead = x.d - int(xp.count_nonzero(factors))
    unit = narrow(xc * factors)
    q, r = xp.linalg.qr(unit)
    r = _array.stop_gradient(r)
    singular_values = xp.linalg.svdvals(r)
    rank = _rank(singular_values, x, noise)
    if center:
        ratio = _typical_ratio(x, factors)
        _check_dropped_columns(x, factors, ratio)
        _check_directions(x, ratio, _array.number(singular_values[rank - 1]))
    if rank < q.shape[1]:
        # Project to the range first. The directions are constants for differentiation:
        # their derivative is infinite at ties, and the range does not need it.
        vt = xp.linalg.svd(r, full_matrices=False)[2]
        q = xp.linalg.qr(unit @ vt[:rank, :].T)[0]
    return Whitened(q, None, rank, dead)


def ridge_basis(
    rows: Array, penalty: float | Array, square: Array | None = None
) -> tuple[Factored, Array]:
    """Z with Z R = rows and R'R = rows'rows + penalty I, and Z'Z.

    `square` is rows'rows, if the caller has computed it.
    """
    if is_worth_a_gram(*rows.shape):
        square = cross_product(rows, rows) if square is None else square
        found = ridge_by_gram(rows, penalty, square)
        if found is not None:
            return found
    z = Factored(ridge_factor(narrow(rows), penalty)[0])
    return z, z.across(z)


def ridge_factor(rows: Array, penalty: float | Array) -> tuple[Array, Array]:
    """Z and R with Z R = rows and R'R = rows'rows + penalty I.

    They are QR factors of the rows stacked on sqrt(penalty) I; nothing is squared.
    """
    xp, (n, d) = _array.namespace(rows), rows.shape
    eye = xp.eye(d, dtype=rows.dtype, device=_array.device(rows))
    q, r = xp.linalg.qr(xp.concat([rows, penalty**0.5 * eye]))
    return q[:n, :], r


def _check_directions(x: Points, ratio: float, smallest: float) -> None:
    """Raise `Undefined` if offsets make the weakest kept direction mostly rounding.

    Every kept direction has the same weight, so the weakest one decides. Its error is
    the rounding of a typical column (`_typical_ratio`), divided by its singular value.
    Without large offsets nothing is checked: `_rank` omits directions below the
    rounding error.
    """
    if ratio > _LARGE_OFFSET:
        edge = 1.0 + (x.d / x.n) ** 0.5
        what = "their spread in one direction"
        check_noise(x, edge * ratio / smallest, what, _MOST_NOISE_OF_A_DIRECTION)


def _check_dropped_columns(x: Points, factors: Array, ratio: float) -> None:
    """Raise `Undefined` if a dropped column varies, and typical columns were rounded.

    A column that is constant up to rounding is expected if offsets are small. With
    large offsets it may be a weak column.
    """
    if _typical_noise(x, ratio) <= _MOST_NOISE_OF_DROPPED:
        return
    xp, values = x.xp, _array.stop_gradient(x.values)
    varies = xp.max(values, axis=0) > xp.min(values, axis=0)
    if bool(xp.any(varies & (factors == 0))):
        raise Undefined(_lost(x, "a column", ratio))


def _typical_noise(x: Points, ratio: float) -> float:
    """The rounding error of values that are `ratio` times their spread."""
    return x.eps * ratio / 12**0.5


def _lost(x: Points, what: str, ratio: float) -> str:
    return (
        f"the values are {ratio:.2g} times their spread, and were stored with a "
        f"relative rounding error of {x.eps:.1g}: {what} varies by less than the "
        f"rounding, so its part of the score is lost. Subtract the column means before "
        f"storing, or store more digits."
    )


def _typical_ratio(x: Points, factors: Array) -> float:
    """Median over columns that vary of the size of a column, relative to its spread."""
    ratios = _array.to_numpy(column_norms(x.values) * factors)
    return float(np.median(ratios[ratios > 0])) if (ratios > 0).any() else 0.0


def unit_columns(x: Points) -> tuple[Array, int]:
    """Centered columns of unit length, n x d', and the number of dropped columns."""
    x = widened(x)
    rows = center_each(x)
    factors = _unit_columns(x, rows)[0]
    alive = np.flatnonzero(_array.to_numpy(factors))
    if len(alive) == 0:
        raise Undefined(_ONLY_ROUNDING)
    ratio = _typical_ratio(x, factors)
    _check_dropped_columns(x, factors, ratio)
    check_noise(x, ratio, most=_MOST_NOISE_OF_A_COLUMN)
    rows = _array.take(rows, alive, axis=1)
    return rows / x.xp.linalg.vector_norm(rows, axis=0), x.d - len(alive)


def _unit_columns(x: Points, xc: Array) -> tuple[Array, float]:
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


def _rank(singular_values: Array, x: Points, noise: float) -> int:
    """Number of singular values of unit columns that exceed the rounding error."""
    error = _rank_error(x, noise, _array.number(singular_values[0]))
    rank = int(x.xp.count_nonzero(singular_values > error))
    if rank == 0:
        raise Undefined(_ONLY_ROUNDING)
    # Copies of columns leave exact zeros. Other dropped directions may be real.
    dropped = (singular_values <= error) & (singular_values > noise / 100)
    ratio = noise / x.eps
    if _typical_noise(x, ratio) > _MOST_NOISE_OF_DROPPED and bool(x.xp.any(dropped)):
        raise Undefined(_lost(x, "a direction", ratio))
    return rank


def _rank_error(x: Points, noise: float, largest: float) -> float:
    """Error of the singular values of unit columns; `largest` is the largest of them.

    The error of the decomposition is proportional to the largest singular value. The
    error of storage is a matrix of independent errors, noise / sqrt(n) each.
    """
    storage_error = (1.0 + (x.d / x.n) ** 0.5) * noise
    decomposition_error = max(x.n, x.d) * _array.eps(x.values) * largest
    return max(storage_error, decomposition_error)


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
    u, s, vt = xp.linalg.svd(m, full_matrices=False)
    if partial:
        rank = int(xp.count_nonzero(s > max(m.shape) * _array.eps(m) * s[0]))
        u, vt = u[:, :rank], vt[:rank, :]
    return u @ vt
