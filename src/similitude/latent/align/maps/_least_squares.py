"""Least squares maps, linear or affine, and orthogonal maps."""

from typing import Any

from .... import _linalg
from ...._base import _array
from ...._base._array import Array
from ...._base._validate import check_not_negative
from ....errors import InvalidInput, Undefined
from ._matrix import AffineMap
from ._paired import Paired, paired


def least_squares(p: Paired, ridge: float, *, translated: bool) -> Array:
    """Minimize ||XB - Y||^2 + ridge ||B||^2 over B; take the minimum-norm solution."""
    n, d = p.x.shape
    free = n - 1 if translated else n
    if ridge > 0:
        z, r = _linalg.ridge_factor(p.x, ridge)
        return p.xp.linalg.solve(r, z.T @ p.y)
    if free < d:
        raise Undefined(
            f"{n} rows cannot determine a map of {d} columns"
            f"{' and a shift' if translated else ''}: infinitely many maps fit "
            f"exactly. Use more rows, or ridge=."
        )
    return _linalg.pinv(p.x, p.error) @ p.y


def fit_linear(x: Any, y: Any, *, ridge: float = 0.0) -> AffineMap:
    r"""Fit a linear map: :math:`\min_B \|XB - Y\|_F^2 + \lambda \|B\|_F^2`.

    Parameters
    ----------
    x, y
        n x d1 and n x d2, rows are the same n stimuli; arrays of the same library.
    ridge
        :math:`\lambda`, in the units of X'X (scikit-learn's ``alpha``).

    Raises
    ------
    Undefined
        If n < d1 without a ridge. Linearly dependent columns are allowed: the
        minimum-norm solution is taken.

    References
    ----------
    maiorca2023latent, hoerl1970ridge

    Examples
    --------
    >>> fit_linear([[1.0], [2.0]], [[3.0], [6.0]]).apply([[5.0]])
    array([[15.]])
    """
    check_not_negative("ridge", ridge)
    p = paired(x, y, translate=False)
    return p.map(least_squares(p, ridge, translated=False), "linear")


def fit_affine(x: Any, y: Any, *, ridge: float = 0.0) -> AffineMap:
    r"""Fit an affine map: :math:`\min_{B, t} \|XB + t - Y\|_F^2 + \lambda \|B\|_F^2`.

    This is `fit_linear` of centered rows; the shift is not penalized.

    References
    ----------
    maiorca2023latent, hoerl1970ridge

    Examples
    --------
    >>> fit_affine([[1.0], [2.0], [3.0]], [[5.0], [7.0], [9.0]]).apply([[0.0]]).round(9)
    array([[3.]])
    """
    check_not_negative("ridge", ridge)
    p = paired(x, y, translate=True)
    return p.map(least_squares(p, ridge, translated=True), "affine")


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
