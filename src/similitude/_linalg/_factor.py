"""Orthonormal bases with numerical rank, ridge whitening, polar factors."""

from dataclasses import dataclass

from .. import _array
from .._array import Array
from .._validate import Points
from ._centre import centre


@dataclass(frozen=True, eq=False)
class Whitened:
    """Centred rows in coordinates in which they are white.

    Attributes
    ----------
    rows
        Z, n x r with Z'Z = I where there is no penalty; n x min(n, d) with Z'Z < I
        where there is one.
    rank
        Numerical rank r of the centred rows.
    dead
        Number of columns that do not vary.
    """

    rows: Array
    rank: int
    dead: int


def whiten(x: Points, penalty: float = 0.0) -> Whitened:
    """Z = Xc L^-T with L L' = Xc'Xc + penalty I; an orthonormal basis if penalty = 0.

    By QR, never by forming Xc'Xc without a penalty: the square would lose half of the
    digits of the small directions. Zero-variance, duplicate and dependent columns
    only lower the rank.
    """
    xp, xc = x.xp, _array.widen(centre(x))
    dead = _dead_columns(x, xc)
    xc = narrow(xc)
    q, r = xp.linalg.qr(xc)
    u, s, _ = xp.linalg.svd(_array.stop_gradient(r), full_matrices=False)
    rank = numerical_rank(s, x)
    if penalty == 0:
        # u only picks the range out of q. Held constant, it keeps the derivative of
        # the singular vectors, which explodes at ties, out of the way.
        return Whitened(q if rank == q.shape[1] else q @ u[:, :rank], rank, dead)
    eye = xp.eye(xc.shape[1], dtype=xc.dtype, device=xc.device)
    lower = xp.linalg.cholesky(xc.T @ xc + penalty * eye)
    return Whitened(xp.linalg.solve(lower, xc.T).T, rank, dead)


def _dead_columns(x: Points, centred: Array) -> int:
    """Columns that are constant up to the rounding of their mean."""
    xp, values = x.xp, _array.widen(_array.stop_gradient(x.values))
    left = xp.max(xp.abs(_array.stop_gradient(centred)), axis=0)
    size = xp.max(xp.abs(values), axis=0)
    return int(xp.count_nonzero(left <= 4 * _array.eps(x.values) * size))


def numerical_rank(singular_values: Array, x: Points) -> int:
    """How many singular values of the centred `x` rise above its rounding errors.

    Two kinds: those of the decomposition, in proportion to the largest singular
    value, and those with which `x` was stored, in proportion to its largest entry
    before the mean was removed.
    """
    xp, eps = x.xp, _array.eps(x.values)
    peak = _array.number(xp.max(xp.abs(_array.stop_gradient(x.values))))
    of_decomposition = max(x.n, x.d) * _array.number(singular_values[0])
    of_storage = (x.n**0.5 + x.d**0.5) * peak
    return int(
        xp.count_nonzero(singular_values > eps * max(of_decomposition, of_storage))
    )


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

    It maximises the trace of Q'm, so by the envelope theorem the derivative of that
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
