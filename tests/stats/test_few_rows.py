"""Intervals where few rows carry the score: rare classes, sparse rows, wide tails."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy import optimize

import similitude as sim
from similitude import stats
from similitude.measures import Reweighted, Weighed
from similitude.stats._few_rows import FEW_ROWS, moved
from stats.populations import LogNormal, Population, printed

CKA, REGRESSION = sim.measures.CKA(), sim.measures.LinearRegression()
BOTH = pytest.mark.parametrize("measure", [CKA, REGRESSION], ids=lambda m: m.name)


class FarClass:
    """x = zW + e + c dx, y = zV + f + c dy; c is 1 in a small share of the rows."""

    def __init__(self, share: float = 0.03, shift: float = 10.0, seed: int = 32):
        rng = np.random.default_rng(seed)
        self.share = share
        self.w, self.v = rng.normal(size=(4, 8)), rng.normal(size=(4, 8))
        self.dx, self.dy = shift * rng.normal(size=8), shift * rng.normal(size=8)

    def draw(self, rng: np.random.Generator, n: int, k: int | None = None):
        z, e, f = rng.normal(size=(n, 4)), *rng.normal(size=(2, n, 8))
        far = rng.uniform(size=(n, 1)) < self.share
        if k is not None:
            far = (np.arange(n) < k)[:, None]
        return z @ self.w + e + far * self.dx, z @ self.v + f + far * self.dy

    @property
    def covariance(self) -> np.ndarray:
        loadings = np.concatenate([self.w, self.v], axis=1)
        far = np.concatenate([self.dx, self.dy])
        spread = self.share * (1 - self.share)
        return loadings.T @ loadings + np.eye(16) + spread * np.outer(far, far)

    @property
    def cka(self) -> float:
        c = self.covariance
        squares = [np.sum(part**2) for part in (c[:8, 8:], c[:8, :8], c[8:, 8:])]
        return float(squares[0] / np.sqrt(squares[1] * squares[2]))


def reweighted(measure: sim.measures.Measure, n: int = 40, seed: int = 0) -> Reweighted:
    x, y = FarClass().draw(np.random.default_rng(seed), n)
    return measure.claims().interval.reweighted(x, y)


@BOTH
def test_equal_weights_give_the_biased_score(measure) -> None:
    x, y = FarClass().draw(np.random.default_rng(0), 40)
    expected = sim.cka(x, y, estimator="biased") if measure is CKA else measure(x, y)
    found = reweighted(measure)(np.full(40, 1 / 40))
    np.testing.assert_allclose(found.score, float(expected), rtol=1e-10)
    np.testing.assert_allclose(np.mean(found.load), 1.0)


@BOTH
def test_repeated_rows_have_the_score_of_weighted_rows(measure) -> None:
    x, y = FarClass().draw(np.random.default_rng(0), 40)
    times = np.random.default_rng(1).integers(1, 5, size=40)
    x_many, y_many = np.repeat(x, times, axis=0), np.repeat(y, times, axis=0)
    many = measure.claims().interval.reweighted(x_many, y_many)
    expected = many(np.full(len(x_many), 1 / len(x_many))).score
    found = reweighted(measure)(times / np.sum(times)).score
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@BOTH
def test_changes_are_derivatives_by_the_weights(measure) -> None:
    score, n = reweighted(measure), 40
    weights = np.random.default_rng(1).dirichlet(np.ones(n))
    found, step = score(weights), 1e-6
    np.testing.assert_allclose(weights @ found.change, 0.0, atol=1e-12)
    for i in range(0, n, 7):
        toward = np.eye(n)[i]
        ends = [score((1 - h) * weights + h * toward).score for h in (step, -step)]
        slope = (ends[0] - ends[1]) / (2 * step)
        np.testing.assert_allclose(found.change[i], slope, rtol=1e-4, atol=1e-7)


@BOTH
def test_merged_rows_give_the_same_score_and_changes(measure) -> None:
    score, kept = reweighted(measure), np.arange(40) % 3 == 0
    weights = np.where(kept, np.linspace(1, 3, 40), 1.0)
    weights /= np.sum(weights)
    whole = score(weights)
    part = score.keeping(kept)(weights[kept], float(np.sum(weights[~kept])))
    np.testing.assert_allclose(part.score, whole.score, rtol=1e-10)
    np.testing.assert_allclose(part.change, whole.change[kept], rtol=1e-8, atol=1e-12)


@dataclass(frozen=True, eq=False)
class Variance(Reweighted):
    """p (1 - p) of a share p, which is increasing for p < 1 / 2."""

    def weigh(self, rows: np.ndarray, covariance: np.ndarray) -> Weighed:
        value, square = float(covariance[0, 0]), rows[:, 0] ** 2
        return Weighed(value, square - value, square / value)


@pytest.mark.parametrize("k", [1, 2, 3, 10])
@pytest.mark.parametrize("n", [60, 1000])
@pytest.mark.parametrize(("effective", "quantile"), [(0.1, 2.57058), (0.6, 2.09302)])
def test_the_ends_are_those_of_the_likelihood_of_a_share(
    k, n, effective, quantile
) -> None:
    """The quantiles are Student's: 5 degrees of freedom for heavy tails, or 19."""
    rows = (np.arange(n) < k).astype(float)[:, None]
    budget, share = quantile**2, k / n

    def used(p: float) -> float:
        gain = k * np.log(share / p) + (n - k) * np.log((1 - share) / (1 - p))
        return 2 * gain - budget

    low = optimize.brentq(used, 1e-12, share)
    high = optimize.brentq(used, share, 0.5)
    found = moved(Variance(rows, 1), effective, None)
    expected = [share * (1 - share) - low * (1 - low)]
    expected.append(high * (1 - high) - share * (1 - share))
    np.testing.assert_allclose([found.below, found.above], expected, rtol=1e-2)


