"""Soft matching: optimal transport between units."""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._validate import Positive, points
from ...errors import InvalidInput, Undefined, require
from ...transformations import UNITS, Group
from .._claims import Alias, Claims
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
    refs = ("khosla2024soft", "kapoor2026partial", "flamary2021pot")
    aliases = (Alias("partial_soft_matching", {"mass": 0.5}),)

    normalize: Literal["columns", "none"] = "columns"
    mass: Positive = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mass > 1:
            raise InvalidInput(f"mass is a share of the units; got {self.mass} > 1.")

    def claims(self) -> Claims:
        # Two plans may leave out different units of the side between them.
        triangle = True if self.mass == 1 else None
        if self.normalize == "none":
            return Claims(
                kind="distance",
                range=(0.0, math.inf),
                triangle=triangle,
                invariant=frozenset({Group.PERMUTATION}),
            )
        return Claims(
            on_device=True,
            kind="distance",
            range=(0.0, 2.0),
            triangle=triangle,
            invariant=UNITS,
            chance="below the root of 2",
        )

    def prepare(self, x: Any, seed: Any = None) -> Units:
        _transport()
        if self.normalize == "columns":
            return super().prepare(x, seed)
        x = _linalg.widened(_linalg.balanced(points(x)))
        return Units(x.values, np.arange(x.d), x.d, x.unit)

    def compare(self, p: Units, q: Units) -> Array:
        x, y, unit = _in_one_unit(p, q)
        xp = _array.namespace(x, y)
        plan = self._plan(x, y)
        # The plan is an optimum, so gradients treat it as a constant. It is sparse, so
        # differences are affordable; they resolve distances that 2 - 2 cos cannot.
        i, j = np.nonzero(plan)
        moved = _array.take(x, i, axis=1) - _array.take(y, j, axis=1)
        shares = _array.from_numpy(plan[i, j], x)
        distance = _linalg.safe_sqrt(xp.sum(shares * moved**2) / self.mass)
        return distance if unit == 1 else _linalg.in_unit(distance, unit)

    def _plan(self, x: Array, y: Array) -> np.ndarray:
        if self.mass == 1:
            return _plan(1.0 - self._similarities(x, y))
        cost = self._costs(x, y)
        return _partial_plan(cost / (cost.max() or 1.0), self.mass)

    def _costs(self, x: Array, y: Array) -> np.ndarray:
        """Squared distances of columns."""
        if self.normalize == "columns":
            return np.maximum(2.0 - 2.0 * self._similarities(x, y), 0.0)
        a, b = (_array.to_numpy(_array.stop_gradient(v)) for v in (x, y))
        middle = a.mean(axis=1, keepdims=True)  # a common shift; it saves digits
        return np.asarray(_linalg.squared_distances((a - middle).T, (b - middle).T))

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
        """Dead units; with a mass below 1, units in order and how many are matched.

        Units that are matched with a larger share come first. Of equal shares, the
        nearest come first.
        """
        found = super().details(p, q) if self.normalize == "columns" else {}
        if self.mass == 1:
            return found
        x, y, _ = _in_one_unit(p, q)
        plan, cost = self._plan(x, y), self._costs(x, y)
        for side, units, axis in (("x", p, 1), ("y", q, 0)):
            share = np.round(plan.sum(axis) * plan.shape[1 - axis], 9)
            far = (plan * cost).sum(axis) / np.where(share > 0, share, 1.0)
            far = np.where(share > 0, far, cost.min(axis))
            found[f"units_{side}"] = units.alive[np.lexsort((far, -share))].tolist()
            found[f"matched_{side}"] = int(np.count_nonzero(share))
        return found


def _transport() -> Any:
    return require("ot", feature="soft_matching", extra="ot")


def _in_one_unit(p: Units, q: Units) -> tuple[Array, Array, float]:
    """Columns of both sides in the larger of their units."""
    unit = max(p.unit, q.unit)
    x, y = (
        v.columns * (v.unit / unit) if v.unit != unit else v.columns for v in (p, q)
    )
    return x, y, unit


def _partial_plan(cost: np.ndarray, mass: float) -> np.ndarray:
    """The plan that moves `mass` at the lowest cost.

    The rest of both sides goes to a unit that is added to the other side, for nothing.
    """
    wide = np.pad(cost, ((0, 1), (0, 1)))
    wide[-1, -1] = 2 * cost.max() + 1  # never worth its cost
    return _plan(wide, 1 - mass)[:-1, :-1]


def _plan(cost: np.ndarray, rest: float = 0.0) -> np.ndarray:
    """The cheapest plan with uniform weights; with a rest, the last unit has it."""
    sides = []
    for d in cost.shape:
        d = d - 1 if rest else d
        sides.append(np.append(np.full(d, 1 / d), [rest] if rest else []))
    cost = np.ascontiguousarray(cost, dtype=np.float64)
    plan, log = _transport().emd(*sides, cost, numItermax=_PIVOTS, log=True)
    if log["warning"] is not None:
        raise Undefined(f"optimal transport did not finish: {log['warning']}")
    return plan


def soft_matching(
    x: Any,
    y: Any,
    /,
    *,
    normalize: Literal["columns", "none"] = "columns",
    mass: float = 1.0,
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

    With ``mass=m`` below 1, only the share m of the units is matched, the one that is
    nearest: :math:`T 1 \le \tfrac{1}{d_1} 1`, :math:`T' 1 \le \tfrac{1}{d_2} 1` and
    :math:`1' T 1 = m`. The sum is divided by m: it is the mean over matched units.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.
    normalize
        ``"columns"``: columns without their means, at unit norm. ``"none"``: the raw
        columns, as published, neither centered nor scaled. Dead units then count too.
    mass
        Share of the units to match, above 0 and at most 1. Below 1, `details` has
        ``units_x`` and ``units_y``, the numbers of the units from the best matched to
        the worst, and the number of matched units of each side.

    Returns
    -------
    0-d array of the caller's library
        In [0, 2]; at least 0 for raw columns, in the unit of the caller.

    Notes
    -----
    Invariant to permutations, positive scaling and translation of the columns of either
    side; with ``normalize="none"`` to permutations only. A metric between sets of units
    of any sizes; with a mass below 1 not a metric. Needs the extra ``ot``.

    Not to be confused with: soft correlation match, where each unit takes its best
    match and several may share one; permutation Procrustes, which pads with zeros.

    Raises
    ------
    Undefined
        If all rows of x, or all rows of y, are equal and columns are normalized.

    References
    ----------
    khosla2024soft, kapoor2026partial, flamary2021pot

    Examples
    --------
    One unit against itself and an uncorrelated unit: half of it moves by the root of 2.

    >>> a, b = [1, 1, -1, -1], [1, -1, 1, -1]
    >>> both, one = list(zip(a, b)), [[v] for v in a]
    >>> round(float(soft_matching(both, one)), 6)
    1.0
    >>> round(float(soft_matching(both, one, mass=0.5)), 6)  # the other half stays
    0.0
    """
    return SoftMatching(normalize=normalize, mass=mass)(x, y)
