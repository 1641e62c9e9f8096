r"""Intervals of CKA and R^2 on a variance-stabilizing scale.

Both behave like squared correlations: their error is small near 0 and near 1. An
interval that assumes a constant error is too short on the side where the error grows.
Fisher's transformation of a correlation stabilizes the error. The shift is how far
below 0 chance alone can move an unbiased estimate. On the scale of the score itself
the jackknife covers 99.8 % for a CKA of 0, 84 to 92 % for R^2, and as little as 5 %
with blocks.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import Undefined
from ._few_rows import EVEN, FEW_ROWS, FewRows, with_few_rows
from ._heavy_tails import reach
from ._jackknife import Interval

__all__ = ["GroupSizes", "JackknifeScores", "shifted_interval"]

_ROUNDING = 1e-12  # scores this close to 1 are treated as 1
# Near 1 the scale is a logarithm of 1 - score. The lower end is at most 3 times as many
# standard errors of the score itself below it, or 100 times 1 - score but not more than
# 0.1, or 12 times. In benchmarks/near_one.py, this costs no coverage.
_FREE, _FREE_NEAR, _NEAR, _FURTHER = 12.0, 100.0, 0.1, 3.0
# The share of the excess variance of the jackknife that is subtracted. Subtracting all
# of it is right on average, but the variance estimate is itself uncertain, more so if
# the excess is large. Intervals then cover as little as 88 %; without subtraction they
# cover up to 100 %. With this share they cover 93 to 99 % in the cases of
# benchmarks/interval_coverage.py.
_EXCESS_SHARE = 0.4


@dataclass(frozen=True, eq=False)
class GroupSizes:
    """Sizes of the jackknife groups and of the blocks in them.

    Attributes
    ----------
    sizes
        The number of rows in each group.
    squares
        For each group, the sum of the squared sizes of its blocks. If each row is its
        own block, this is the number of rows.
    """

    sizes: np.ndarray
    squares: np.ndarray

    @cached_property
    def in_blocks(self) -> bool:
        return bool(np.any(self.squares != self.sizes))

    @cached_property
    def effective_rows(self) -> float:
        """The equivalent number of independent rows: n^2 / sum of squares."""
        return float(np.sum(self.sizes)) ** 2 / float(np.sum(self.squares))


@dataclass(frozen=True, eq=False)
class JackknifeScores:
    """A score on all rows, and its values without some groups of rows.

    Attributes
    ----------
    score
        The score on all rows.
    without_one
        G scores, each without one group.
    without_two
        G // 2 scores, without groups 0 and 1, without 2 and 3, and so on.
    group_sizes
        The sizes of the groups and of their blocks.
    """

    score: float
    without_one: np.ndarray
    without_two: np.ndarray
    group_sizes: GroupSizes


def sum_pairs(sizes: np.ndarray) -> np.ndarray:
    """The sizes of groups 0 and 1 together, 2 and 3, ...; an odd last one is kept."""
    return np.add.reduceat(sizes, np.arange(0, len(sizes), 2))


def shifted_interval(
    scores: JackknifeScores, shift: float, *, few: FewRows = EVEN
) -> Interval:
    r"""Student's 95 % jackknife interval on the scale of w, transformed back.

    .. math:: w(s) = 2 \sqrt{1 + \delta}\,\mathrm{artanh}
              \sqrt{\frac{s + \delta}{1 + \delta}}

    where :math:`\delta` is the shift. For squared correlations, :math:`\delta` = 0 is
    Fisher's z. Near 0 the estimate has a quadratic part, which the jackknife counts
    twice. Leaving out two groups at once measures it (Efron and Stein):

    .. math:: c = \mathrm{mean}_{gh} \frac{[n w - (n - n_g) w_{(g)} - (n - n_h) w_{(h)}
              + (n - n_g - n_h) w_{(gh)}]^2}{2 n_g n_h}

    where the bracket vanishes for a linear estimate. Rows of one block are alike, so
    pairs of them look like structure. This bias is proportional to the sum of squared
    block sizes over n^2. With blocks, it is first subtracted from every score.

    The interval is wider than Student's if a few groups carry the error, if bias
    remains, or if a few rows carry the score (`few`); `widened` gives the numbers.
    """
    if not all(np.isfinite([scores.score, *scores.without_one, *scores.without_two])):
        raise Undefined("the score is undefined without one of the groups of rows.")
    if scores.group_sizes.in_blocks:
        scores = _without_block_bias(scores)
    sizes = scores.group_sizes.sizes
    n = float(np.sum(sizes))
    middle, one, two = (
        _transform(v, shift)
        for v in (scores.score, scores.without_one, scores.without_two)
    )
    h = n / sizes
    mean = np.sum((1 - 1 / h) * one) / np.sum(1 - 1 / h)
    variance = float(np.mean((h - 1) * (one - mean) ** 2))
    excess = excess_variance(middle, one, two, sizes)
    quadratic = excess / variance if variance > 0 else 0.0
    variance = max(variance - _EXCESS_SHARE * excess, variance / 2)
    error = math.sqrt(variance)
    found = reach(
        mean - one,
        bias=(len(one) - 1) * float(mean - middle) / error if error else 0.0,
        quadratic=quadratic,
        rows=scores.group_sizes.effective_rows,
    )
    if few.share < FEW_ROWS and error:
        found = with_few_rows(found, few, n, error)
    low = float(_transform_back(middle - found.below * error, shift))
    high = float(_transform_back(middle + found.above * error, shift))
    # One group may carry all of 1 - score; the logarithm without it is unbounded.
    rest = max(1 - scores.score, _ROUNDING)
    spread = math.sqrt(np.mean((h - 1) * (scores.without_one - scores.score) ** 2))
    free = max(_FREE * rest, min(_FREE_NEAR * rest, _NEAR))
    low = max(low, 1 - max(free, rest + _FURTHER * found.below * spread))
    high = 1.0 if scores.score > 1 - _ROUNDING else high
    slope = math.sqrt(max(scores.score + shift, 0.0)) * (1 - scores.score)
    method = f"jackknife, {len(one)} groups" + (", widened" if found.reason else "")
    return Interval(
        *(low, high, error * slope, method),
        widened=found.reason,
        corrected=float(scores.score),
    )


def excess_variance(
    middle: Any, one: np.ndarray, two: np.ndarray, sizes: np.ndarray
) -> float:
    """The variance that the jackknife counts twice: c of `shifted_interval`."""
    n, pairs = float(np.sum(sizes)), 2 * len(two)
    a, b = sizes[0:pairs:2], sizes[1:pairs:2]
    bracket = (n * middle - (n - a) * one[0:pairs:2] - (n - b) * one[1:pairs:2]) + (
        n - a - b
    ) * two
    return float(np.mean(bracket**2 / (2 * a * b)))


def _transform(score: np.ndarray | float, shift: float) -> np.ndarray:
    """w(s), written in terms of 1 - s to keep its digits near 1."""
    rest = np.maximum(1 - np.asarray(score, dtype=float), _ROUNDING)
    rest = np.minimum(rest / (1 + shift), 1.0)
    return math.sqrt(1 + shift) * np.log((1 + np.sqrt(1 - rest)) ** 2 / rest)


def _transform_back(w: np.ndarray | float, shift: float) -> np.ndarray:
    half = np.maximum(w, 0.0) / (2 * math.sqrt(1 + shift))
    return 1 - (1 + shift) / np.cosh(np.minimum(half, 300.0)) ** 2


def _without_block_bias(scores: JackknifeScores) -> JackknifeScores:
    """Subtract from each score the bias due to the blocks in its rows."""
    sizes, squares = scores.group_sizes.sizes, scores.group_sizes.squares
    n, total = float(np.sum(sizes)), float(np.sum(squares))
    rest, pairs = n - sizes, 2 * len(scores.without_two)
    everywhere, without = total / n**2, (total - squares) / rest**2
    twice = (total - sum_pairs(squares[:pairs])) / (n - sum_pairs(sizes[:pairs])) ** 2
    # With these weights, the linear part of the score cancels.
    slope = np.sum(rest * (scores.without_one - scores.score))
    slope /= np.sum(rest * (without - everywhere))
    return replace(
        scores,
        score=scores.score - slope * everywhere,
        without_one=scores.without_one - slope * without,
        without_two=scores.without_two - slope * twice,
    )