@BOTH
def test_normal_rows_of_any_spectrum_are_even(measure) -> None:
    coverage = measure.claims().interval
    for d, decay in ((3, 0.0), (12, 1.0), (30, 0.5), (6, 3.0)):
        x, _ = Population(d, d, 0.5, decay).draw(np.random.default_rng(d), 400)
        assert coverage.effective_share(x) > 0.8
    x, _ = FarClass().draw(np.random.default_rng(0), 150)
    assert coverage.effective_share(x) < FEW_ROWS
    x, _ = LogNormal(0.8, 10).draw(np.random.default_rng(0), 150)
    assert coverage.effective_share(x) < FEW_ROWS


def test_the_share_ignores_scale_and_offset() -> None:
    x, _ = FarClass().draw(np.random.default_rng(0), 100)
    for coverage in (m.claims().interval for m in (CKA, REGRESSION)):
        plain = coverage.effective_share(x)
        for changed in (1e200 * x, 1e-200 * x, x + 100.0):
            np.testing.assert_allclose(
                coverage.effective_share(changed), plain, rtol=1e-6
            )


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_one_to_four_rows_of_a_far_class_are_enough_to_contain_it(k) -> None:
    """The class has 3 % of the population; before, two rows of 150 covered 10 %."""
    population, hits = FarClass(), 0
    for seed in range(30):
        x, y = population.draw(np.random.default_rng(seed), 100, k)
        fields = printed(CKA, x, y, seed=seed)
        hits += fields["low"] <= population.cka <= fields["high"]
    assert hits >= 26


def test_even_rows_are_not_reweighted(monkeypatch) -> None:
    x, y = Population(6, 6, 0.7).draw(np.random.default_rng(0), 200)
    before = printed(CKA, x, y)
    coverage = type(CKA.claims().interval)
    monkeypatch.setattr(coverage, "reweighted", lambda *_: pytest.fail("reweighted"))
    assert printed(CKA, x, y) == before
    x, y = FarClass().draw(np.random.default_rng(0), 100)
    with pytest.raises(pytest.fail.Exception):
        printed(CKA, x, y)


