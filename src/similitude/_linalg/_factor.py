"""Orthonormal bases with numerical rank, ridge whitening, polar factors."""

from dataclasses import dataclass

import numpy as np

from .. import _array
from .._array import Array
from .._validate import Points
from ..errors import Undefined
from ._center import center_each, widened

_NOTHING = (
    "no direction of this representation rises above the rounding with which it is "
    "stored. Store it in float64, or remove its offset first."
)


@dataclass(frozen=True, eq=False)
class Whitened:
    """Centered rows in coordinates in which they are white.

    Attributes
    ----------
    rows
        Z, n x r with Z'Z = I where there is no penalty; n x min(n, d) with Z'Z < I
        where there is one.
    rank
        Numerical rank r of the centered rows.
    dead
        Number of columns that do not vary.
    """

    rows: Array
    rank: int
    dead: int


def whiten(x: Points, penalty: float | Array = 0.0, *, center: bool = True) -> Whitened:
    """Z = Xc R^-1 with R'R = Xc'Xc + penalty I; an orthonormal basis if penalty = 0.

    By QR, never through Xc'Xc: the square would lose half of the digits of the small
    directions. Zero-variance, duplicate and dependent columns only lower the rank.
    Without `center` the column means stay in, and a dead column is one of zeros.
    """
    x = widened(x)
    xp, xc = x.xp, center_each(x) if center else x.values
    factors, noise = _unit_columns(x, xc)
    dead = x.d - int(xp.count_nonzero(factors))
    unit = narrow(xc * factors)
    q, r = xp.linalg.qr(unit)
    r = _array.stop_gradient(r)
    rank = _rank(xp.linalg.svdvals(r), x, noise)
    if penalty != 0:
        return Whitened(ridge_factor(narrow(xc), penalty)[0], rank, dead)
    if rank < q.shape[1]:
        # On to the range first. The directions are constants: their derivative
        # explodes at ties, and the range is the same without it.
        vt = xp.linalg.svd(r, full_matrices=False)[2]
        q = xp.linalg.qr(unit @ vt[:rank, :].T)[0]
    return Whitened(q, rank, dead)


def ridge_factor(rows: Array, penalty: float | Array) -> tuple[Array, Array]:
    """Z and R with Z R = rows and R'R = rows'rows + penalty I.

    The QR factors of the rows on top of sqrt(penalty) I, where nothing is squared.
    """
    xp, (n, d) = _array.namespace(rows), rows.shape
    eye = xp.eye(d, dtype=rows.dtype, device=_array.device(rows))
    q, r = xp.linalg.qr(xp.concat([rows, penalty**0.5 * eye]))
    return q[:n, :], r


def unit_columns(x: Points) -> tuple[Array, int]:
    """Centered columns of unit length, n x d', and how many dead ones were dropped."""
    x = widened(x)
    rows = center_each(x)
    factors = _array.to_numpy(_unit_columns(x, rows)[0])
    alive = np.flatnonzero(factors)
    if len(alive) == 0:
        raise Undefined(_NOTHING)
    rows = _array.take(rows, alive, axis=1)
    return rows / x.xp.linalg.vector_norm(rows, axis=0), x.d - len(alive)


def _unit_columns(x: Points, xc: Array) -> tuple[Array, float]:
    """Factors that bring columns to unit length, 0 for the dead; and their noise.

    `x` was stored with a relative error of an eps. Of a column whose spread is of that
    size nothing is known: it is dead. For the others it is noise in proportion to the
    factor, of which the largest is returned.
    """
    xp = x.xp
    size = xp.linalg.vector_norm(_array.stop_gradient(x.values), axis=0)
    length = xp.linalg.vector_norm(_array.stop_gradient(xc), axis=0)
    alive = length > 4 * x.eps * size
    factors = xp.where(alive, 1.0 / xp.where(alive, length, 1.0), 0.0)
    return factors, x.eps * _array.number(xp.max(size * factors))


def _rank(singular_values: Array, x: Points, noise: float) -> int:
    """How many singular values of unit columns rise above rounding.

    That of the decomposition is in proportion to the largest singular value; that of
    storage is a matrix of independent errors, noise / sqrt(n) each.
    """
    of_storage = (1.0 + (x.d / x.n) ** 0.5) * noise
    largest = _array.number(singular_values[0])
    of_decomposition = max(x.n, x.d) * _array.eps(singular_values) * largest
    rank = int(x.xp.count_nonzero(singular_values > max(of_storage, of_decomposition)))
    if rank == 0:
        raise Undefined(_NOTHING)
    return rank


def narrow(rows: Array) -> Array:
    """The same rows up to a rotation, in at most n columns.

    Every inner product between rows is kept, so a measure that is invariant to
    orthogonal maps cannot tell, and n x d with d > n costs as much as n x n.
    """
    n, d = rows.shape
    if d <= n:
        return rows
    return _array.namespace(rows).linalg.qr(rows.T)[1].T


def polar_factor(m: Array, *, partial: bool = False) -> Array:
    """The (semi-)orthogonal matrix nearest to `m`: U V' for m = U S V'.

    It maximizes the trace of Q'm, so by the envelope theorem the derivative of that
    maximum does not see it: it is returned as a constant.

    Where S has zeros their directions are paired arbitrarily, which the trace does not
    notice; `partial` leaves them out, for use on rows that `m` has not seen.
    """
    xp, m = _array.namespace(m), _array.stop_gradient(m)
    u, s, vt = xp.linalg.svd(m, full_matrices=False)
    if partial:
        rank = int(xp.count_nonzero(s > max(m.shape) * _array.eps(m) * s[0]))
        u, vt = u[:, :rank], vt[:rank, :]
    return u @ vt


def canonical_correlations(p: Whitened, q: Whitened) -> Array:
    """Cosines of the principal angles between two column spaces, largest first."""
    return _array.namespace(p.rows).linalg.svdvals(p.rows.T @ q.rows)
