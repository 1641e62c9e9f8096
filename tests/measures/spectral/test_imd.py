"""IMD against a dense matrix exponential, and its stochastic estimate against IMD."""

import numpy as np
import pytest
import scipy

import similitude as sim
from similitude._base._validate import points
from similitude.measures.neighbors._base import neighbors
from similitude.measures.spectral._heat_traces import (
    estimated_traces,
    exact_trace,
    random_walk,
)

RNG = np.random.default_rng(15)
X = RNG.normal(size=(80, 3))
Y = np.column_stack([RNG.uniform(size=(60, 2)), np.zeros(60)])  # planar, fewer rows


def naive_trace(x: np.ndarray, times: np.ndarray, k: int = 5) -> np.ndarray:
    n = len(x)
    adjacent = np.zeros((n, n))
    for i in range(n):
        distances = [
            np.linalg.norm(x[i] - x[j]) if i != j else np.inf for j in range(n)
        ]
        for j in np.argsort(distances)[:k]:
            adjacent[i, j] = adjacent[j, i] = 1
    degree = np.diag(adjacent.sum(axis=1) ** -0.5)
    laplacian = np.eye(n) - degree @ adjacent @ degree
    return np.asarray([np.trace(scipy.linalg.expm(-t * laplacian)) / n for t in times])


def test_imd_equals_its_definition() -> None:
    times = np.logspace(-1, 1, 256)
    difference = np.abs(naive_trace(X, times) - naive_trace(Y, times))
    expected = 1e6 * np.max(np.exp(-2 * (times + 1 / times)) * difference)
    np.testing.assert_allclose(sim.imd(X, Y), expected, rtol=1e-9)
    expected = 1e6 * np.linalg.norm(difference)
    np.testing.assert_allclose(sim.imd(X, Y, aggregate="l2"), expected, rtol=1e-9)


def test_heat_trace_falls_from_one_at_time_zero() -> None:
    """At t = 0 the trace is that of an empty graph, 1; at 0.1 it is still near 1."""
    trace = sim.measures.IMD().prepare(X).traces[0]
    assert np.all(np.diff(trace) < 0)
    # tr L = n, so the trace is 1 - t + O(t^2).
    assert 0 < trace[0] - (1 - 0.1) < 0.1**2


@pytest.mark.parametrize("aggregate", ["max", "l2"])
def test_estimate_is_within_its_standard_error(aggregate: str) -> None:
    """With k = 5, 10 steps and 100 draws."""
    exact = float(sim.imd(X, Y, aggregate=aggregate))
    measure = sim.measures.IMD(estimator="stochastic", aggregate=aggregate)
    errors, claimed = [], []
    for rng in range(40):
        seed = np.random.SeedSequence(rng)
        p, q = measure.prepare(X, seed), measure.prepare(Y, seed)
        errors.append(float(measure.compare(p, q)) - exact)
        claimed.append(measure.details(p, q)["standard_error"])
    np.testing.assert_allclose(np.mean(claimed), np.std(errors), rtol=0.4)
    assert abs(np.mean(errors)) < 4 * np.std(errors) / np.sqrt(40) + 0.1 * np.std(
        errors
    )


def test_imd_from_itself_is_zero() -> None:
    measure = sim.measures.IMD(estimator="stochastic")
    np.testing.assert_array_equal(measure(X, X, rng=3), 0)
    np.testing.assert_array_equal(sim.imd(X, X), 0)
    assert measure(X, Y, rng=3) > 0


def test_stochastic_estimate_does_not_depend_on_the_order_of_rows() -> None:
    order = RNG.permutation(80)
    measure = sim.measures.IMD(estimator="stochastic")
    expected = measure(X, Y, rng=1)
    np.testing.assert_allclose(measure(X[order], Y, rng=1), expected, rtol=1e-9)


def test_rng_is_required_only_if_vectors_are_drawn(monkeypatch) -> None:
    sim.imd(X, Y)
    with pytest.raises(sim.InvalidInput, match="Pass rng=0"):
        sim.imd(X, Y, estimator="stochastic")
    monkeypatch.setattr("similitude.measures.spectral._imd._MAX_EXACT_ROWS", 70)
    with pytest.raises(sim.InvalidInput, match="imd of 80 rows is estimated"):
        sim.imd(X, Y)
    measure = sim.measures.IMD()
    seed = np.random.SeedSequence(0)
    p, q = measure.prepare(X, seed), measure.prepare(Y, seed)
    details = measure.details(p, q)
    assert (details["draws_x"], details["draws_y"]) == (100, 0)
    assert details["standard_error"] > 0
    assert sim.measures.IMD(estimator="exact").details(q, q)["standard_error"] == 0


def test_a_small_memory_budget_gives_the_same_imd() -> None:
    measure = sim.measures.IMD(estimator="stochastic")
    x = RNG.normal(size=(300, 3))
    expected = measure(x, Y, rng=0)
    with sim.config(memory_budget=2**20):
        np.testing.assert_allclose(measure(x, Y, rng=0), expected, rtol=1e-9)


def test_quadrature_is_exact_if_steps_exhaust_the_space() -> None:
    """The estimates from all unit vectors average to the trace."""
    lists = neighbors(points(X[:9]), 5, "euclidean").indices
    for steps in (9, 30):
        found = estimated_traces(random_walk(lists), np.eye(9), steps)
        np.testing.assert_allclose(found.mean(axis=0), exact_trace(lists)[0], rtol=1e-9)


def test_draws_with_the_exact_estimator_is_refused() -> None:
    with pytest.raises(sim.InvalidInput, match="draws= does nothing"):
        sim.imd(X, Y, estimator="exact", draws=50)