def test_blocks_are_reweighted_as_a_whole() -> None:
    x, y = FarClass().draw(np.random.default_rng(3), 60)
    score = CKA.claims().interval.reweighted(x, y)
    rows = moved(score, 0.1, None)
    one_each = moved(score, 0.1, np.arange(60))
    many = CKA.claims().interval.reweighted(*(np.repeat(v, 3, axis=0) for v in (x, y)))
    blocks = moved(many, 0.1, np.repeat(np.arange(60), 3))
    np.testing.assert_allclose(
        [blocks.below, blocks.above], [one_each.below, one_each.above]
    )
    assert rows.above >= one_each.above  # single rows may stand for more of their kind
    free = moved(many, 0.1, None)
    assert free.above < blocks.above


def test_the_reason_gives_the_effective_number_of_rows() -> None:
    x, y = FarClass().draw(np.random.default_rng(0), 150, 3)
    found = sim.compare({"a": x, "b": y}, "cka", permutations=0)
    reason = found.rows[0].details["interval"]
    assert "the rows are worth " in reason
    assert " of 150 even ones" in reason
    assert " ".join(reason.split()) in " ".join(str(found).split())


def test_an_r2_interval_of_width_one_is_withheld_with_its_reason() -> None:
    x, y = LogNormal(0.8, 20, seed=3).draw(np.random.default_rng(0), 150)
    row = sim.compare({"a": x, "b": y}, REGRESSION, permutations=0).rows[0]
    assert (row.low, row.high) == (None, None)
    reason = row.details["interval"]
    assert "wide and say nothing about the score; a few rows carry" in reason


def test_a_difference_gets_the_same_treatment() -> None:
    population = FarClass()
    rng = np.random.default_rng(1)
    x, y = population.draw(rng, 120, 3)
    z = y + rng.normal(size=y.shape)
    found = stats.difference(CKA, (x, y), (x, z))
    assert "the rows are worth " in found.interval.widened
    assert "A few rows carry much of the score" in str(found)
    assert (found.p < 0.05) == (not found.interval.low <= 0 <= found.interval.high)
    x, y = Population(6, 6, 0.7).draw(rng, 120)
    even = stats.difference(CKA, (x, y), (x, y + rng.normal(size=y.shape)))
    assert even.interval.widened == ""
    np.testing.assert_allclose(
        even.interval.high - even.value, 2.0930240544 * even.interval.error
    )


@pytest.mark.parametrize(
    ("measure", "widest"),
    [(CKA, 2), (sim.measures.CKA(estimator="biased"), 1), (REGRESSION, 1)],
    ids=["unbiased cka", "biased cka", "R^2"],
)
def test_differences_end_where_the_range_of_the_measure_ends(
    measure: sim.Measure, widest: int
) -> None:
    """Sparse rows with wide tails, whose intervals were up to 80 wide."""
    ends = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        x, y, z = np.exp(2.5 * rng.normal(size=(3, 40, 6))) * (
            rng.uniform(size=(3, 40, 6)) < 0.1
        )
        found = stats.difference(measure, (x, x + y), (x, z)).interval
        assert -widest <= found.low < found.high <= widest
        ends += [abs(found.low), abs(found.high)]
    assert max(ends) == widest


def test_columns_that_few_rows_carry_have_no_r2_interval() -> None:
    """Each column varies in about two rows, which a fit explains without error."""
    rng = np.random.default_rng(0)
    x = np.maximum(rng.normal(size=(120, 20)) - 2.2, 0)
    y = rng.normal(size=(120, 3)) + x[:, :3]
    row = sim.compare({"a": x, "b": y}, REGRESSION, permutations=0).rows[0]
    assert row.low is None
    assert (
        "few rows carry these columns, so all 120 are worth"
        in (row.details["interval"])
    )
    assert REGRESSION.claims().interval.fitted_share(x) < 0.5
    assert REGRESSION.claims().interval.fitted_share(y) > 0.8
