"""Soft matching: optimal transport between units."""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ... import _array, _linalg
from ..._array import Array, Score
from ..._validate import points
from ...errors import Undefined, require
from ...transformations import UNITS, Group
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

    normalize: Literal["columns", "none"] = "columns"

    def claims(self) -> Claims:
        if self.normalize == "none":
            return Claims(
                kind="distance",
                range=(0.0, math.inf),
                triangle=True,
                invariant=frozenset({Group.PERMUTATION}),
            )
        return Claims(
            on_device=True,
            kind="distance",
            range=(0.0, 2.0),
            triangle=True,
            invariant=UNITS,
            chance="below the root of 2",
        )

    def prepare(self, x: Any, seed: Any = None) -> Units:
        _transport()
        if self.normalize == "columns":
            return super().prepare(x, seed)
        x = _linalg.widened(_linalg.balanced(points(x)))
        return Units(x.values, 0, x.unit)

    def compare(self, p: Units, q: Units) -> Array:
        unit = max(p.unit, q.unit)
        x, y = (
            v.columns * (v.unit / unit) if v.unit != unit else v.columns for v in (p, q)
        )
        xp = _array.namespace(x, y)
        plan = _plan(self._similarities(x, y))
        # The plan is an optimum, so gradients treat it as a constant. It is sparse, so
        # differences are affordable; they resolve distances that 2 - 2 cos cannot.
        i, j = np.nonzero(plan)
        moved = _array.take(x, i, axis=1) - _array.take(y, j, axis=1)
        shares = _array.from_numpy(plan[i, j], x)
        distance = _linalg.safe_sqrt(xp.sum(shares * moved**2))
        return distance if unit == 1 else _linalg.in_unit(distance, unit)

    def _similarities(self, x: Array, y: Array) -> np.ndarray:
        """Products of columns. The best plan maximizes their weighted sum.

        The squared norms of the columns do not matter, because the plan uses every
        column completely.
        """
        if self.normalize == "columns":
            return _array.to_numpy(x.T @ y)
        a, b = (_array.to_numpy(_array.stop_gradient(v)) for v in (x, y))
        middle = a.mean(axis=1, keepdims=True)  # a common shift; it saves digits
        products = (a - middle).T @ (b - middle)
        return products / (np.abs(products).max() or 1.0)

    def details(self, p: Units, q: Units) -> dict[str, Any]:
        return super().details(p, q) if self.normalize == "columns" else {}


def _transport() -> Any:
    return require("ot", feature="soft_matching", extra="ot")


def _plan(similarities: np.ndarray) -> np.ndarray:
    """The transport plan with uniform weights and the largest similarity."""
    d1, d2 = similarities.shape
    a, b = np.full(d1, 1 / d1), np.full(d2, 1 / d2)
    cost = np.ascontiguousarray(1.0 - similarities, dtype=np.float64)
    plan, log = _transport().emd(a, b, cost, numItermax=_PIVOTS, log=True)
    if log["warning"] is not None:
        raise Undefined(f"optimal transport did not finish: {log['warning']}")
    return plan


def soft_matching(
    x: Any, y: Any, /, *, normalize: Literal["columns", "none"] = "columns"
) -> Score:
    r"""Distance between the units of two representations, matched by optimal transport.

    .. math::

        d = \Big( \min_{T} \sum_{ij} T_{ij} \|x_i - y_j\|^2 \Big)^{1/2},
        \qquad T \ge 0, \quad T 1 = \tfrac{1}{d_1} 1, \quad T' 1 = \tfrac{1}{d_2} 1

    where

    - :math:`x_i` and :math:`y_j` are the columns of x and y, with their means removed
      and scaled to unit norm, so that :math:`\|x_i - y_j\|^2 = 2 - 2` times their
      correlation (``normalize="none"``: the raw columns);
    - T, d1 x d2, tells how much of each unit of x is matched with each unit of y. For
      equal widths a permutation is optimal.

    Columns that do not vary are dropped, and `details` reports how many.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.
    normalize
        ``"columns"``: columns without their means, at unit norm. ``"none"``: the raw
        columns, as published, neither centered nor scaled. Dead units then count too.

    Returns
    -------
    0-d array of the caller's library
        In [0, 2]; at least 0 for raw columns, in the unit of the caller.

    Notes
    -----
    Invariant to permutations, positive scaling and translation of the columns of either
    side; with ``normalize="none"`` to permutations only. A metric between sets of units
    of any sizes. Needs the extra ``ot``.

    Not to be confused with: soft correlation match, where each unit takes its best
    match and several may share one; permutation Procrustes, which pads with zeros.

    Raises
    ------
    Undefined
        If all rows of x, or all rows of y, are equal and columns are normalized.

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
    return SoftMatching(normalize=normalize)(x, y)
