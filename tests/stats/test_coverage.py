"""Printed intervals cover the true value; intervals that would not are not printed.

The true value of each population is known in closed form. Seeds are fixed, so the
coverage is reproducible. `benchmarks/interval_coverage.py` has ten times as many cases.
"""

import numpy as np
import pytest

import similitude as sim
from similitude import MEASURES, Measure, Outputs, Representation, stats
from stats.populations import Population, printed, quickly

CKA, REGRESSION, DISAGREEMENT = (
    sim.measures.CKA(),
    sim.measures.LinearRegression(),
    MEASURES["disagreement"],
)


def old_interval(measure: Measure, x, y, *, center="score", blocks=None):
    """Student's jackknife interval on the scale of the score, as printed previously."""
    parts = stats.groups(len(x), 0, blocks)
    left = [float(measure(np.delete(x, p, 0), np.delete(y, p, 0))) for p in parts]
    sizes = [len(part) for part in parts]
    found = stats.interval(
        float(measure(x, y)), np.array(left), sizes=sizes, center=center
    )
    return found.low, found.high


def covers(found: list[tuple[float, float]], truth: float) -> float:
    assert found
    return float(np.mean([low <= truth <= high for low, high in found]))


def intervals(measure: Measure, population: Population, n: int, runs: int):
    found = []
    print_it = quickly if measure == REGRESSION else printed
    for seed in range(runs):
        x, y = population.draw(np.random.default_rng(seed), n)
        fields = print_it(measure, x, y, seed=seed)
        if "low" in fields:
            found.append((fields["low"], fields["high"]))
        else:  # all others are printed
            assert "wide and say nothing" in fields["details"]["interval"]
    assert len(found) >= (0.98 * runs if measure == REGRESSION else runs)
    return found


@pytest.mark.parametrize(
    ("population", "n", "runs"),
    [
        (Population(10, 10, 0.0), 40, 200),  # nothing in common
        (Population(3, 3, 0.35), 60, 200),  # little in common, few directions
        (Population(6, 8, 0.8), 20, 200),  # the fewest rows with an interval
        (Population(4, 4, 0.995), 60, 200),  # nearly the same
        (Population(40, 60, 0.8), 30, 200),  # more columns than rows
        (Population(20, 20, 0.7, decay=1.0), 100, 200),  # one dominant direction
        (Population(8, 8, 0.7, law="t5"), 100, 200),  # heavy tails
    ],
    ids=str,
)
def test_cka_intervals_cover_the_true_value(
    population: Population, n: int, runs: int
) -> None:
    found = intervals(CKA, population, n, runs)
    assert 0.93 <= covers(found, population.cka) <= _most(n)


def _most(n: int) -> float:
    """Few rows may lack a class, so the upper ends of their intervals are far away."""
    return 0.99 if n >= 150 else 1.0


@pytest.mark.parametrize(
    ("population", "n", "runs"),
    [
        (Population(6, 8, 0.0), 60, 400),  # no linear map
        (Population(2, 1, 0.3), 100, 400),  # R^2 0.09
        (Population(20, 4, 0.7), 60, 400),  # the fewest rows for 20 columns
        (Population(5, 5, 0.975), 40, 400),  # R^2 0.95
        (Population(8, 8, 0.7, decay=1.0, law="t5"), 100, 400),
    ],
    ids=str,
)
def test_regression_intervals_cover_the_true_value(
    population: Population, n: int, runs: int
) -> None:
    found = intervals(REGRESSION, population, n, runs)
    assert 0.93 <= covers(found, population.explained) <= _most(n)


def test_angular_cka_interval_is_the_arccos_of_the_cka_interval() -> None:
    population = Population(4, 5, 0.8)
    x, y = population.draw(np.random.default_rng(0), 40)
    angle = printed(sim.measures.CKA(form="angular"), x, y)
    cosine = printed(CKA, x, y)
    np.testing.assert_allclose(
        np.cos([angle["high"], angle["low"]]), [cosine["low"], cosine["high"]]
    )
    assert angle["interval_method"] == cosine["interval_method"]


