"""Correlations of matched units: one to one, or each with its best."""

from dataclasses import dataclass
from typing import Any

from ... import _array, _linalg
from ..._array import Array
from ...transformations import UNITS
from .._claims import Claims
from ._base import UnitMeasure, Units

__all__ = [
    "HardCorrelationMatch",
    "SoftCorrelationMatch",
    "hard_correlation_match",
    "soft_correlation_match",
]


@dataclass(frozen=True, kw_only=True)
class HardCorrelationMatch(UnitMeasure):
    """Mean correlation of units matched one to one; see the function."""

    name = "hard_correlation_match"
    cost = "moderate"
    refs = ("li2016convergent", "kuhn1955hungarian")

    def claims(self) -> Claims:
        return Claims(
            kind="similarity",
            range=(-1.0, 1.0),
            symmetric=True,
            invariant_x=UNITS,
            invariant_y=UNITS,
            chance="above 0, and grows with d: the best of many matchings",
        )

    def compare(self, p: Units, q: Units) -> Array:
        xp = _array.namespace(p.columns, q.columns)
        i, j = _linalg.best_assignment(p.columns.T @ q.columns)
        x, y = _array.take(p.columns, i, axis=1), _array.take(q.columns, j, axis=1)
        return xp.sum(x * y) / len(i)


@dataclass(frozen=True, kw_only=True)
class SoftCorrelationMatch(UnitMeasure):
    """Mean over units of x of the best correlation in y; see the function."""

    name = "soft_correlation_match"
    refs = ("li2016convergent",)

    def claims(self) -> Claims:
        return Claims(
            kind="similarity",
            range=(-1.0, 1.0),
            symmetric=False,
            invariant_x=UNITS,
            invariant_y=UNITS,
            chance="above 0, and grows with the width of y: the best of many",
        )

    def compare(self, p: Units, q: Units) -> Array:
        correlations = p.columns.T @ q.columns
        xp = _array.namespace(correlations)
        return xp.mean(xp.max(correlations, axis=1))


def hard_correlation_match(x: Any, y: Any, /) -> Array:
    r"""Mean correlation between units of x and y that are matched one to one.

    .. math::

        s = \frac{1}{\min(d_1, d_2)} \max_\pi \sum_i
            \mathrm{corr}(x_i, y_{\pi(i)})

    where

    - :math:`x_i` and :math:`y_j` are the columns of x and y that vary, d1 and d2 of
      them;
    - :math:`\pi` matches all columns of the narrower side with different ones of the
      wider; the best is found exactly, by the Hungarian method.

    Columns that do not vary have no correlation. They are dropped, and `details` says
    how many.

    Parameters
    ----------
    x, y
        n x d1 and n x d2, rows the same n stimuli; arrays of one library.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1]; above what a single correlation would be for unrelated units, since
        it is the best of many matchings.

    Notes
    -----
    Invariant to permutations, positive scaling and translation of the columns of either
    side. Symmetric.

    Not to be confused with: soft correlation match, where units may share a match;
    G_ReLU Procrustes, where units of the wider side that are left over count.

    Raises
    ------
    Undefined
        For constant rows.

    References
    ----------
    li2016convergent, kuhn1955hungarian

    Examples
    --------
    Both units of x are nearest to the same unit of y, and only one of them can have it:

    >>> x = [[1, 1], [1, 1], [-1, -1], [-1, -1]]
    >>> y = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    >>> round(float(hard_correlation_match(x, y)), 6)  # (1 + 0) / 2
    0.5
    >>> round(float(soft_correlation_match(x, y)), 6)  # (1 + 1) / 2
    1.0
    """
    return HardCorrelationMatch()(x, y)


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
