"""Intervals of the overlap of neighbors cover the expected score of as many stimuli."""

import numpy as np
import pytest

import similitude as sim
from similitude import Representation, stats
from similitude.measures.neighbors._mutual_knn import overlaps_without_each
from stats.populations import LogNormal, Population


def sides(measure: sim.measures.Measure, x: np.ndarray, y: np.ndarray):
    return measure.prepare(x), measure.prepare(y)


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("kind", ["normal", "ties", "identical", "cosine"])
def test_scores_without_each_stimulus_equal_those_of_the_other_rows(k, kind) -> None:
    rng = np.random.default_rng(k)
    x = rng.normal(size=(25, 3))
    y = x + 0.5 * rng.normal(size=x.shape)
    if kind == "ties":
        x, y = np.round(x), np.round(y)
    metric = "cosine" if kind == "cosine" else "euclidean"
    measure = sim.measures.MutualKNN(k=k, metric=metric)
    y = x if kind == "identical" else y
    found = overlaps_without_each(*sides(measure, x, y))
    rows = np.arange(25)
    expected = [float(measure(x[rows != i], y[rows != i])) for i in range(25)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_permuted_lists_keep_their_next_neighbor() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 30, 4))
    measure, order = sim.measures.MutualKNN(k=3), rng.permutation(30)
    p, q = sides(measure, x, y)
    found = overlaps_without_each(p, measure.permute(q, order))
    expected = overlaps_without_each(p, measure.prepare(y[order]))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("population", "n"),
    [
        (Population(5, 5, 0.7), 30),
        (Population(20, 20, 0.0), 60),
        (LogNormal(0.8, 10), 60),
    ],
    ids=["normal", "unrelated", "log-normal"],
)
def test_intervals_cover_where_scores_of_single_stimuli_do_not(population, n) -> None:
    measure, found, naive = sim.measures.MutualKNN(metric="euclidean"), [], []
    for seed in range(100):
        x, y = population.draw(np.random.default_rng(seed), n)
        p, q = sides(measure, x, y)
        score = float(measure.compare(p, q))
        ends = stats.neighbor_interval(score, overlaps_without_each(p, q))
        found.append((score, ends.low, ends.high))
        naive.append(2 * np.std(measure.per_stimulus(p, q), ddof=1) / np.sqrt(n))
    score, low, high = np.transpose(found)
    truth = np.mean(score)
    assert np.mean((low <= truth) & (truth <= high)) >= 0.95
    assert np.mean(abs(score - truth) <= naive) < 0.9  # rows are neighbors of others
    assert np.median(high - low) < 0.3


def test_compare_prints_the_interval_with_its_meaning() -> None:
    x, y = Population(5, 5, 0.9).draw(np.random.default_rng(0), 100)
    found = sim.compare({"a": x, "b": y}, "mutual_knn", permutations=0)
    row = found.rows[0]
    assert 0 <= row.low < row.score < row.high <= 1
    assert row.interval_method == (
        "jackknife of single stimuli, mid-P, for the expected score at this n"
    )
    again = sim.compare({"a": x, "b": y}, "mutual_knn").rows[0]
    assert (again.low, again.high) == (row.low, row.high)


def test_the_reason_is_given_if_there_is_no_interval() -> None:
    x, y = Population(5, 5, 0.9).draw(np.random.default_rng(0), 29)

    def reason(measure="mutual_knn", blocks=None, x=x, y=y):
        reps = [Representation(k, v, blocks=blocks) for k, v in (("a", x), ("b", y))]
        row = sim.compare(reps, measure, permutations=0).rows[0]
        assert row.low is None
        return row.details["interval"]

    assert reason() == "an interval needs 30 rows; there are 29."
    x, y = Population(5, 5, 0.9).draw(np.random.default_rng(0), 40)
    assert "blocks" in reason(blocks=np.arange(40) // 2, x=x, y=y)
    assert "k + 2 rows" in reason("mutual_knn(k=39)", x=x, y=y)


def test_an_overlap_of_one_has_an_interval_below_it() -> None:
    x = np.random.default_rng(0).normal(size=(50, 4))
    row = sim.compare({"a": x, "b": 2 * x}, "mutual_knn", permutations=0).rows[0]
    assert row.high == 1
    assert 0.9 < row.low < 1
