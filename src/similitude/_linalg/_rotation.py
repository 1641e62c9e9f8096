"""How far two sets of rows are apart after the best rotation of one of them."""

from .._array import Array, namespace, number
from ._factor import polar_factor

# Shares of |p|^2 + |q|^2 above this come out of a difference with 11 digits.
_FAR = 1e-4


def best_rotation_residual(p: Array, q: Array) -> Array:
    """Least sum of squares of p Q - q over orthogonal Q.

    The narrower one is mapped into the wider: the same as padding it with zeros. It is
    |p|^2 + |q|^2 - 2 nuc, where singular values are enough; that cannot see a distance
    below 1e-8, so two that are near are rotated and subtracted, at twice the cost.
    """
    xp = namespace(p, q)
    if p is q:  # as on the diagonal of a table: no rotation is better than none
        return xp.sum((p - q) ** 2)
    if p.shape[1] > q.shape[1]:
        p, q = q, p
    product = p.T @ q
    whole = _square(p) + _square(q)
    squared = whole - 2.0 * xp.sum(xp.linalg.svdvals(product))
    if number(squared) > _FAR * number(whole):
        return squared
    return xp.sum((p @ polar_factor(product) - q) ** 2)


def _square(rows: Array) -> Array:
    """Sum of squares, without an array of them."""
    xp = namespace(rows)
    flat = xp.reshape(rows, (-1,))
    return xp.vecdot(flat, flat)


def chord_angle(distance: Array) -> Array:
    """The angle between unit vectors at that distance, up to pi.

    By the arc sine of half the chord: no digits are lost near 0, as they are by arccos.
    """
    xp = namespace(distance)
    return 2.0 * xp.asin(xp.clip(distance / 2.0, None, 1.0))
