"""Orthogonal maps: Procrustes, and the orthogonal factor of least squares."""

from typing import Any

from ... import _array, _linalg
from ..._validate import check_not_negative
from ...errors import InvalidInput
from ._least_squares import least_squares
from ._matrix import AffineMap
from ._paired import paired


def fit_procrustes(
    x: Any,
    y: Any,
    *,
    translate: bool = False,
    scale: bool = False,
    proper: bool = False,
) -> AffineMap:
    r"""Fit the best orthogonal map from x to y.

    .. math:: \min_{R'R = I} \|X R - Y\|_F, \qquad R = U V' \text{ of } X'Y = U S V'

    Parameters
    ----------
    x, y
        n x d1 and n x d2, rows are the same n stimuli; arrays of the same library.
    translate
        Remove the mean of x first, add the mean of y last.
    scale
        Multiply by :math:`s = \mathrm{tr} S / \|X\|_F^2`, the best scale given R.
    proper
        Rotations only (determinant +1): the last singular vector is flipped if
        needed. Requires d1 = d2.

    Notes
    -----
    If d1 < d2, R embeds: R R' = I. If d1 > d2, R projects: R'R = I, and the minimum is
    taken against y padded with zero columns. Both equal padding the narrower side
    with zero columns. Directions in the null space of X'Y (n < d) are paired
    arbitrarily.

    `fit_l_ortho` is a different map: it makes the least squares solution orthogonal.
    It is never better on the rows it is fitted to.

    References
    ----------
    schonemann1966generalized, maiorca2023latent

    Examples
    --------
    >>> f = fit_procrustes([[1.0, 0.0], [0.0, 2.0]], [[0.0, 1.0], [-2.0, 0.0]])
    >>> f.apply([[3.0, 1.0]])  # a quarter turn
    array([[-1.,  3.]])
    """
    p = paired(x, y, translate=translate)
    xp, product = p.xp, p.x.T @ p.y
    u, s, vt = _linalg.svd(product)
    if proper:
        if product.shape[0] != product.shape[1]:
            raise InvalidInput(
                f"proper=True needs equal widths; x has {product.shape[0]} columns and "
                f"y has {product.shape[1]}."
            )
        if _array.number(xp.linalg.det(u @ vt)) < 0:
            u = xp.concat([u[:, :-1], -u[:, -1:]], axis=1)
            s = xp.concat([s[:-1], -s[-1:]])
    matrix = u @ vt
    if scale:
        matrix = matrix * (xp.sum(s) / xp.sum(p.x**2))
    return p.map(matrix, "procrustes")


def fit_l_ortho(
    x: Any, y: Any, *, ridge: float = 0.0, translate: bool = False
) -> AffineMap:
    r"""Fit the orthogonal matrix nearest to the least squares map.

    This is U V' of B = U S V', where B is the solution of `fit_linear` (`fit_affine`
    with `translate`). In sample it is never better than `fit_procrustes`, which
    minimizes the same error over the same matrices. It weights all directions of x
    equally instead of by their variance.

    References
    ----------
    maiorca2023latent

    Examples
    --------
    >>> f = fit_l_ortho([[1.0, 0.0], [0.0, 2.0]], [[0.0, 5.0], [-2.0, 0.0]])
    >>> f.apply([[3.0, 1.0]]) + 0.0
    array([[-1.,  3.]])
    """
    check_not_negative("ridge", ridge)
    p = paired(x, y, translate=translate)
    solution = least_squares(p, ridge, translated=translate)
    return p.map(_linalg.polar_factor(solution), "l_ortho")
