"""RSA against scipy, and the whitened cosine against its covariance."""

import itertools

import numpy as np
import pytest
import scipy

import similitude as sim

RNG = np.random.default_rng(7)
X = RNG.normal(size=(25, 6)) + 1
Y = X[:, :3] @ RNG.normal(size=(3, 5)) + RNG.normal(size=(25, 5))


def naive_kendall_a(a: np.ndarray, b: np.ndarray) -> float:
    signs = [
        np.sign(a[i] - a[j]) * np.sign(b[i] - b[j])
        for i, j in itertools.combinations(range(len(a)), 2)
    ]
    return float(np.mean(signs))


def naive_whitened_cosine(a: np.ndarray, b: np.ndarray) -> float:
    """d'V^-1 e with V the squared overlaps of the contrasts, inverted for real."""
    n = round((1 + np.sqrt(1 + 8 * len(a))) / 2)
    contrasts = np.asarray(
        [np.eye(n)[i] - np.eye(n)[j] for i, j in itertools.combinations(range(n), 2)]
    )
    v = (contrasts @ contrasts.T) ** 2

    def dot(p: np.ndarray, q: np.ndarray) -> float:
        return p @ np.linalg.solve(v, q)

    return dot(a, b) / np.sqrt(dot(a, a) * dot(b, b))


OUTERS = {
    "spearman": lambda a, b: scipy.stats.spearmanr(a, b).statistic,
    "pearson": lambda a, b: scipy.stats.pearsonr(a, b).statistic,
    "kendall_a": naive_kendall_a,
    "kendall_b": lambda a, b: scipy.stats.kendalltau(a, b).statistic,
    "cosine": lambda a, b: a @ b / np.sqrt((a @ a) * (b @ b)),
    "whitened_cosine": naive_whitened_cosine,
}


@pytest.mark.parametrize("inner", ["correlation", "cosine", "euclidean", "sqeuclidean"])
@pytest.mark.parametrize("outer", OUTERS)
def test_trap_16_definition(inner: str, outer: str) -> None:
    a, b = (scipy.spatial.distance.pdist(v, inner) for v in (X, Y))
    got = sim.rsa(X, Y, inner=inner, outer=outer)
    np.testing.assert_allclose(got, OUTERS[outer](a, b), rtol=1e-9)


def test_defaults_are_correlation_and_spearman() -> None:
    a, b = (scipy.spatial.distance.pdist(v, "correlation") for v in (X, Y))
    expected = scipy.stats.spearmanr(a, b).statistic
    np.testing.assert_allclose(sim.rsa(X, Y), expected, rtol=1e-10)


def test_whitened_cosine_of_squared_distances_is_biased_linear_cka() -> None:
    whitened = sim.rsa(X, Y, inner="sqeuclidean", outer="whitened_cosine")
    np.testing.assert_allclose(whitened, sim.cka(X, Y, estimator="biased"), rtol=1e-11)


@pytest.mark.parametrize("outer", ["spearman", "kendall_a", "kendall_b"])
def test_ties_tie(outer: str) -> None:
    """Integer data, whose distances tie exactly, at an awkward offset."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(3, size=(20, 4)), rng.integers(2, size=(20, 5))
    a, b = (scipy.spatial.distance.pdist(v, "sqeuclidean") for v in (x, y))
    for shift in (0.0, 0.1, 1e3 + 1 / 3):
        got = sim.rsa(x + shift, y - shift, inner="euclidean", outer=outer)
        np.testing.assert_allclose(got, OUTERS[outer](a, b), rtol=1e-12)


@pytest.mark.parametrize("outer", ["spearman", "pearson", "whitened_cosine"])
def test_blocks(outer: str) -> None:
    x = RNG.normal(size=(300, 4))
    y = x + RNG.normal(size=(300, 4))
    expected = sim.rsa(x, y, inner="euclidean", outer=outer)
    with sim.config(memory_budget=2**20):
        got = sim.rsa(x, y, inner="euclidean", outer=outer)
    np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_a_row_without_direction_is_named() -> None:
    x = X.copy()
    x[3] = 0.7
    with pytest.raises(sim.Undefined, match="row 3 is constant"):
        sim.rsa(x, Y)
    x[3] = 0
    with pytest.raises(sim.Undefined, match="row 3 is zero"):
        sim.rsa(x, Y, inner="cosine")
    with pytest.raises(sim.Undefined, match="equally dissimilar"):
        sim.rsa(np.eye(8), Y[:8], inner="euclidean")
