"""Distance of two sets of rows after the best rotation of one of them."""

import numpy as np

from ..._base._array import Array, eps, namespace, number, stop_gradient
from .._svd import svdvals
from ._factor import polar_factor
from ._factored import Factored

# Narrower matrices take less than a millisecond by either route.
_WORTH_SQUARING = 128
_MOST_ERROR = 1e-12  # relative


def nuclear_norm(m: Array, subtracted_from: float = 0.0) -> Array:
    """The sum of the singular values of `m`, accurate to `_MOST_ERROR`.

    The eigenvalues of M M' are the squares of the singular values, and take a third of
    their time. If s^2 has an error e (`_square_error`), s has an error below e / s. The
    errors of different eigenvalues have random signs, so their sum is about the root of
    the sum of their squares. The eigenvalues are used if this is less than
    `_MOST_ERROR` of the result, or of its difference to `subtracted_from` if the caller
    needs the difference. Otherwise, for example if M is rank-deficient, LAPACK computes
    the singular values.
    """
    xp = namespace(m)
    if min(m.shape) >= _WORTH_SQUARING:
        narrow = m if m.shape[0] <= m.shape[1] else m.T
        square = narrow @ narrow.T
        values = xp.linalg.eigvalsh(square)
        known, error = stop_gradient(values), _square_error(narrow, square)
        if number(known[0]) > 4.0 * error:
            roots = known**0.5
            size = abs(subtracted_from - number(xp.sum(roots)))
            if error * number(xp.linalg.vector_norm(1.0 / roots)) <= _MOST_ERROR * size:
                return xp.sum(values**0.5)
    return xp.sum(svdvals(m))


def _square_error(m: Array, square: Array) -> float:
    """Typical error of an eigenvalue of the computed M M', for an r x c matrix M.

    The rounding errors of a sum of c products have random signs. An entry (i, j) then
    has an error of about sqrt(c) eps |m_i| |m_j|, and so has v' E v for a unit vector v
    and a matrix E of such errors. The eigenvalue solver adds about eps times the
    largest eigenvalue, which is at most the Frobenius norm of M M'.
    """
    xp, square = namespace(m), stop_gradient(square)
    largest_row = number(xp.max(xp.linalg.diagonal(square)))
    largest_value = number(xp.linalg.matrix_norm(square))
    return eps(m) * (m.shape[1] ** 0.5 * largest_row + largest_value)


# Above this fraction of |p|^2 + |q|^2, a difference has 11 correct digits.
_FAR = 1e-4


def best_rotation_residual(p: Array, q: Array) -> Array:
    """Least sum of squares of p Q - q over orthogonal Q.

    The narrower side is mapped into the wider, which is the same as padding with zeros.
    The residual is ``|p|^2 + |q|^2 - 2 nuc``, from singular values alone. This cannot
    resolve distances below 1e-8, so close rows are rotated and subtracted, at twice the
    cost.
    """
    xp = namespace(p, q)
    if p is q:  # on the diagonal of a table, the best rotation is the identity
        return xp.sum((p - q) ** 2)
    return factored_residual(Factored(p), Factored(q), _square(p) + _square(q))


def factored_residual(p: Factored, q: Factored, whole: Array) -> Array:
    """`best_rotation_residual` of rows in factors, with ``whole = |p|^2 + |q|^2``.

    The rows are formed only if they are close.
    """
    if p is q:
        return whole - whole
    if p.width > q.width:
        p, q = q, p
    product = p.across(q)
    squared = whole - 2.0 * nuclear_norm(product, number(whole) / 2.0)
    if number(squared) > _FAR * number(whole):
        return squared
    xp = namespace(product)
    return xp.sum((p.rows @ polar_factor(product) - q.rows) ** 2)


def residuals_of_orders(p: Array, q: Array, orders: np.ndarray) -> np.ndarray | None:
    """`best_rotation_residual` of p and the rows of q in each order, in numpy.

    Small matrices are decomposed in one call, since a call takes as long as one. None
    if they are large, or if rows are close.
    """
    if not isinstance(p, np.ndarray) or min(p.shape[1], q.shape[1]) >= _WORTH_SQUARING:
        return None
    products, whole = [p.T @ q[order] for order in orders], _square(p) + _square(q)
    found = whole - 2.0 * np.sum(svdvals(np.stack(products)), axis=1)
    return found if np.all(found > _FAR * whole) else None


def rotation_residuals(p: Array, q: Array) -> Array:
    """Squares of the rows of p Q - q for the best rotation Q, without gradient.

    Directions that have product 0 with the other side are not rotated to each other:
    that would be arbitrary, and would not change the sum over rows.
    """
    p, q = stop_gradient(p), stop_gradient(q)
    xp = namespace(p, q)
    if p.shape[1] > q.shape[1]:
        p, q = q, p
    rotated = p @ polar_factor(p.T @ q, partial=True)
    rest, lost = rotated - q, xp.vecdot(p, p) - xp.vecdot(rotated, rotated)
    return xp.vecdot(rest, rest) + xp.clip(lost, 0.0, None)


def rotation_work(n: int, d_x: int, d_y: int) -> float:
    """Predicted multiplications of one product of n rows and its singular values.

    Singular values take about six products of the same size, and small matrices a tenth
    of a millisecond of overhead.
    """
    narrow, wide = sorted((min(n, d_x), min(n, d_y)))
    return 3e6 + n * narrow * wide + 6.0 * narrow * narrow * wide


def _square(rows: Array) -> Array:
    """Sum of squares, without a temporary array."""
    xp = namespace(rows)
    flat = xp.reshape(rows, (-1,))
    return xp.vecdot(flat, flat)


def chord_angle(distance: Array) -> Array:
    """Angle between unit vectors at this distance, up to pi.

    It is computed by the arc sine of half the chord; arccos would lose digits near 0.
    """
    xp = namespace(distance)
    return 2.0 * xp.asin(xp.clip(distance / 2.0, None, 1.0))
