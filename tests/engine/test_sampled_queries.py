"""Sampled queries: unbiased scores, intervals that cover, and rows read in parts."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude import InvalidInput, Results, stats
from similitude.store import open_store

NAMES = ["mutual_knn", "knn_jaccard", "lcs_knn", "rank_similarity", "retrieval_mrr"]
N = 500


def pair(noise: float = 0.5, n: int = N) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(n, 6))
    y = z @ rng.normal(size=(6, 6)) + noise * rng.normal(size=z.shape)
    return z + noise * rng.normal(size=z.shape), y


@pytest.mark.parametrize("name", NAMES)
def test_all_rows_as_queries_give_the_score_of_the_measure(name: str) -> None:
    x, y = pair()
    function = getattr(sim, name)
    assert function(x, y, query_rows=N) == pytest.approx(function(x, y), abs=1e-15)
    assert function(x, y, query_rows=N + 1) == function(x, y, query_rows=N)


@pytest.mark.parametrize("name", NAMES)
def test_the_score_is_the_mean_over_the_drawn_rows(name: str) -> None:
    x, y = pair()
    measure = sim.find_measure(f"{name}(query_rows=60)")
    scores = sim.per_stimulus(x, y, name)
    for seed in range(3):
        rows = measure.queries(N, np.random.SeedSequence(seed))
        assert len(set(rows.tolist())) == 60
        expected = np.mean(scores[rows])
        assert measure(x, y, seed) == pytest.approx(expected, abs=1e-12)


def test_a_seed_is_needed_to_draw_rows() -> None:
    x, y = pair()
    with pytest.raises(InvalidInput, match="Pass rng=0"):
        sim.mutual_knn(x, y, query_rows=60)


@pytest.mark.parametrize("noise", [0.05, 0.5, 5.0])
def test_intervals_of_samples_cover_the_score_of_all_rows(noise: float) -> None:
    """At three levels of similarity; the last one is near chance."""
    x, y = pair(noise, 2000)
    scores = sim.per_stimulus(x, y, "mutual_knn")
    rng, covered = np.random.default_rng(1), []
    for _ in range(400):
        drawn = rng.choice(scores, 100, replace=False)
        found = stats.sample_interval(drawn, 2000, (0.0, 1.0))
        covered.append(found.low <= np.mean(scores) <= found.high)
    assert 0.925 <= np.mean(covered) <= 0.99


def test_a_sample_of_equal_scores_has_an_interval() -> None:
    none = stats.sample_interval(np.zeros(50), 10**6, (0.0, 1.0))
    assert none.low == 0.0
    assert 0.02 < none.high < 0.1
    all_rows = stats.sample_interval(np.linspace(0, 1, 50), 50, (0.0, 1.0))
    assert all_rows.low == all_rows.high == 0.5


def test_compare_prints_the_interval_and_no_null() -> None:
    x, y = pair()
    found = sim.compare({"a": x, "b": y}, "mutual_knn(query_rows=100)", rng=3)
    (row,) = found.rows
    assert row.low < row.score < row.high
    assert row.interval_method == "sample of 100 of 500 stimuli"
    assert row.p is None
    assert "neighbors of all rows" in found.table()
    seed = np.random.SeedSequence(3)
    assert row.score == sim.mutual_knn(x, y, query_rows=100, rng=seed)


def test_rows_larger_than_the_budget_are_read_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, y = pair(n=25_000)
    store = open_store(tmp_path / "store", create=True)
    for name, values in (("a", x), ("b", y)):
        store.put(sim.Representation(name, values, ids=np.arange(25_000)))
    reps, name = tmp_path / "store", "mutual_knn(query_rows=200)"
    (whole,) = sim.compare(reps, name).rows
    with sim.config(memory_budget=2**20):
        reader = type(store.select()[0].values)

        def refuse(self: object) -> None:
            raise AssertionError("all rows were loaded")

        monkeypatch.setattr(reader, "read", refuse)
        (row,) = sim.compare(reps, name, out=tmp_path / "out").rows
        assert (row.score, row.low, row.high) == (whole.score, whole.low, whole.high)
        assert sim.compare(reps, name, out=tmp_path / "out").rows == (row,)


_KILLED = """
import os, signal, sys
import similitude as sim
from similitude.engine import _completing
_completing.Completing.run = lambda self: os.kill(os.getpid(), signal.SIGKILL)
sim.compare([sys.argv[1] + "/a.npy", sys.argv[1] + "/b.npy"],
            ["mutual_knn(query_rows=50)", "lcs_knn(query_rows=50)"], out=sys.argv[2])
"""


def test_a_killed_run_resumes_with_the_same_table(tmp_path: Path) -> None:
    for name, values in zip("ab", pair(), strict=True):
        np.save(tmp_path / f"{name}.npy", values)
    out = tmp_path / "out"
    killed = subprocess.run([sys.executable, "-c", _KILLED, tmp_path, out], check=False)
    assert killed.returncode == -9
    assert all(row.low is None for row in Results.load(out).rows)
    paths = [tmp_path / "a.npy", tmp_path / "b.npy"]
    measures = ["mutual_knn(query_rows=50)", "lcs_knn(query_rows=50)"]
    resumed = sim.compare(paths, measures, out=out)
    assert resumed == sim.compare(paths, measures)
    assert all(row.low is not None for row in resumed.rows)
