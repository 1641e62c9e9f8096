"""Intervals are wide enough if a few rows carry the score, and unchanged otherwise."""

import numpy as np
import pytest

import similitude as sim
from similitude.stats import _correlation_interval
from similitude.stats._few_rows import FEW_ROWS
from similitude.stats._heavy_tails import Reach, reach
from stats.populations import LogNormal, Population, printed, quickly

CKA, REGRESSION = sim.measures.CKA(), sim.measures.LinearRegression()
BOTH = [(CKA, printed), (REGRESSION, quickly)]
STUDENT = 2.0930240544  # the 97.5 % quantile with 19 degrees of freedom


@pytest.fixture
def as_before(monkeypatch):
    """Switch to Student's reach, which was used for all data before."""

    def switch(*, on: bool) -> None:
        used = _student_only if on else reach
        monkeypatch.setattr(_correlation_interval, "reach", used)
        limit = 0.0 if on else FEW_ROWS
        monkeypatch.setattr(_correlation_interval, "FEW_ROWS", limit)

    return switch


def _student_only(deviations, *, bias, quadratic, rows) -> Reach:
    ordinary = np.array([-1.0, 1.0] * (len(deviations) // 2))
    return reach(ordinary, bias=0.0, quadratic=0.0)


@pytest.mark.parametrize(
    ("measure", "runs", "width", "shown"),
    [(CKA, 100, 0.6, 1.0), (REGRESSION, 40, 0.8, 0.75)],
)
def test_intervals_of_log_normal_rows_are_wide_enough(
    measure, runs, width, shown, as_before
) -> None:
    """They cover up to 99.3 %, so their width is limited instead of their coverage."""
    population = LogNormal(0.8, 10)
    truth = population.cka if measure == CKA else population.explained
    found = {True: [], False: []}
    for seed in range(runs):
        x, y = population.draw(np.random.default_rng(seed), 150)
        for before, ends in found.items():
            as_before(on=before)
            fields = printed(measure, x, y, seed=seed)
            if "low" in fields:
                ends.append((fields["low"], fields["high"]))
    covers = {
        before: np.mean([low <= truth <= high for low, high in ends])
        for before, ends in found.items()
    }
    assert covers[True] < 0.8  # the test can fail: Student's interval misses
    assert covers[False] >= 0.93
    assert np.median(np.diff(found[False])) < width
    assert len(found[True]) == runs
    assert len(found[False]) >= shown * runs  # R^2 intervals of width 1 are withheld


@pytest.mark.parametrize(("measure", "print_it"), BOTH)
def test_ordinary_rows_keep_their_interval_to_the_last_bit(
    measure, print_it, as_before
) -> None:
    population, widened = Population(6, 6, 0.7), 0
    for seed in range(60):
        x, y = population.draw(np.random.default_rng(seed), 300)
        as_before(on=False)
        fields = print_it(measure, x, y, seed=seed)
        as_before(on=True)
        before = print_it(measure, x, y, seed=seed)
        if "widened" in fields["interval_method"]:
            widened += 1
            assert fields["low"] <= before["low"] < before["high"] <= fields["high"]
        else:
            assert (fields["low"], fields["high"]) == (before["low"], before["high"])
    assert widened <= 6  # the 5 % of normal samples whose kurtosis looks large


def test_the_reason_names_the_numbers() -> None:
    x, y = LogNormal(0.8, 10).draw(np.random.default_rng(0), 150)
    found = sim.compare({"a": x, "b": y}, "cka", permutations=0)
    row = found.rows[0]
    assert row.low is not None
    assert row.interval_method == "jackknife, 20 groups, widened"
    reason = row.details["interval"]
    assert reason.startswith("a few rows carry much of the score, so the interval is ")
    assert "kurtosis 14, skewness -3.3, bias 0.27 standard errors" in reason
    assert "as usual (the rows are worth 24 of 150 even ones; 20 groups: " in reason
    assert " ".join(reason.split()) in " ".join(str(found).split())


def test_many_wide_intervals_share_one_footnote() -> None:
    x, y = LogNormal(0.8, 10).draw(np.random.default_rng(0), 150)
    z, _ = LogNormal(0.8, 10).draw(np.random.default_rng(0), 150)
    text = " ".join(str(sim.compare([x, y, z**1.1], "cka", permutations=0)).split())
    assert text.count("a few rows carry much of the score") == 1
    assert "3 intervals are wider than usual" in text


def test_without_a_sign_the_reach_is_students() -> None:
    normal = np.random.default_rng(0).normal(size=20)
    found = reach(normal - normal.mean(), bias=0.1, quadratic=0.0)
    assert found.reason == ""
    np.testing.assert_allclose([found.below, found.above], STUDENT)
    noisy = reach(normal - normal.mean(), bias=0.3, quadratic=0.1)
    assert noisy == found  # such a bias is noise if the score is not linear


@pytest.mark.parametrize(("rows", "times"), [(60, 1.581), (149, 1.003), (150, 1.0)])
def test_fewer_than_150_rows_may_lack_a_class(rows: int, times: float) -> None:
    even = np.tile([-1.0, 1.0], 10)
    found = reach(even, bias=0.0, quadratic=0.0, rows=rows)
    np.testing.assert_allclose(found.below, STUDENT)
    np.testing.assert_allclose(found.above, times * STUDENT, rtol=1e-3)
    assert found.reason == ""
    heavy = np.append(np.full(19, -1.0), 19.0)
    few, many = (reach(heavy, bias=0.0, quadratic=0.0, rows=n) for n in (rows, 1_000))
    assert few == many  # it reaches further than that already


@pytest.mark.parametrize("measure", [CKA, REGRESSION], ids=["cka", "R^2"])
def test_ordinary_intervals_of_60_rows_are_a_fifth_wider(measure, as_before) -> None:
    population, widths = Population(4, 4, 0.8), {True: [], False: []}
    for seed in range(20):
        x, y = population.draw(np.random.default_rng(seed), 60)
        for before, found in widths.items():
            as_before(on=before)
            fields = printed(measure, x, y, seed=seed)
            found.append(fields["high"] - fields["low"])
    assert 1.1 < np.median(widths[False]) / np.median(widths[True]) < 1.3


def test_one_heavy_group_widens_both_ends_and_its_own_side_more() -> None:
    deviations = np.full(20, -1.0)
    deviations[3] = 19.0
    up = reach(deviations, bias=0.0, quadratic=0.0)
    down = reach(-deviations, bias=0.0, quadratic=0.0)
    assert STUDENT < up.below < up.above
    assert (up.below, up.above) == (down.above, down.below)
    assert "kurtosis 18," in up.reason


@pytest.mark.parametrize("bias", [0.5, -0.5])
def test_a_bias_extends_the_side_of_the_true_value(bias: float) -> None:
    deviations = np.tile([-1.0, 1.0], 10)
    found = reach(deviations, bias=bias, quadratic=0.01)
    sides = {True: found.below, False: found.above}
    np.testing.assert_allclose(sides[bias < 0], STUDENT)
    np.testing.assert_allclose(sides[bias > 0], STUDENT + 4 * 0.5)


def test_equal_scores_without_each_group_have_no_reason() -> None:
    found = reach(np.zeros(20), bias=0.0, quadratic=0.0)
    np.testing.assert_allclose([found.below, found.above], STUDENT)
    same = np.random.default_rng(0).normal(size=(60, 4))
    row = sim.compare({"a": same, "b": same}, "cka", permutations=0).rows[0]
    assert "interval" not in row.details
    np.testing.assert_allclose([row.low, row.high], 1)
