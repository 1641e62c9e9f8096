"""Correlation of each unit with the one that is best for it."""

from dataclasses import dataclass
from typing import Any

from ..._array import Array, namespace
from ._base import UnitMeasure, Units

__all__ = ["SoftCorrelationMatch", "soft_correlation_match"]


@dataclass(frozen=True, kw_only=True)
class SoftCorrelationMatch(UnitMeasure):
    """Mean over units of x of the best correlation in y; see the function."""

    name = "soft_correlation_match"
    refs = ("li2016convergent",)
    symmetric = False
    chance = "above 0, and grows with the width of y: the best of many"

    def compare(self, p: Units, q: Units) -> Array:
        correlations = p.columns.T @ q.columns
        xp = namespace(correlations)
        return xp.mean(xp.max(correlations, axis=1))


def soft_correlation_match(x: Any, y: Any, /) -> Array:
    r"""Mean over units of x of the correlation with the unit of y that is best for it.

    .. math::

        s = \frac{1}{d_1} \sum_i \max_j \mathrm{corr}(x_i, y_j)

    where

    - :math:`x_i` and :math:`y_j` are the columns of x and y that vary, d1 of x. Those
      that do not are dropped, and `details` says how many.

    Parameters
    ----------
    x, y
        n x d1 and n x d2, rows the same n stimuli; arrays of one library.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1]; it grows with the width of y also for unrelated units.

    Notes
    -----
    Asymmetric: every unit of x finds a match, units of y may stay without. Invariant to
    permutations, positive scaling and translation of the columns of either side.

    Not to be confused with: hard correlation match, one to one; soft matching, a
    distance by optimal transport, where every unit has to be used up.

    Raises
    ------
    Undefined
        For constant rows.

    References
    ----------
    li2016convergent

    Examples
    --------
    One unit is found among two; of the two, one is not found:

    >>> both, one = [[1, 1], [1, -1], [-1, 1], [-1, -1]], [[1], [1], [-1], [-1]]
    >>> round(float(soft_correlation_match(one, both)), 6)
    1.0
    >>> round(float(soft_correlation_match(both, one)), 6)
    0.5
    """
    return SoftCorrelationMatch()(x, y)
