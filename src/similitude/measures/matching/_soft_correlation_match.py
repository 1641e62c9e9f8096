"""Correlation of each unit with its best match."""

from dataclasses import dataclass
from typing import Any

from ..._base._array import Array, Score, namespace
from ._base import UnitMeasure, Units

__all__ = ["SoftCorrelationMatch", "soft_correlation_match"]


@dataclass(frozen=True, kw_only=True)
class SoftCorrelationMatch(UnitMeasure):
    """Mean over units of x of the best correlation in y; see the function."""

    name = "soft_correlation_match"
    refs = ("li2016convergent",)
    symmetric = False
    chance = "above 0 and grows with the width of y, as the best of many"

    def compare(self, p: Units, q: Units) -> Array:
        correlations = p.columns.T @ q.columns
        xp = namespace(correlations)
        return xp.mean(xp.max(correlations, axis=1))


def soft_correlation_match(x: Any, y: Any, /) -> Score:
    r"""Mean over units of x of the correlation with the best-matching unit of y.

    .. math::

        s = \frac{1}{d_1} \sum_i \max_j \mathrm{corr}(x_i, y_j)

    where

    - :math:`x_i` and :math:`y_j` are the columns of x and y that vary, d1 of x. Other
      columns are dropped, and `details` reports how many.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1]. It grows with the width of y, even for unrelated units.

    Notes
    -----
    Asymmetric: every unit of x is matched, units of y may stay unmatched. Invariant to
    permutations, positive scaling and translation of the columns of either side.

    Not to be confused with: hard correlation match, which is one to one; soft matching,
    a distance by optimal transport, which uses every unit completely.

    Raises
    ------
    Undefined
        If all rows of x, or all rows of y, are equal.

    References
    ----------
    li2016convergent

    Examples
    --------
    `one` has a match in `both`. Only one of the two units of `both` has a match in
    `one`:

    >>> both, one = [[1, 1], [1, -1], [-1, 1], [-1, -1]], [[1], [1], [-1], [-1]]
    >>> round(float(soft_correlation_match(one, both)), 6)
    1.0
    >>> round(float(soft_correlation_match(both, one)), 6)
    0.5
    """
    return SoftCorrelationMatch()(x, y)