def test_student_interval_on_the_score_scale_undercovers() -> None:
    """The coverage tests can fail: the interval printed previously does."""
    population, found = Population(50, 10, 0.7), []
    for seed in range(60):
        x, y = population.draw(np.random.default_rng(seed), 100)
        found.append(old_interval(REGRESSION, x, y, center="corrected"))
    assert covers(found, population.explained) < 0.93


@pytest.mark.parametrize("kind", ["equal", "unequal"])
@pytest.mark.parametrize("c", [0.0, 0.8])
def test_cka_with_blocks_covers_and_ignoring_blocks_does_not(
    kind: str, c: float
) -> None:
    """Rows of one block are alike, so the unbiased CKA is too high."""
    population, found, ignored, old = Population(4, 4, c), [], [], []
    for seed in range(200):
        rng = np.random.default_rng(1000 + seed)
        sizes = rng.integers(6, 11, size=50) if kind == "unequal" else np.full(50, 8)
        x, y, blocks = population.in_blocks(rng, sizes, 0.9)
        fields = printed(CKA, x, y, blocks, seed)
        assert "corrected for blocks" in fields["interval_method"]
        found.append((fields["low"], fields["high"]))
        if seed < 25:
            fields = printed(CKA, x, y, seed=seed)
            ignored.append((fields["low"], fields["high"]))
            old.append(old_interval(CKA, x, y, blocks=blocks))
    assert 0.93 <= covers(found, population.cka) <= 0.99
    assert covers(ignored, population.cka) < 0.6
    if c == 0:
        assert covers(old, population.cka) < 0.9


def test_regression_intervals_with_blocks_cover_the_true_value() -> None:
    population, found = Population(4, 4, 0.8), []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        x, y, blocks = population.in_blocks(rng, rng.integers(4, 9, size=50), 0.9)
        fields = quickly(REGRESSION, x, y, blocks, seed)
        found.append((fields["low"], fields["high"]))
    assert 0.93 <= covers(found, population.explained) <= 0.99


@pytest.mark.parametrize(
    ("n", "low"), [(10, 0.92), (50, 0.92), (300, 0.915)], ids=lambda v: str(v)
)
def test_disagreement_intervals_cover_at_every_rate(n: int, low: float) -> None:
    """The coverage is exact: a sum over all counts instead of a simulation."""
    import scipy

    counts = np.arange(n + 1)
    group_sizes = stats.GroupSizes(np.array([n]), np.array([n]))
    found = [
        stats.share_interval(
            stats.JackknifeScores(k / n, np.empty(0), np.empty(0), group_sizes)
        )
        for k in counts
    ]
    rates = np.linspace(1 / n, 0.5, 500)
    coverage = np.array(
        [
            sum(
                weight
                for weight, f in zip(
                    scipy.stats.binom.pmf(counts, n, rate), found, strict=True
                )
                if f.low <= rate <= f.high
            )
            for rate in rates
        ]
    )
    # Counts are discrete, so the coverage dips, but only in a few narrow ranges.
    assert coverage.min() >= low
    assert np.mean((coverage >= 0.93) & (coverage <= 0.99)) > 0.85
    assert 0.945 <= coverage.mean() <= 0.97
    assert found[0].low == 0
    assert found[-1].high == 1
    np.testing.assert_allclose(found[3].low, 1 - found[n - 3].high, rtol=1e-7)


@pytest.mark.parametrize(("rate", "alike"), [(0.05, 0.5), (0.2, 0.1), (0.2, 0.5)])
def test_disagreement_with_blocks_covers_and_ignoring_blocks_does_not(
    rate, alike
) -> None:
    found, ignored, scale = [], [], (1 - alike) / alike
    for seed in range(250):
        rng = np.random.default_rng(seed)
        blocks = np.repeat(np.arange(50), 10)
        rates = rng.beta(rate * scale, (1 - rate) * scale, size=50)
        labels = rng.integers(5, size=500)
        other = (labels + (rng.uniform(size=500) < rates[blocks])) % 5
        for kept, into in ((blocks, found), (None, ignored)):
            fields = quickly(DISAGREEMENT, labels, other, kept, seed)
            into.append((fields["low"], fields["high"]))
    assert 0.93 <= covers(found, rate) <= 0.99
    assert covers(ignored, rate) < 0.9


