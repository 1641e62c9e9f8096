"""Least squares maps: linear or affine, with an optional ridge penalty."""

from typing import Any

from ... import _linalg
from ..._array import Array
from ..._validate import check_not_negative
from ...errors import Undefined
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
    return p.xp.linalg.pinv(p.x) @ p.y


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
