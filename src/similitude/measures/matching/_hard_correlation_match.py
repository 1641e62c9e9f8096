"""Correlation of units that are matched one to one."""

from dataclasses import dataclass
from typing import Any

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ._base import UnitMeasure, Units

__all__ = ["HardCorrelationMatch", "hard_correlation_match"]


@dataclass(frozen=True, kw_only=True)
class HardCorrelationMatch(UnitMeasure):
    """Mean correlation of units matched one to one; see the function."""

    name = "hard_correlation_match"
    cost = "moderate"
    refs = ("li2016convergent", "kuhn1955hungarian")
    chance = "above 0 and grows with d, as the best of many matchings"

    def compare(self, p: Units, q: Units) -> Array:
        xp = _array.namespace(p.columns, q.columns)
        i, j = _linalg.best_assignment(p.columns.T @ q.columns)
        x, y = _array.take(p.columns, i, axis=1), _array.take(q.columns, j, axis=1)
        return xp.sum(x * y) / len(i)


def hard_correlation_match(x: Any, y: Any, /) -> Score:
    r"""Mean correlation between units of x and y that are matched one to one.

    .. math::

        s = \frac{1}{\min(d_1, d_2)} \max_\pi \sum_i
            \mathrm{corr}(x_i, y_{\pi(i)})

    where

    - :math:`x_i` and :math:`y_j` are the columns of x and y that vary, d1 and d2 of
      them;
    - :math:`\pi` matches all columns of the narrower side with different columns of the
      wider side; the best is found exactly, by the Hungarian method.

    The correlation of a column that does not vary is undefined. Such columns are
    dropped, and `details` reports how many.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1]. For unrelated units it is higher than a single correlation, because
        it is the best of many matchings.

    Notes
    -----
    Invariant to permutations, positive scaling and translation of the columns of either
    side. Symmetric.

    Not to be confused with: soft correlation match, where units may share a match;
    G_ReLU Procrustes, where unmatched units of the wider side also count.

    Raises
    ------
    Undefined
        If all rows of x, or all rows of y, are equal.

    References
    ----------
    li2016convergent, kuhn1955hungarian

    Examples
    --------
    Both units of x correlate with the same unit of y, and only one can be matched:

    >>> from similitude import soft_correlation_match
    >>> x = [[1, 1], [1, 1], [-1, -1], [-1, -1]]
    >>> y = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    >>> round(float(hard_correlation_match(x, y)), 6)  # (1 + 0) / 2
    0.5
    >>> round(float(soft_correlation_match(x, y)), 6)  # (1 + 1) / 2
    1.0
    """
    return HardCorrelationMatch()(x, y)
