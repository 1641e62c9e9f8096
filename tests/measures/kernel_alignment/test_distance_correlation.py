"""Distance correlation against its definition, and against CKA."""

import itertools

import numpy as np
import pytest

import similitude as sim
from measures.kernel_alignment.naive_hsic import naive_hsic_0, naive_hsic_1
from similitude import _linalg

RNG = np.random.default_rng(8)
X = RNG.normal(size=(30, 4)) + 3
Y = X[:, :2] ** 2 + RNG.normal(size=(30, 2))


def distances(x: np.ndarray) -> np.ndarray:
    return np.asarray([[np.linalg.norm(a - b) for b in x] for a in x])


def naive(x: np.ndarray, y: np.ndarray, estimator: str) -> float:
    """Szekely, Rizzo (and Bakirov): entry by entry."""
    a, b = _centered(distances(x), estimator), _centered(distances(y), estimator)
    return np.sum(a * b) / np.sqrt(np.sum(a * a) * np.sum(b * b))


def _centered(d: np.ndarray, estimator: str) -> np.ndarray:
    n, out = len(d), np.zeros_like(d)
    for i, j in itertools.product(range(n), repeat=2):
        if estimator == "biased":
            out[i, j] = d[i, j] - d[i].mean() - d[:, j].mean() + d.mean()
        elif i != j:
            effects = (d[i].sum() + d[:, j].sum()) / (n - 2)
            out[i, j] = d[i, j] - effects + d.sum() / ((n - 1) * (n - 2))
    return out


def test_estimators_and_forms_equal_their_definitions() -> None:
    expected = naive(X, Y, "unbiased")
    np.testing.assert_allclose(sim.distance_correlation(X, Y), expected, rtol=1e-10)
    square = naive(X, Y, "biased")
    got = sim.distance_correlation(X, Y, estimator="biased")
    np.testing.assert_allclose(got, square, rtol=1e-10)
    root = sim.distance_correlation(X, Y, estimator="biased", form="root")
    np.testing.assert_allclose(root, np.sqrt(square), rtol=1e-10)
    with pytest.raises(sim.InvalidInput, match="form='root'"):
        sim.distance_correlation(X, Y, form="root")


def test_biased_distance_correlation_of_noise_is_near_one() -> None:
    """n = 50, d = 500: biased dCor is 0.98 or more, the corrected square near 0."""
    x, y = np.random.default_rng(0).normal(size=(2, 50, 500))
    biased = sim.distance_correlation(x, y, estimator="biased", form="root")
    assert biased > 0.95
    assert abs(sim.distance_correlation(x, y)) < 0.1


@pytest.mark.parametrize("estimator", ["unbiased", "biased"])
def test_distance_correlation_is_cka_with_the_induced_kernel(estimator: str) -> None:
    """k(a, b) = |a - o| + |b - o| - |a - b|, for any origin o."""
    kernels = []
    for x in (X, Y):
        to_origin = np.linalg.norm(x - x[3], axis=1)
        kernels.append(to_origin[:, None] + to_origin[None, :] - distances(x))
    hsic = naive_hsic_1 if estimator == "unbiased" else naive_hsic_0
    k, l = kernels  # noqa: E741
    expected = hsic(k, l) / np.sqrt(hsic(k, k) * hsic(l, l))
    got = sim.distance_correlation(X, Y, estimator=estimator)
    np.testing.assert_allclose(got, expected, rtol=1e-9)


def test_blocks_fit_the_memory_budget() -> None:
    """With 1 MiB no matrix of 600 x 600 is stored, and the score is the same."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(600, 3)), rng.normal(size=(600, 2))
    y[:, 0] += np.abs(x[:, 0])
    expected = sim.distance_correlation(x, y)
    measure = sim.measures.DistanceCorrelation()
    with sim.config(memory_budget=2**20):
        p = measure.prepare(x)
        assert not p.gram.panels
        shapes = [p.gram.block(a, b, a).shape for a, b in _linalg.panels(600)]
        assert max(h * w * 8 for h, w in shapes) <= 2**20 / 8
        got = sim.distance_correlation(x, y)
        moved = measure.permute(measure.prepare(y), np.arange(600))
        np.testing.assert_allclose(measure.compare(p, moved), expected, rtol=1e-10)
    np.testing.assert_allclose(got, expected, rtol=1e-10)


@pytest.mark.parametrize("estimator", ["unbiased", "biased"])
def test_null_moments_agree_with_random_permutations(estimator: str) -> None:
    rng = np.random.default_rng(5)
    measure = sim.measures.DistanceCorrelation(estimator=estimator)
    x = rng.gamma(0.5, size=(35, 3))
    p, q = measure.prepare(x), measure.prepare(x[:, :1] ** 2)
    orders = rng.permuted(np.tile(np.arange(35), (4000, 1)), axis=1)
    mean, variance, skewness = measure.null_moments(p, q)
    z = (np.asarray(measure.null(p, q, orders)) - mean) / np.sqrt(variance)
    for k, expected in ((1, 0.0), (2, 1.0), (3, skewness)):
        error = np.std(z**k) / np.sqrt(len(z))
        assert abs(np.mean(z**k) - expected) < 4 * error


def test_root_form_does_not_offer_null_moments() -> None:
    assert sim.measures.DistanceCorrelation().offers("null_moments")
    root = sim.measures.DistanceCorrelation(estimator="biased", form="root")
    assert not root.offers("null_moments")
    assert root.offers("null")


def test_distance_correlation_detects_nonlinear_dependence() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 1))
    y = x**2 - 1
    assert sim.distance_correlation(x, y) > 0.15
    assert sim.cka(x, y) < 0.1
