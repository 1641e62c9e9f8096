"""Soft matching: optimal transport between units."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _array, _linalg
from ..._array import Array
from ...errors import Undefined, require
from ...transformations import UNITS
from .._claims import Claims
from ._base import UnitMeasure, Units

__all__ = ["SoftMatching", "soft_matching"]

# Far more pivots than a network simplex needs for thousands of units.
_PIVOTS = 100_000_000


@dataclass(frozen=True, kw_only=True)
class SoftMatching(UnitMeasure):
    """Transport distance between units; see `similitude.soft_matching`."""

    name = "soft_matching"
    cost = "moderate"
    extra = "ot"
    refs = ("khosla2024soft", "flamary2021pot")

    def claims(self) -> Claims:
        return Claims(
            kind="distance",
            range=(0.0, 2.0),
            triangle=True,
            invariant=UNITS,
            chance="below the root of 2",
        )

    def prepare(self, x: Any, seed: Any = None) -> Units:
        _transport()
        return super().prepare(x, seed)

    def compare(self, p: Units, q: Units) -> Array:
        x, y = p.columns, q.columns
        xp = _array.namespace(x, y)
        plan = _plan(_array.to_numpy(x.T @ y))
        # The plan is an optimum, so gradients treat it as a constant. It is sparse, so
        # differences are affordable; they resolve distances that 2 - 2 cos cannot.
        i, j = np.nonzero(plan)
        moved = _array.take(x, i, axis=1) - _array.take(y, j, axis=1)
        shares = _array.from_numpy(plan[i, j], x)
        return _linalg.safe_sqrt(xp.sum(shares * moved**2))


def _transport() -> Any:
    return require("ot", feature="soft_matching", extra="ot")


def _plan(correlations: np.ndarray) -> np.ndarray:
    """The transport plan with uniform weights and least cost 2 - 2 correlations."""
    d1, d2 = correlations.shape
    a, b = np.full(d1, 1 / d1), np.full(d2, 1 / d2)
    cost = np.ascontiguousarray(1.0 - correlations, dtype=np.float64)
    plan, log = _transport().emd(a, b, cost, numItermax=_PIVOTS, log=True)
    if log["warning"] is not None:
        raise Undefined(f"optimal transport did not finish: {log['warning']}")
    return plan


def soft_matching(x: Any, y: Any, /) -> Array:
    r"""Distance between the units of two representations, matched by optimal transport.

    .. math::

        d = \Big( \min_{T} \sum_{ij} T_{ij} \|x_i - y_j\|^2 \Big)^{1/2},
        \qquad T \ge 0, \quad T 1 = \tfrac{1}{d_1} 1, \quad T' 1 = \tfrac{1}{d_2} 1

    where

    - :math:`x_i` and :math:`y_j` are the columns of x and y, with their means removed
      and scaled to unit norm, so that :math:`\|x_i - y_j\|^2 = 2 - 2` times their
      correlation;
    - T, d1 x d2, tells how much of each unit of x is matched with each unit of y. For
      equal widths a permutation is optimal.

    Columns that do not vary are dropped, and `details` reports how many.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.

    Returns
    -------
    0-d array of the caller's library
        In [0, 2].

    Notes
    -----
    Invariant to permutations, positive scaling and translation of the columns of either
    side; a metric between sets of units of any sizes. Needs the extra ``ot``.

    Not to be confused with: soft correlation match, where each unit takes its best
    match and several may share one; permutation Procrustes, which pads with zeros.

    Raises
    ------
    Undefined
        If all rows of x, or all rows of y, are equal.

    References
    ----------
    khosla2024soft, flamary2021pot

    Examples
    --------
    One unit against itself and an uncorrelated unit: half of it moves by the root of 2.

    >>> a, b = [1, 1, -1, -1], [1, -1, 1, -1]
    >>> both, one = list(zip(a, b)), [[v] for v in a]
    >>> round(float(soft_matching(both, one)), 6)
    1.0
    """
    return SoftMatching()(x, y)