def test_interval_of_identical_representations_contains_one() -> None:
    """All scores are 1 up to rounding; the interval is [1, 1] up to rounding."""
    rng = np.random.default_rng(0)
    for _ in range(3):
        x = rng.normal(size=(40, 5))
        y = 7 * x @ np.linalg.qr(rng.normal(size=(5, 5)))[0] + 1
        for measure in (CKA, REGRESSION):
            fields = printed(measure, x, y)
            assert 1 - 1e-9 < fields["low"] <= 1
            assert 1 <= fields["high"] < 1 + 1e-14  # holds a score of 1 + eps
    labels = Outputs(labels=np.arange(100) % 7)
    fields = printed(DISAGREEMENT, labels, labels)
    assert fields["low"] == 0
    assert 0.02 < fields["high"] < 0.04  # about 3 / n for a count of 0


def test_bootstrap_intervals_do_not_cover() -> None:
    """Rows that are drawn twice are nearest neighbors of each other."""
    population, n, runs, hits, middles = Population(20, 30, 0.7), 100, 40, 0, []
    truth = population.cka
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        x, y = population.draw(rng, n)
        drawn = [rng.integers(n, size=n) for _ in range(30)]
        scores = [float(sim.cka(x[rows], y[rows])) for rows in drawn]
        low, high = np.quantile(scores, [0.025, 0.975])
        hits += low <= truth <= high
        middles.append(np.mean(scores))
    assert hits / runs < 0.5
    assert np.mean(middles) > truth + 0.05
    assert covers(intervals(CKA, population, n, runs), truth) >= 0.9


def test_intervals_that_undercover_are_not_printed() -> None:
    """The bias of Procrustes with many columns is larger than its error."""
    measure, hits = sim.measures.Procrustes(), 0
    population = Population(20, 30, 0.2)
    truth = np.arccos(0.2 * 20 / np.sqrt(20 * 30))
    for seed in range(40):
        x, y = population.draw(np.random.default_rng(seed), 100)
        low, high = old_interval(measure, x, y, center="corrected")
        hits += low <= truth <= high
    assert hits / 40 < 0.8
    assert not stats.covered(measure)
    reps = dict(zip("ab", (x, y), strict=True))
    for row in sim.compare(reps, ["procrustes", "rsa"], permutations=0).rows:
        assert (row.low, row.high) == (None, None)


def test_only_measures_with_verified_coverage_have_intervals() -> None:
    shown = {name for name, measure in MEASURES.items() if stats.covered(measure)}
    assert shown == {"cka", "linear_regression", "disagreement", "mutual_knn"}
    for measure in (
        sim.measures.CKA(estimator="biased"),
        sim.measures.CKA(kernel=sim.measures.RBF()),
        sim.measures.LinearRegression(ridge=1.0),  # its value depends on n
        sim.measures.LinearRegression(cross_validated=True),
        sim.measures.Disagreement(form="normalized"),
    ):
        assert not stats.covered(measure)
    assert stats.covered(sim.measures.CKA(form="angular"))


def test_simulated_intervals_equal_those_of_compare() -> None:
    rng = np.random.default_rng(0)
    x, y, blocks = Population(3, 4, 0.7).in_blocks(rng, np.full(60, 3), 0.5)
    labels = rng.integers(3, size=(2, len(x)))
    values = {
        CKA: (x, y),
        REGRESSION: (x, y),
        DISAGREEMENT: tuple(Outputs(labels=side) for side in labels),
    }
    for given in (None, blocks):
        for measure, sides in values.items():
            reps = [
                Representation(k, v, blocks=given)
                for k, v in zip("xy", sides, strict=True)
            ]
            row = sim.compare(reps, measure, permutations=0, rng=5).rows[0]
            fields = printed(measure, *sides, given, seed=5)
            assert (row.low, row.high) == (fields["low"], fields["high"])
            assert row.interval_method == fields["interval_method"]
            if measure == CKA:
                continue
            sums = labels if measure == DISAGREEMENT else sides
            quick = quickly(measure, *sums, given, seed=5)
            np.testing.assert_allclose(
                [quick["low"], quick["high"]], [row.low, row.high], rtol=1e-9
            )
