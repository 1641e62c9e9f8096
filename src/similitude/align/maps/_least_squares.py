"""Maps by least squares, with and without a shift and a penalty."""

from typing import Any

from ... import _linalg
from ..._array import Array
from ..._validate import check_not_negative
from ...errors import Undefined
from ._matrix import AffineMap
from ._paired import Paired, paired


def least_squares(p: Paired, ridge: float, *, translated: bool) -> Array:
    """B that minimizes ||XB - Y||^2 + ridge ||B||^2, the shortest where many do."""
    n, d = p.x.shape
    free = n - 1 if translated else n
    if ridge > 0:
        z, r = _linalg.ridge_factor(p.x, ridge)
        return p.xp.linalg.solve(r, z.T @ p.y)
    if free < d:
        raise Undefined(
            f"{n} rows cannot determine a map of {d} columns"
            f"{' and a shift' if translated else ''}: infinitely many fit perfectly. "
            f"Use more rows, or ridge=."
        )
    return p.xp.linalg.pinv(p.x) @ p.y


def fit_linear(x: Any, y: Any, *, ridge: float = 0.0) -> AffineMap:
    r"""The best linear map: :math:`\min_B \|XB - Y\|_F^2 + \lambda \|B\|_F^2`.

    Parameters
    ----------
    x, y
        n x d1 and n x d2, rows the same n stimuli; arrays of one library.
    ridge
        :math:`\lambda`, in the units of X'X (scikit-learn's ``alpha``).

    Raises
    ------
    Undefined
        For n < d1 without a ridge. Columns that depend on others are no error: the
        shortest of all solutions is taken.

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
    r"""The best affine map: :math:`\min_{B, t} \|XB + t - Y\|_F^2 + \lambda \|B\|_F^2`.

    As `fit_linear` of centered rows; the shift is not penalized.

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
