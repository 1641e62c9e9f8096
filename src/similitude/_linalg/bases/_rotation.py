"""Distance of two sets of rows after the best rotation of one of them."""

from ..._array import Array, namespace, number, stop_gradient
from ._factor import polar_factor
from ._factored import Factored
from ._nuclear import nuclear_norm

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
