r"""How far a score may move if the few rows that carry it were more, or fewer.

If k of n rows belong to a rare kind of stimuli, the share of this kind may well be
three times k / n. A jackknife is linear: it leaves out rows one by one, and does not
see how the score would change with three times as many. Here rows get other weights
w_i instead of 1 / n, and the score of the reweighted rows is computed. The interval of
empirical likelihood (Owen) contains the scores of all weights with

.. math:: -2 \sum_i \log(n w_i) \le t^2

where t is Student's quantile: that of the jackknife, or of few degrees of freedom if
tails are heavy, because a sample rarely contains the largest rows of its population.
For k rows of one kind, the extreme weights are the ends of the likelihood interval of a
binomial share.

The weights that maximize a score are w_i = a / (b - c_i), where c_i is the derivative
of the score by w_i. It depends on the weights, so a few steps are made. A score may
have its minimum at the observed share, where the derivatives vanish. So the search also
starts at weights that favor the rows with the largest load, and the others.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from ..measures import Measure, Weighed
from ._heavy_tails import Reach
from ._jackknife import GROUPS, quantile

# Below this share of effective rows, rows are reweighted. Samples of 20 or more normal
# rows are below in 3 %, and samples of 100 rows never.
FEW_ROWS = 0.75
# Below this share, tails are so heavy that scores that fall with n fall far. The lower
# end of log-normal rows was up to 6 standard errors away in 97.5 % of samples.
_HEAVY, _HEAVY_REACH, _HEAVY_DEGREES = 0.5, 7.0, 5
_MOST_UNITS = 300  # rows or blocks that get their own weight
_STEPS, _STEP = 5, 0.6


@dataclass(frozen=True)
class FewRows:
    """How few rows carry a score, and how far it may move, on Fisher's scale.

    `share` is the effective share of rows, `below` and `above` are distances.
    """

    share: float
    below: float = 0.0
    above: float = 0.0


EVEN = FewRows(1.0)


def with_few_rows(
    found: Reach, few: FewRows, n: float, error: float, *, of_difference: bool = False
) -> Reach:
    """The reach of an interval that also contains the scores of other weights.

    Scores of heavy-tailed rows fall with n; a difference of two may also rise.
    """
    below, above = few.below / error, few.above / error
    if few.share < _HEAVY and found.bias > 0:
        below = max(below, _HEAVY_REACH)
    if few.share < _HEAVY and found.bias < 0 and of_difference:
        above = max(above, _HEAVY_REACH)
    if below <= found.below and above <= found.above and not found.signs:
        return found
    signs = f"the rows are worth {few.share * n:.2g} of {n:.0f} even ones"
    return replace(
        found,
        below=max(below, found.below),
        above=max(above, found.above),
        signs="; ".join(filter(None, [signs, found.signs])),
    )


class Score(Protocol):
    """`Reweighted`, or a difference of two."""

    @property
    def rows(self) -> np.ndarray: ...
    @property
    def merged(self) -> object: ...
    def __call__(self, weights: np.ndarray, rest: float = 0.0) -> Weighed: ...
    def keeping(self, kept: np.ndarray) -> "Score": ...
    def centers(self, load: np.ndarray) -> tuple[float, float]: ...


def fisher(score: float) -> float:
    """2 artanh sqrt(score), finite at 1."""
    return 2 * math.atanh(math.sqrt(min(max(score, 0.0), 1 - 1e-12)))


@dataclass(frozen=True, eq=False)
class _Units:
    """Rows or blocks with one weight each, and the merged rest as the last unit."""

    score: Score
    labels: np.ndarray  # the unit of each row of `score`
    counts: np.ndarray  # independent draws per unit: 1, and the number of merged ones
    sizes: np.ndarray  # rows per draw

    def weigh(self, shares: np.ndarray) -> tuple[float, np.ndarray]:
        """The score, and its derivative by the share of a draw of each unit."""
        total = np.sum(shares * self.sizes)
        each = shares / self.counts / total
        merged = self.score.merged is not None
        found = self.score(each[self.labels], shares[-1] * self.sizes[-1] / total)
        change = np.bincount(self.labels, found.change)
        if merged:  # the weighted sum of all changes is 0
            last = -np.sum(shares[:-1] * change) / shares[-1]
            change = np.append(change, last)
        return found.score, change


def few_rows(
    measure: Measure,
    x: Callable[[], Any],
    y: Callable[[], Any],
    share: float,
    blocks: np.ndarray | None = None,
) -> FewRows:
    """How far the score may move, if `share` shows that few rows carry it.

    `x` and `y` load the representations; they are called only if they are needed.
    """
    coverage = measure.claims().interval
    score = None
    if coverage is not None and share < FEW_ROWS:
        score = coverage.reweighted(x(), y())
    if score is None:
        return FewRows(share)
    return moved(score, share, blocks, fisher)


def moved(
    score: Score,
    share: float,
    blocks: np.ndarray | None,
    scale: Callable[[float], float] = float,
) -> FewRows:
    """How far the score moves within the budget of weights, on this scale."""
    n = len(score.rows)
    labels = np.arange(n)
    if blocks is not None:
        labels = np.unique(blocks, return_inverse=True)[1]
    whole = score(np.full(n, 1 / n))
    degrees = _HEAVY_DEGREES if share < _HEAVY else GROUPS - 1
    budget = quantile(0.975, degrees) ** 2
    low, high, error = _extremes(score, whole, labels, budget)
    center = scale(whole.score)
    noise = [scale(whole.score + side * error) - center for side in (-1, 1)]
    below = math.hypot(center - scale(low), noise[0])
    above = math.hypot(scale(high) - center, noise[1])
    if blocks is None:
        given, other = score.centers(whole.load)
        apart = scale(other) - scale(given)
        below, above = below + max(-apart, 0.0), above + max(apart, 0.0)
    return FewRows(share, below, above)


def _extremes(
    score: Score, whole: Weighed, labels: np.ndarray, budget: float
) -> tuple[float, float, float]:
    """The extreme scores, and the error that is due to merged units."""
    n = len(labels)
    change, load = (np.bincount(labels, v) for v in (whole.change, whole.load))
    weight = load / np.mean(load) + np.abs(change) / (np.std(change) or 1.0)
    chosen = np.sort(np.argsort(-weight, kind="stable")[:_MOST_UNITS])
    kept, rest = np.isin(labels, chosen), len(change) - len(chosen)
    own = np.searchsorted(chosen, labels[kept])
    counts, sizes = np.ones(len(chosen)), np.bincount(own).astype(float)
    loads, error = load[chosen], 0.0
    if rest:
        others = np.setdiff1d(np.arange(len(change)), chosen)
        counts, sizes = np.append(counts, rest), np.append(sizes, np.sum(~kept) / rest)
        loads = np.append(loads, np.mean(load[others]))
        error = math.sqrt(budget * rest) * float(np.std(change[others])) / n
    units = _Units(score.keeping(kept), own, counts, sizes)
    starts = [counts / np.sum(counts)]
    starts += [_tilted(sign * loads, counts, budget) for sign in (1, -1)]
    found = [
        _extreme(units, sign, start, budget) for sign in (-1, 1) for start in starts
    ]
    return min(found[:3]), max(found[3:]), error


def _extreme(units: _Units, sign: int, shares: np.ndarray, budget: float) -> float:
    """The smallest or the largest score within the budget of weights."""
    found = []
    for _ in range(_STEPS):
        value, change = units.weigh(shares)
        found.append(value)
        best = _tilted(sign * change, units.counts, budget)
        shares = (1 - _STEP) * shares + _STEP * best
    found.append(units.weigh(shares)[0])
    return max(found) if sign > 0 else min(found)


def _tilted(change: np.ndarray, counts: np.ndarray, budget: float) -> np.ndarray:
    """Shares that raise sum(share * change) most within the budget."""
    total = np.sum(counts)
    mean = np.sum(counts * change) / total
    spread = math.sqrt(np.sum(counts * (change - mean) ** 2) / total)
    if spread == 0:
        return counts / total
    gap = (np.max(change) - change) / spread
    low, high = -20.0, 12.0
    for _ in range(30):
        middle = (low + high) / 2
        values = gap + math.exp(middle)
        used = np.sum(counts * np.log(values))
        used += total * math.log(np.sum(counts / values) / total)
        low, high = (middle, high) if 2 * used > budget else (low, middle)
    weights = counts / (gap + math.exp(high))
    return weights / np.sum(weights)
