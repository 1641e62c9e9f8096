"""Mid-P intervals equal their definition by binomial tails, and their formulas."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import betainc
from scipy.stats import binom, norm
from scipy.stats import t as student

from similitude import Undefined
from similitude.stats._correlation_interval import GroupSizes, JackknifeScores
from similitude.stats._jackknife import interval
from similitude.stats._proportion_interval import (
    _mid_p,
    neighbor_interval,
    sample_interval,
    share_interval,
)

Z = norm.ppf(0.975)


@pytest.mark.parametrize("tail", [0.025, 0.1])
@pytest.mark.parametrize(("count", "rows"), [(1, 8), (3, 8), (7, 8), (40, 100)])
def test_tails_of_a_count_equal_the_level(count: int, rows: int, tail: float) -> None:
    low, high = _mid_p(count, rows, tail)
    for found, rate in (
        (binom.sf(count, rows, low), low),
        (binom.cdf(count - 1, rows, high), high),
    ):
        total = found + binom.pmf(count, rows, rate) / 2
        np.testing.assert_allclose(total, tail, rtol=1e-9)


@pytest.mark.parametrize("rows", [2.5, 50, 1000, 1e6])
@pytest.mark.parametrize("share", [0.001, 0.3, 0.5, 0.9])
def test_ends_equal_the_roots_of_brentq(rows: float, share: float) -> None:
    count, tail = share * rows, 0.025

    def above(rate: float) -> float:
        parts = (count, rows - count + 1), (count + 1, rows - count)
        return sum(float(betainc(*part, rate)) for part in parts) / 2

    expected = [
        brentq(lambda rate, level=level: above(rate) - level, 0, 1, xtol=1e-15)
        for level in (tail, 1 - tail)
    ]
    np.testing.assert_allclose(_mid_p(count, rows, tail), expected, rtol=0, atol=1e-12)


def test_ends_of_no_and_of_all_rows() -> None:
    end = (2 * 0.025) ** (1 / 9)
    np.testing.assert_allclose(_mid_p(0, 9, 0.025), (0, 1 - end), rtol=1e-10)
    np.testing.assert_allclose(_mid_p(9, 9, 0.025), (end, 1), rtol=1e-10)
    # A count within rounding of a whole number is that number.
    assert _mid_p(9e-10, 1.0, 0.025)[0] == 0.0
    assert _mid_p(1e-9, 90.0, 0.025)[0] == 0.0
    assert _mid_p(1 - 9e-10, 1.0, 0.025)[1] == 1.0
    assert _mid_p(2e-9 * 90, 90.0, 0.025) != _mid_p(0, 90.0, 0.025)


def scores(share: float, values: list[float], sizes: list[int], blocks: list[int]):
    group_sizes = GroupSizes(np.array(sizes), np.array(blocks))
    return JackknifeScores(share, np.array(values), np.array([]), group_sizes)


@pytest.mark.parametrize("level", [0.95, 0.8])
def test_share_of_independent_rows_is_binomial(level: float) -> None:
    found = share_interval(scores(0.3, [0.3, 0.3], [5, 5], [5, 5]), level=level)
    expected = _mid_p(3, 10, (1 - level) / 2)
    np.testing.assert_allclose((found.low, found.high), expected, rtol=1e-12)
    np.testing.assert_allclose(found.error, math.sqrt(0.3 * 0.7 / 10))
    assert found.method == "binomial, mid-P"


@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize(
    "shares",
    [
        (1.0, 0.0, 0.25, 0.0),
        (0.5, 0.25, 0.75, 0.5),
        (1.0, 0.75, 1.0, 1.0),
        (0.5, 0.5, 0.5, 0.5),  # more alike than independent rows
        (0.05, 0.0, 0.0, 0.0),  # one row
        (1.0, 0.95, 1.0, 1.0),
    ],
)
def test_share_of_blocks_has_fewer_rows(shares: tuple[float, ...], level: float):
    """Four groups of 20 rows; each group has two blocks of 10 rows."""
    sizes, share = [20] * 4, float(np.mean(shares))
    without = [(80 * share - 20 * s) / 60 for s in shares]
    given = scores(share, without, sizes, [200] * 4)
    found = share_interval(given, level=level)
    error = interval(share, np.array(without), sizes=sizes).error
    largest = 10.0  # rows per block
    effect = min(max(80 * error**2 / (share * (1 - share)), 1.0), largest)
    seen = min(sum(s > 0 for s in shares), sum(s < 1 for s in shares))
    rows = 80 * (seen + 0.5) / (seen * effect + 0.5 * largest)
    rows *= (norm.ppf(0.5 + level / 2) / student.ppf(0.5 + level / 2, 3)) ** 2
    expected = _mid_p(share * rows, rows, (1 - level) / 2)
    np.testing.assert_allclose((found.low, found.high), expected, rtol=1e-7)
    np.testing.assert_allclose(found.error**2, share * (1 - share) / rows, rtol=1e-7)
    assert found.method == "binomial, mid-P, 4 groups"


def test_share_of_blocks_without_a_difference_counts_blocks() -> None:
    found = share_interval(scores(0.0, [0.0] * 4, [20] * 4, [200] * 4))
    rows = 8 * (Z / student.ppf(0.975, 3)) ** 2
    np.testing.assert_allclose((found.low, found.high), _mid_p(0, rows, 0.025), 1e-7)


def by_hand(values: np.ndarray, n: int, level: float = 0.95) -> tuple[float, float]:
    """`sample_interval` of shares."""
    m, share, variance = len(values), values.mean(), values.var(ddof=1)
    rows = m / (1 - m / n)
    if variance > 0:
        rows *= max(1.0, share * (1 - share) / variance)
    tail = (1 - level) / 2
    low, high = _mid_p(share * rows, rows, tail)
    ratio = student.ppf(1 - tail, m - 1) / norm.ppf(1 - tail)
    low, high = share + (low - share) * ratio, share + (high - share) * ratio
    return max(low, 0.0), min(high, 1.0)


@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize(
    "values", [[0.2, 0.3, 0.9, 0.4], [0.0, 1.0, 0.0, 1.0], [1.0, 1.0], [0.5, 0.6]]
)
def test_sample_interval_equals_its_formula(values: list[float], level: float) -> None:
    shares = np.array(values)
    expected = by_hand(shares, 11, level)
    found = sample_interval(shares, 11, (0.0, 1.0), level=level)
    np.testing.assert_allclose((found.low, found.high), expected, rtol=1e-7, atol=1e-9)
    error = shares.std(ddof=1) * math.sqrt((1 - len(values) / 11) / len(values))
    np.testing.assert_allclose(found.error, error, rtol=1e-12)
    assert found.method == f"sample of {len(values)} of 11 stimuli"
    if level == 0.95:
        assert sample_interval(shares, 11, (0.0, 1.0)) == found
    # The same scores on another range.
    found = sample_interval(6 * shares - 2, 11, (-2.0, 4.0), level=level)
    ends = 6 * np.array(expected) - 2
    np.testing.assert_allclose((found.low, found.high), ends, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(found.error, 6 * error, rtol=1e-12)


def test_sample_of_all_stimuli_has_no_error() -> None:
    found = sample_interval(np.array([0.2, 0.6]), 2, (0.0, 1.0))
    assert (found.low, found.high, found.error) == (0.4, 0.4, 0.0)
    assert sample_interval(np.array([0.2, 0.6]), 3, (0.0, 1.0)).error > 0
    for values, n in ((np.array([0.2]), 5), (np.array([0.2, 0.6]), 1)):
        with pytest.raises(Undefined, match=f"needs 2 to {n} sampled"):
            sample_interval(values, n, (0.0, 1.0))


@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize("score", [0.4, 0.0, 1.0])
@pytest.mark.parametrize("spread", [0.02, 0.0])
def test_neighbor_interval_equals_its_formula(
    score: float, spread: float, level: float
) -> None:
    without = score + spread * np.array([1.0, -1.0, 2.0, 0.0, -2.0, 0.5])
    variance = 5 / 6 * np.sum((without - without.mean()) ** 2)
    rows = 6.0
    if variance > 0 and 0 < score < 1:
        rows = score * (1 - score) / variance
    tail = (1 - level) / 2
    rows *= (norm.ppf(1 - tail) / student.ppf(1 - tail, 5)) ** 2
    low, high = _mid_p(score * rows, rows, tail)
    found = neighbor_interval(score, without, level=level)
    expected = min(low, score), max(high, score)
    np.testing.assert_allclose((found.low, found.high), expected, rtol=1e-7)
    np.testing.assert_allclose(found.error, math.sqrt(variance), rtol=1e-12)
    if level == 0.95:
        assert neighbor_interval(score, without) == found
