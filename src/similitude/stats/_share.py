"""The interval of a share of stimuli: a count, so nothing has to be resampled."""

import math

import numpy as np

from ._jackknife import Interval, interval, quantile
from ._shifted import LeftOut


def share_interval(left: LeftOut, *, level: float = 0.95) -> Interval:
    """The mid-P binomial interval, which also holds where few or none differ.

    A Student interval is of no width where nothing differs, and where 5 are expected
    to it covers 86 %. This one asks for which rates the count, half of its
    own probability counted, is in neither tail. Where rows come in blocks, it is that
    of the smaller number of rows that would have the same error (Korn and Graubard).
    """
    share, rows = left.score, float(np.sum(left.worth.sizes))
    method = "binomial, mid-P"
    if left.worth.in_blocks:
        groups = len(left.one)
        rows = _effective_rows(left, rows)
        normal = quantile(0.5 + level / 2, 10**9)
        rows *= (normal / quantile(0.5 + level / 2, groups - 1)) ** 2
        method += f", {groups} groups"
    low, high = _mid_p(share * rows, rows, (1 - level) / 2)
    return Interval(low, high, math.sqrt(share * (1 - share) / rows), method)


def _effective_rows(left: LeftOut, rows: float) -> float:
    """How many independent rows would have this error; no fewer than blocks.

    The ratio of the two is drawn toward its largest value, a block being worth one
    row, as if half a group more had shown that: from one or two groups in which
    anything differs nothing is known of how alike the rows of a block are.
    """
    largest, sizes = rows / left.worth.rows, left.worth.sizes
    differ = rows * left.score - (rows - sizes) * left.one
    seen = min(np.sum(differ > 0.5), np.sum(differ < sizes - 0.5))
    if seen == 0:
        return left.worth.rows
    error = interval(left.score, left.one, sizes=sizes.tolist()).error
    ratio = rows * error**2 / (left.score * (1 - left.score))
    ratio = min(max(ratio, 1.0), largest)
    return rows * (seen + 0.5) / (seen * ratio + 0.5 * largest)


def _mid_p(count: float, rows: float, tail: float) -> tuple[float, float]:
    """Rates at which the mid-P tails of a count, of either side, are `tail`."""
    import scipy

    def above(rate: float) -> float:
        """P(more than the count) + P(the count) / 2, also between whole counts."""
        at_least = scipy.special.betainc(count, rows - count + 1, rate) if count else 1
        more = scipy.special.betainc(count + 1, rows - count, rate) if left else 0
        return float(at_least + more) / 2

    left = rows - count > 1e-9 * rows
    count = count if count > 1e-9 * rows else 0.0
    low = high = 0.0
    if count:
        low = scipy.optimize.brentq(lambda p: above(p) - tail, 0, 1, xtol=1e-12)
    high = 1.0
    if left:
        high = scipy.optimize.brentq(lambda p: above(p) - 1 + tail, 0, 1, xtol=1e-12)
    return float(low), float(high)
