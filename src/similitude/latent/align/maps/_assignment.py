"""Maps that match units: permutations, with or without a scale per unit."""

from typing import Any, Literal

import numpy as np
import scipy

from ...._base._array import from_numpy, to_numpy, widen
from ...._base._validate import check_one_of
from ._matrix import AffineMap
from ._paired import Paired, paired


def fit_permutation(
    x: Any,
    y: Any,
    *,
    by: Literal["covariance", "correlation"] = "covariance",
    translate: bool = False,
) -> AffineMap:
    r"""Fit the permutation that best matches the units of x with those of y.

    .. math:: \max_P \mathrm{tr}(P' X'Y)

    solved exactly (Hungarian algorithm). For equal widths the solution is the least
    squares permutation, :math:`\min_P \|XP - Y\|_F`. For unequal widths, unmatched
    units of x are dropped. Unmatched units of y are 0, or their mean with
    `translate`.

    Parameters
    ----------
    by
        ``"covariance"`` uses X'Y. ``"correlation"`` standardizes all units first, so
        units with a large variance do not dominate; this is not least squares.
    translate
        Remove the mean of x first, add the mean of y last.

    References
    ----------
    godfrey2022symmetries

    Examples
    --------
    >>> f = fit_permutation([[1.0, 0.0], [0.0, 2.0]], [[0.1, 1.0], [2.0, 0.0]])
    >>> f.apply([[3.0, 4.0]])
    array([[4., 3.]])
    """
    check_one_of("by", by, ("covariance", "correlation"))
    p = paired(x, y, translate=translate)
    a, b = to_numpy(p.x), to_numpy(p.y)
    if by == "correlation":
        a, b = _standardized(a), _standardized(b)
    rows, columns = scipy.optimize.linear_sum_assignment(a.T @ b, maximize=True)
    return _matched(p, rows, columns, np.ones(len(rows)), "permutation")


def fit_monomial(
    x: Any, y: Any, *, positive: bool = False, translate: bool = True
) -> AffineMap:
    r"""Match units, with one scale per unit: :math:`\min \|XPD + t - Y\|_F`.

    These maps are the symmetries of ReLU (``positive=True``), tanh, powers and other
    activations. `Robust` relative representations do not need such a map. For a pair
    of units (i, j) the best scale is :math:`x_i'y_j / x_i'x_i` and explains
    :math:`(x_i'y_j)^2 / x_i'x_i`. The Hungarian algorithm finds the matching with the
    largest explained sum exactly. Unequal widths are treated as in `fit_permutation`.

    Parameters
    ----------
    positive
        Do not allow scales below 0. If a unit can only be matched with a negatively
        correlated one, its scale is 0: the map is not a symmetry and not invertible.
    translate
        Remove the mean of x first, add the mean of y last.

    References
    ----------
    godfrey2022symmetries, garciacastellanos2024relative

    Examples
    --------
    >>> f = fit_monomial([[1.0, 0.0], [0.0, 1.0]], [[0.0, 2.0], [-3.0, 0.0]],
    ...                  translate=False)
    >>> f.apply([[1.0, 10.0]])
    array([[-30.,   2.]])
    """
    p = paired(x, y, translate=translate)
    a, b = to_numpy(p.x), to_numpy(p.y)
    product, size = a.T @ b, (a**2).sum(axis=0)[:, None]
    if positive:
        product = np.maximum(product, 0.0)
    alive = size > 0
    scales = np.divide(product, size, out=np.zeros_like(product), where=alive)
    rows, columns = scipy.optimize.linear_sum_assignment(
        scales * product, maximize=True
    )
    return _matched(p, rows, columns, scales[rows, columns], "monomial")


def _standardized(a: np.ndarray) -> np.ndarray:
    """Scale columns to mean 0 and length 1; constant columns become 0."""
    a = a - a.mean(axis=0)
    length = np.linalg.norm(a, axis=0)
    return np.divide(a, length, out=np.zeros_like(a), where=length > 0)


def _matched(
    p: Paired, rows: np.ndarray, columns: np.ndarray, scales: np.ndarray, kind: str
) -> AffineMap:
    matrix = np.zeros((p.x.shape[1], p.y.shape[1]))
    matrix[rows, columns] = scales
    return p.map(widen(from_numpy(matrix, p.x)), kind)
