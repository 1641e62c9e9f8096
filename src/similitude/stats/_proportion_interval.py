"""The binomial interval of a proportion of stimuli; it needs no resampling."""

import math

import numpy as np

from ..errors import Undefined
from ._correlation_interval import JackknifeScores
from ._jackknife import Interval, interval, quantile


def share_interval(scores: JackknifeScores, *, level: float = 0.95) -> Interval:
    """The mid-P binomial interval, valid even if the count is small or 0.

    A Student interval has zero width for a count of 0, and covers 86 % for an expected
    count of 5. The mid-P interval contains the rates for which the count is in neither
    tail; half of the probability of the count itself belongs to the tail. For rows in
    blocks, the number of rows is replaced by the smaller number of independent rows
    with the same error (Korn and Graubard).
    """
    share, rows = scores.score, float(np.sum(scores.group_sizes.sizes))
    method = "binomial, mid-P"
    if scores.group_sizes.in_blocks:
        groups = len(scores.without_one)
        rows = _independent_rows(scores, rows)
        normal = quantile(0.5 + level / 2, 10**9)
        rows *= (normal / quantile(0.5 + level / 2, groups - 1)) ** 2
        method += f", {groups} groups"
    low, high = _mid_p(share * rows, rows, (1 - level) / 2)
    return Interval(low, high, math.sqrt(share * (1 - share) / rows), method)


def sample_interval(
    scores: np.ndarray, n: int, limits: tuple[float, float], *, level: float = 0.95
) -> Interval:
    """The interval of the mean over n stimuli, from the scores of a random sample.

    It is a mid-P interval with as many rows as a share with the same error would have.
    A Student interval would have zero width if all scores of the sample are equal.

    Parameters
    ----------
    scores
        Scores of m stimuli, drawn without replacement.
    n
        The number of all stimuli.
    limits
        The range of a score.
    """
    m, (lowest, highest) = len(scores), limits
    if m < 2 or n < m:
        raise Undefined(f"an interval needs 2 to {n} sampled stimuli; there are {m}.")
    width = highest - lowest
    shares = (np.asarray(scores, dtype=np.float64) - lowest) / width
    share, variance = float(np.mean(shares)), float(np.var(shares, ddof=1))
    method = f"sample of {m:,} of {n:,} stimuli"
    if m == n:
        return Interval(float(np.mean(scores)), float(np.mean(scores)), 0.0, method)
    rows = m / (1 - m / n)  # the finite population correction
    error = math.sqrt(variance / rows)
    normal, student = (quantile(0.5 + level / 2, df) for df in (10**9, m - 1))
    if variance > 0:
        rows *= max(1.0, share * (1 - share) / variance)
    low, high = _mid_p(share * rows, rows, (1 - level) / 2)
    ratio = student / normal
    low, high = (share + (end - share) * ratio for end in (low, high))
    low, high = (lowest + width * min(max(end, 0.0), 1.0) for end in (low, high))
    return Interval(low, high, width * error, method)


def neighbor_interval(
    score: float, without_each: np.ndarray, *, level: float = 0.95
) -> Interval:
    """The interval of a share of common neighbors, from its values without each row.

    A stimulus has its own score and is a neighbor of others, so the scores of single
    stimuli are not independent. The variance of the jackknife is never too small on
    average (Efron and Stein); for neighbors it is too large, and so is the interval.
    The mid-P interval of as many independent rows is valid near 0 and 1 too.
    """
    n = len(without_each)
    variance = float((n - 1) / n * np.sum((without_each - np.mean(without_each)) ** 2))
    rows = score * (1 - score) / variance if variance and 0 < score < 1 else n
    rows *= (quantile(0.5 + level / 2, 10**9) / quantile(0.5 + level / 2, n - 1)) ** 2
    low, high = _mid_p(score * rows, rows, (1 - level) / 2)
    method = "jackknife of single stimuli, mid-P, for the expected score at this n"
    return Interval(min(low, score), max(high, score), math.sqrt(variance), method)


def _independent_rows(scores: JackknifeScores, rows: float) -> float:
    """The number of independent rows with the same error.

    The design effect (rows per independent row) is at least 1 and at most its value if
    each block counted as one row. It is shrunk toward that maximum, with the weight of
    half a group: if the labels differ in only one or two groups, the similarity of
    rows within a block cannot be estimated.
    """
    largest, sizes = rows / scores.group_sizes.effective_rows, scores.group_sizes.sizes
    differ = rows * scores.score - (rows - sizes) * scores.without_one
    seen = min(np.sum(differ > 0.5), np.sum(differ < sizes - 0.5))
    if seen == 0:
        return scores.group_sizes.effective_rows
    error = interval(scores.score, scores.without_one, sizes=sizes.tolist()).error
    ratio = rows * error**2 / (scores.score * (1 - scores.score))
    ratio = min(max(ratio, 1.0), largest)
    return rows * (seen + 0.5) / (seen * ratio + 0.5 * largest)


def _mid_p(count: float, rows: float, tail: float) -> tuple[float, float]:
    """The rates at which the lower and the upper mid-P tail of a count equal `tail`."""
    import scipy  # not scipy.optimize, which takes longer to import than to use

    has_failures = rows - count > 1e-9 * rows
    count = count if count > 1e-9 * rows else 0.0
    low, high = np.zeros(2), np.ones(2)
    for _ in range(60):
        rate = (low + high) / 2
        # P(more than the count) + P(the count) / 2; `count` may be fractional
        above = scipy.special.betainc(count, rows - count + 1, rate) if count else 1
        if has_failures:
            above = above + scipy.special.betainc(count + 1, rows - count, rate)
        smaller = above / 2 < np.array([tail, 1 - tail])
        low, high = np.where(smaller, rate, low), np.where(smaller, high, rate)
    return float(low[0]) if count else 0.0, float(high[1]) if has_failures else 1.0
