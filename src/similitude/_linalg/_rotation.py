"""How far two sets of rows are apart after the best rotation of one of them."""

from .. import _array
from .._array import Array
from ._factor import polar_factor

# Shares of |p|^2 + |q|^2 above this come out of a difference with 11 digits.
_FAR = 1e-4


def best_rotation_residual(p: Array, q: Array) -> Array:
    """Least sum of squares of p Q - q over orthogonal Q.

    The narrower one is mapped into the wider: the same as padding it with zeros. As a
    residual, not as |p|^2 + |q|^2 - 2 nuc, which cannot see a distance below 1e-8.
    """
    if p.shape[1] > q.shape[1]:
        p, q = q, p
    residual = p @ polar_factor(p.T @ q) - q
    return _array.namespace(p, q).sum(residual**2)


def quick_rotation_residual(p: Array, q: Array) -> Array:
    """The same from the singular values of p'q alone, where that loses no digits.

    Without singular vectors, and without rotating anything, it costs a third.
    """
    xp = _array.namespace(p, q)
    whole = xp.sum(p * p) + xp.sum(q * q)
    squared = whole - 2.0 * xp.sum(xp.linalg.svdvals(p.T @ q))
    if _array.number(squared) > _FAR * _array.number(whole):
        return squared
    return best_rotation_residual(p, q)


def chord_angle(distance: Array) -> Array:
    """The angle between unit vectors at that distance, up to pi.

    By the arc sine of half the chord: no digits are lost near 0, as they are by arccos.
    """
    xp = _array.namespace(distance)
    return 2.0 * xp.asin(xp.clip(distance / 2.0, None, 1.0))
