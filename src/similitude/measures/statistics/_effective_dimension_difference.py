"""Effective dimension of a representation: the participation ratio."""

from dataclasses import dataclass
from typing import Any

from ... import _linalg
from ..._base._array import Array, Score
from ..._base._validate import points
from ...transformations import SHAPE
from .._claims import Claims
from ._base import Difference

__all__ = ["EffectiveDimensionDifference", "effective_dimension_difference"]


@dataclass(frozen=True, kw_only=True)
class EffectiveDimensionDifference(Difference):
    """Difference of dimensions; see `similitude.effective_dimension_difference`."""

    name = "effective_dimension_difference"
    statistic = "dimension"
    refs = ("delgiudice2021effective",)

    def claims(self) -> Claims:
        return self.difference(SHAPE, float("inf"))

    def prepare(self, x: Any, seed: Any = None) -> Array:
        x = _linalg.widened(_linalg.balanced(points(x)))
        rows = _linalg.center(x)
        # |X'X|_F = |XX'|_F. The smaller matrix is formed, in blocks within the budget.
        side = _linalg.features(rows if x.d <= x.n else rows.T, unbiased=False)
        return x.xp.sum(rows**2) ** 2 / _linalg.inner(side, side)


def effective_dimension_difference(x: Any, y: Any, /) -> Score:
    r"""Difference between the participation ratios of two spectra.

    .. math::

        |\mathrm{PR}(x) - \mathrm{PR}(y)|, \qquad
        \mathrm{PR}(x) = \frac{(\sum_k \lambda_k)^2}{\sum_k \lambda_k^2}

    where

    - :math:`\lambda_k` are the eigenvalues of the covariance of the columns of x. If r
      of them are not 0, the ratio is r if these are equal, and less if they differ.

    Parameters
    ----------
    x, y
        n1 x d1 and n2 x d2 arrays of one library. Rows need not correspond, and n1 and
        n2 may differ.

    Returns
    -------
    0-d array of the caller's library
        At least 0. `details` has both ratios, each between 1 and the rank.

    Notes
    -----
    Invariant to rotations, reflections, isotropic scaling and translation of either
    side, and to the order of rows. A pseudometric: 0 does not mean equal. With few
    stimuli, a ratio is below that of the population. Compare equal numbers of rows.

    Not to be confused with: the rank; the exponential of the spectral entropy; the
    intrinsic dimension of a curved set.

    Raises
    ------
    Undefined
        If all rows are equal.

    References
    ----------
    delgiudice2021effective

    Examples
    --------
    A square has effective dimension two, and one of its coordinates one:

    >>> square = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    >>> side = [[1], [1], [-1], [-1]]
    >>> round(float(effective_dimension_difference(square, side)), 4)
    1.0
    """
    return EffectiveDimensionDifference()(x, y)
