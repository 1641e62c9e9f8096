"""Procrustes similarity up to the symmetries of ReLU."""

from dataclasses import dataclass
from typing import Any

from ... import _linalg
from ..._base._array import Array, Score
from ._base import UnitMeasure, Units

__all__ = ["GReLUProcrustes", "g_relu_procrustes"]


@dataclass(frozen=True, kw_only=True)
class GReLUProcrustes(UnitMeasure):
    """Similarity up to symmetries of ReLU; see `similitude.g_relu_procrustes`."""

    name = "g_relu_procrustes"
    cost = "moderate"
    refs = ("godfrey2022symmetries", "kuhn1955hungarian")
    lowest = 0.0
    chance = "above 1 - 1 / sqrt(2) = 0.29 for equal widths"

    def compare(self, p: Units, q: Units) -> Array:
        squared = _linalg.matched_residual(p.columns, q.columns)
        channels = max(p.columns.shape[1], q.columns.shape[1])
        return 1.0 - _linalg.safe_sqrt(squared / (4.0 * channels))


def g_relu_procrustes(x: Any, y: Any, /) -> Score:
    r"""Procrustes similarity up to permutation and positive scaling of units.

    .. math::

        s = 1 - \frac{\min_P \|X - Y P\|_F}{2 \sqrt{d}}
          = 1 - \sqrt{\frac{\|X\|_F^2 + \|Y\|_F^2 - 2 \max_P \mathrm{tr}(P' Y' X)}{4 d}}

    where

    - X and Y are x and y with the mean removed from every column, and every column
      scaled to unit norm; columns that do not vary are dropped;
    - d is the larger number of remaining columns; the narrower side is padded with
      zeros;
    - P runs over all permutations of columns; the best is found by the Hungarian
      method on the correlations :math:`X'Y`.

    Permutations and positive scalings of units form the group that commutes with ReLU.
    Two networks that differ by them compute the same function.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.

    Returns
    -------
    0-d array of the caller's library
        In [0, 1]; 1 for a permutation with positive scaling.

    Notes
    -----
    Invariant to permutations, positive scaling and translation of the columns of either
    side. `details` reports how many columns do not vary.

    Not to be confused with: permutation Procrustes with normalize="columns", the
    distance in this formula; hard correlation match, the mean of the same correlations.

    Raises
    ------
    Undefined
        If all rows of x, or all rows of y, are equal.

    References
    ----------
    godfrey2022symmetries, kuhn1955hungarian

    Examples
    --------
    Two uncorrelated units, first exchanged and scaled, then with one sign changed:

    >>> x = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    >>> y = [[3, 1], [-3, 1], [3, -1], [-3, -1]]
    >>> float(g_relu_procrustes(x, y))
    1.0
    >>> flipped = [[-3, 1], [3, 1], [-3, -1], [3, -1]]
    >>> round(float(g_relu_procrustes(x, flipped)), 4)  # 1 - 2 / (2 sqrt 2)
    0.2929
    """
    return GReLUProcrustes()(x, y)
