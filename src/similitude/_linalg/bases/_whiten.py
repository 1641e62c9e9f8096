"""Orthonormal bases with numerical rank, and ridge whitening."""

import math

import numpy as np

from ..._base import _array
from ..._base._array import Array
from ..._base._validate import Points
from ...errors import Undefined
from .._blocks import cross_product
from .._center import centered_again, centered_with_means, check_noise, widened
from .._svd import svd, svdvals
from ._factor import ONLY_ROUNDING, narrow, ridge_factor, typical_ratio, unit_factors
from ._factored import Factored, Whitened
from ._gram_route import (
    Columns,
    gram_columns,
    is_worth_a_gram,
    passes,
    principal_by_gram,
    ridge_by_gram,
    whitened_by_gram,
)
from ._lost import check_dropped_columns, check_dropped_directions

# Weak directions have the weight of strong ones.
_MOST_NOISE_OF_A_DIRECTION = 0.05
_LARGE_OFFSET = 100.0  # of the size of typical columns, relative to their spread


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
    if is_worth_a_gram(x.n, x.d) and x.square < math.inf:
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
    found = _certified_columns(x, rows, means, square)
    if found is None:
        return None
    count = passes(found.condition, _array.eps(rows))
    return None if count is None else whitened_by_gram(rows, found, count)


def _certified_columns(
    x: Points, rows: Array, means: Array | None, square: Array
) -> Columns | None:
    """The columns that vary, if they are independent for certain; otherwise None."""
    found = gram_columns(x, rows, means, square)
    if found is None:
        return None
    if not _is_certain(x, found):
        return None
    if means is not None:
        _check_directions(x, float(np.median(found.ratios)), found.smallest)
    return found


def _is_certain(x: Points, columns: Columns) -> bool:
    """Whether the smallest singular value is far from the error that decides ranks."""
    noise = x.eps * float(np.max(columns.ratios))
    return columns.smallest > 2.0 * _rank_error(x, noise, columns.largest)


def principal_rows(x: Points) -> tuple[Whitened, Array] | None:
    """Z = Xc V S^-1 for Xc = Z S V', and S; None if `whiten` and an SVD are needed.

    Z has the rank that `whiten` finds, which is certain here, and no dead columns.
    """
    if not is_worth_a_gram(x.n, x.d):
        return None
    rows, means = centered_with_means(x)
    square = cross_product(rows, rows)
    found = principal_by_gram(rows, lambda s, _: len(s), most_passes=1, square=square)
    if found is None:
        return None
    columns = gram_columns(x, rows, means, square, _array.number(found[1][-1]))
    if columns is None or not _is_certain(x, columns):
        return None
    return None if np.median(columns.ratios) > _LARGE_OFFSET else found


def _whitened_by_qr(x: Points, xc: Array, *, center: bool) -> Whitened:
    xp = x.xp
    factors, noise = unit_factors(x, xc)
    dead = x.d - int(xp.count_nonzero(factors))
    unit = narrow(xc * factors)
    q, r = xp.linalg.qr(unit)
    r = _array.stop_gradient(r)
    singular_values = svdvals(r)
    rank = _rank(singular_values, x, noise)
    if center:
        ratio = typical_ratio(x, factors)
        check_dropped_columns(x, factors, ratio)
        _check_directions(x, ratio, _array.number(singular_values[rank - 1]))
    if rank < q.shape[1]:
        # Project to the range first. The directions are constants for differentiation:
        # their derivative is infinite at ties, and the range does not need it.
        vt = svd(r)[2]
        q = xp.linalg.qr(unit @ vt[:rank, :].T)[0]
    return Whitened(q, None, rank, dead)


def _check_directions(x: Points, ratio: float, smallest: float) -> None:
    """Raise `Undefined` if offsets make the weakest kept direction mostly rounding.

    Every kept direction has the same weight, so the weakest one decides. Its error is
    the rounding of a typical column (`typical_ratio`), divided by its singular value.
    Without large offsets nothing is checked: `_rank` omits directions below the
    rounding error.
    """
    if ratio > _LARGE_OFFSET:
        edge = 1.0 + (x.d / x.n) ** 0.5
        what = "their spread in one direction"
        check_noise(x, edge * ratio / smallest, what, _MOST_NOISE_OF_A_DIRECTION)


def _rank(singular_values: Array, x: Points, noise: float) -> int:
    """Number of singular values of unit columns that exceed the rounding error."""
    error = _rank_error(x, noise, _array.number(singular_values[0]))
    rank = int(x.xp.count_nonzero(singular_values > error))
    if rank == 0:
        raise Undefined(ONLY_ROUNDING)
    check_dropped_directions(x, singular_values, error, noise)
    return rank


def _rank_error(x: Points, noise: float, largest: float) -> float:
    """Error of the singular values of unit columns; `largest` is the largest of them.

    The error of the decomposition is proportional to the largest singular value. The
    error of storage is a matrix of independent errors, noise / sqrt(n) each.
    """
    storage_error = (1.0 + (x.d / x.n) ** 0.5) * noise
    decomposition_error = max(x.n, x.d) * _array.eps(x.values) * largest
    return max(storage_error, decomposition_error)


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
