"""Nulls from the exact moments of all row orders, for many pairs or rows."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy

import similitude as sim
from engine.custom_measures import CustomMeasure
from similitude import CKA, Representation, Results, stats
from similitude.engine import _plan

ORDERS = 3000


def reps(count: int = 4, n: int = 30) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(n, 2))
    return {
        f"r{i}": 0.5 * z @ rng.normal(size=(2, 4)) + rng.normal(size=(n, 4))
        for i in range(count)
    }


@pytest.fixture
def low_limit(monkeypatch) -> None:
    """More than 3 pairs of 30 rows use exact moments."""
    monkeypatch.setattr(_plan, "COUNTED_ENTRIES", 3 * 30**2)


@pytest.mark.usefixtures("low_limit")
@pytest.mark.parametrize(
    "measure", [CKA(), CKA(estimator="biased"), sim.MEASURES["distance_correlation"]]
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


@pytest.mark.usefixtures("low_limit")
def test_permutations_are_drawn_if_given_or_if_moments_do_not_apply() -> None:
    labels = np.arange(30) // 3
    cases = {
        "a number": sim.compare(reps(), "cka", permutations=7),
        "blocks": sim.compare(
            [Representation(n, x, blocks=labels) for n, x in reps().items()], "cka"
        ),
        "few pairs": sim.compare(reps(3), "cka"),
        "no moments": sim.compare(
            reps(), ["mutual_knn", CKA(form="angular"), CustomMeasure()]
        ),
    }
    for name, found in cases.items():
        count = {row.permutations for row in found.rows}
        assert count == ({7} if name == "a number" else {199}), name
    assert sim.compare(reps(), "cka", permutations=0).rows[0].p is None


@pytest.mark.parametrize(
    ("count", "n", "null"),
    [(12, 80, "permutations"), (2, 9000, "permutations"), (15, 990, "moments")],
)
def test_moments_are_used_above_the_limit_of_entries(
    count: int, n: int, null: str
) -> None:
    """The limit is pairs x n^2 = 1e8."""
    named = [Representation(f"r{i}", np.ones((n, 1))) for i in range(count)]
    planned = _plan.plan(named, [CKA()], _plan.Pairs(count))
    assert {job.statistics.null for job in planned.jobs} == {null}


@pytest.mark.usefixtures("low_limit")
def test_moment_and_permutation_nulls_are_different_jobs(tmp_path: Path) -> None:
    none = sim.compare(reps(), "cka", permutations=0, out=tmp_path)
    assert all(row.p is None for row in none.rows)
    four = sim.compare(reps(), "cka", out=tmp_path)
    assert all(row.p is not None for row in four.rows)
    three = sim.compare(reps(3), "cka", out=tmp_path)
    counted = {(row.a, row.b): row for row in three.rows}
    for row in four.rows:
        if (row.a, row.b) in counted:
            assert row.job != counted[row.a, row.b].job
            assert row.score == pytest.approx(counted[row.a, row.b].score, rel=1e-12)
            assert counted[row.a, row.b].permutations == 199


@pytest.mark.usefixtures("low_limit")
def test_table_names_the_measures_with_moment_nulls(tmp_path: Path) -> None:
    found = sim.compare(reps(), ["cka", "mutual_knn"], out=tmp_path)
    text = " ".join(found.table().split())
    assert "cka: null and p are computed from the exact moments over all row" in text
    assert "mutual_knn: null and p" not in text
    assert Results.load(tmp_path) == found
    few = sim.compare(reps(3), "cka").table()
    assert "exact moments" not in few


@pytest.mark.usefixtures("low_limit")
def test_pearson3_is_not_used_if_a_few_rows_dominate() -> None:
    rng = np.random.default_rng(0)
    heavy = {f"r{i}": rng.standard_cauchy(size=(100, 3)) for i in range(4)}
    rows = sim.compare(heavy, "cka").rows
    refused = [row for row in rows if row.p is None]
    assert len(refused) >= 4
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
