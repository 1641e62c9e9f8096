"""Nulls from the exact moments of all row orders, for many pairs or rows."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy

import similitude as sim
from engine.custom_measures import CustomMeasure
from similitude import Representation, Results, stats
from similitude.engine import _plan
from similitude.measures import CKA

ORDERS = 3000


def reps(count: int = 4, n: int = 30) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(n, 2))
    return {
        f"r{i}": 0.5 * z @ rng.normal(size=(2, 4)) + rng.normal(size=(n, 4))
        for i in range(count)
    }


@pytest.mark.parametrize(
    "measure",
    [
        CKA(),
        CKA(estimator="biased"),
        sim.MEASURES["distance_correlation"],
        sim.MEASURES["rsa"],
    ],
)
def test_moment_nulls_agree_with_many_permutations(measure: Any) -> None:
    found = sim.compare(reps(), measure)
    orders = stats.orders(30, ORDERS, 5)
    for row in found.rows:
        assert (row.permutations, row.p_method) == (0, "pearson3")
        p, q = (measure.prepare(reps()[name]) for name in (row.a, row.b))
        moments = measure.null_moments(p, q)
        law = scipy.stats.pearson3(
            moments[2], loc=moments[0], scale=math.sqrt(moments[1])
        )
        np.testing.assert_allclose(row.null_mean, moments[0], rtol=1e-12)
        np.testing.assert_allclose(row.null_sd, math.sqrt(moments[1]), rtol=1e-12)
        np.testing.assert_allclose(row.null_q95, law.ppf(0.95), rtol=1e-9)
        np.testing.assert_allclose(row.p, law.sf(row.score), rtol=1e-6)
        expected = (row.score - row.null_q95) / (1.0 - row.null_q95)
        np.testing.assert_allclose(row.calibrated, expected, rtol=1e-9)
        counted = np.asarray(measure.null(p, q, orders))
        sd = counted.std()
        assert abs(counted.mean() - row.null_mean) < 4 * sd / math.sqrt(ORDERS)
        assert abs(sd / row.null_sd - 1) < 0.1
        assert 0.035 < np.mean(counted >= row.null_q95) < 0.065
        assert abs(np.mean(counted >= row.score) - row.p) < 0.03


def test_permutations_are_drawn_if_given_or_if_moments_do_not_apply() -> None:
    labels = np.arange(30) // 3
    cases = {
        "a number": sim.compare(reps(), "cka", permutations=7),
        "blocks": sim.compare(
            [Representation(n, x, blocks=labels) for n, x in reps().items()], "cka"
        ),
        "few rows": sim.compare(reps(n=29), "cka"),
        "no moments": sim.compare(
            reps(), ["mutual_knn", CKA(form="angular"), CustomMeasure()]
        ),
    }
    for name, found in cases.items():
        count = {row.permutations for row in found.rows}
        assert count == ({7} if name == "a number" else {199}), name
    assert sim.compare(reps(), "cka", permutations=0).rows[0].p is None


@pytest.mark.parametrize(
    ("name", "count", "shape", "expected"),
    [
        ("cka", 2, (30, 1), (199, "moments")),
        ("cka", 2, (29, 1), (199, "permutations")),
        ("cka", 2, (9000, 5), (199, "moments")),
        ("cka", 500, (1000, 8), (0, "moments")),  # orders would take days
        ("rsa", 30, (200, 8), (99, "moments")),
        ("rsa", 2, (9000, 8), (99, "permutations")),  # the cube takes longer
        ("rsa", 60, (9000, 8), (0, "moments")),
        ("procrustes", 2, (200, 64), (199, "permutations")),
        ("procrustes", 30, (200, 64), (99, "permutations")),
        ("procrustes", 30, (200, 300), (19, "permutations")),
        ("procrustes", 2, (9000, 640), (49, "permutations")),
        ("mean_cca", 2, (9000, 640), (49, "permutations")),
        ("mutual_knn", 2, (9000, 640), (199, "permutations")),
        ("soft_matching", 2, (30, 1), (19, "permutations")),
        ("rtd", 2, (30, 1), (0, None)),
    ],
)
def test_nulls_are_planned_by_predicted_work(
    name: str, count: int, shape: tuple[int, int], expected: tuple[int, str | None]
) -> None:
    values = np.ones(shape)
    named = [Representation(f"r{i}", values) for i in range(count)]
    planned = _plan.Plan(named, [sim.MEASURES[name]], _plan.Pairs(count))
    found = {(j.statistics.permutations, j.statistics.null) for j in planned.jobs}
    assert found == {expected}


def test_moment_and_permutation_nulls_are_different_jobs(tmp_path: Path) -> None:
    none = sim.compare(reps(), "cka", permutations=0, out=tmp_path)
    assert all(row.p is None for row in none.rows)
    four = sim.compare(reps(), "cka", out=tmp_path)
    assert all(row.p is not None for row in four.rows)
    three = sim.compare(reps(3), "cka", permutations=199, out=tmp_path)
    counted = {(row.a, row.b): row for row in three.rows}
    for row in four.rows:
        if (row.a, row.b) in counted:
            assert row.job != counted[row.a, row.b].job
            assert row.score == pytest.approx(counted[row.a, row.b].score, rel=1e-12)
            assert counted[row.a, row.b].permutations == 199


def test_table_names_the_measures_with_moment_nulls(tmp_path: Path) -> None:
    found = sim.compare(reps(), ["cka", "mutual_knn"], out=tmp_path)
    text = " ".join(found.table().split())
    assert "cka: p from exact moments; permutations=199 draws random orders." in text
    assert "mutual_knn: p from" not in text
    assert Results.load(tmp_path) == found
    few = sim.compare(reps(3), "cka", permutations=9).table()
    assert "exact moments" not in few


def test_pearson3_is_not_used_if_a_few_rows_dominate(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    heavy = {f"r{i}": rng.standard_cauchy(size=(100, 3)) for i in range(4)}
    rows = sim.compare(heavy, "cka").rows
    drawn = [row for row in rows if row.permutations]
    assert len(drawn) >= 4
    counted = sim.compare(heavy, "cka", permutations=199).rows
    for row, other in zip(rows, counted, strict=True):
        if row in drawn:
            assert row.p_method == "permutation"
            fields = ("p", "null_mean", "null_sd", "null_q95", "calibrated")
            for field in fields:
                assert getattr(row, field) == getattr(other, field)
    # If the permutations of all pairs take too long, the row says why it has no null.
    monkeypatch.setattr(_plan, "MOST_WORK", 1e6)
    refused = [row for row in sim.compare(heavy, "cka").rows if row.p is None]
    assert len(refused) == len(drawn)
    for row in refused:
        assert "a few rows outweigh all others" in row.details["null"]
        assert row.score is not None
    # Permutations are valid, and are then not refined by a Pearson III distribution.
    x = rng.normal(size=(100, 3))
    x[:2] = 1e3
    twins = {"a": x, "b": x * 2}
    row = sim.compare(twins, "cka", permutations=199).rows[0]
    assert (row.p, row.p_method) == (1 / 200, "permutation")


@pytest.mark.parametrize("power", [1, 3])
@pytest.mark.parametrize("rank", [1, 8])
def test_pearson3_p_values_have_the_nominal_rate(power: int, rank: int) -> None:
    """Over random orders of one pair; conservative for heavy tails."""
    rng, measure = np.random.default_rng(0), CKA()
    p, q = (measure.prepare(rng.normal(size=(200, rank)) ** power) for _ in range(2))
    moments = measure.null_moments(p, q)
    scores = measure.null(p, q, stats.orders(200, 4000, 0))
    found = [stats.closed_null(measure, float(s), moments).p for s in scores]
    least = {1: 0.04, 3: 0.025}[power]
    assert least < np.mean(np.array(found) <= 0.05) < 0.06


@pytest.mark.parametrize("skewness", [-0.4, -1e-2, -1e-4, 0.0, 1e-7, 2e-3, 0.9, 3.0])
@pytest.mark.parametrize("kind", ["similarity", "distance"])
def test_closed_null_equals_pearson3_of_scipy(skewness: float, kind: str) -> None:
    measure = CKA() if kind == "similarity" else sim.MEASURES["procrustes"]
    moments = (0.3, 0.04, skewness)
    law = scipy.stats.pearson3(skewness, loc=0.3, scale=0.2)
    if abs(skewness) < 1e-5:
        law = scipy.stats.norm(0.3, 0.2)
    for score in (0.1, 0.3, 0.45, 0.9):
        found = stats.closed_null(measure, score, moments, self_score=1.0)
        similar = kind == "similarity"
        tail = law.sf(score) if similar else law.cdf(score)
        np.testing.assert_allclose(found.p, tail, rtol=1e-4, atol=1e-12)
        quantile = law.ppf(0.95 if similar else 0.05)
        np.testing.assert_allclose(found.q95, quantile, rtol=1e-6)
        assert (found.mean, found.sd, found.permutations) == (0.3, 0.2, 0)


@pytest.mark.parametrize(("work", "asked"), [(1e9, True), (1e12, False)])
def test_moments_refine_p_of_permutations_only_if_they_cost_less(
    work: float, *, asked: bool
) -> None:
    calls = []

    class Costly(CKA):
        def moments_work(self, n: int, d: int) -> float:
            return work

        def null_moments(self, p: Any, q: Any) -> tuple[float, float, float]:
            calls.append(1)
            return super().null_moments(p, q)

    row = sim.compare(reps(2), Costly(), permutations=49).rows[0]
    assert row.permutations == 49
    assert bool(calls) == asked
