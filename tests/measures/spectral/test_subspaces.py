"""Subspace and probe measures against n x n projections and known identities."""

import tracemalloc

import numpy as np
import pytest

import similitude as sim

RNG = np.random.default_rng(14)
X = RNG.normal(size=(40, 6)) * [3, 2, 1, 1, 0.5, 0.1] + 1
Y = X[:, :3] @ RNG.normal(size=(3, 9)) + RNG.normal(size=(40, 9)) - 2
LOW = RNG.normal(size=(40, 3)) @ RNG.normal(size=(3, 8)) + 5  # rank 4, centered 3


def centered(x: np.ndarray) -> np.ndarray:
    return x - x.mean(axis=0)


def projection(x: np.ndarray) -> np.ndarray:
    return x @ np.linalg.pinv(x, rcond=1e-10)


def ranks(x: np.ndarray, y: np.ndarray) -> list[int]:
    return [np.linalg.matrix_rank(v, tol=1e-8) for v in (x, y)]


def squared_correlations(x: np.ndarray, y: np.ndarray) -> float:
    """The sum of rho^2, from mean_cca."""
    mean = float(sim.mean_cca(x, y, form="squared"))
    return mean * min(ranks(centered(x), centered(y)))


@pytest.mark.parametrize("pair", [(X, Y), (Y, X), (X, LOW), (LOW, Y)])
@pytest.mark.parametrize("center", [False, True])
def test_eigenspace_overlap_by_definition(pair, center: bool) -> None:  # noqa: FBT001
    x, y = pair
    a, b = (centered(v) if center else v for v in (x, y))
    expected = np.sum(projection(a) * projection(b)) / max(ranks(a, b))
    got = sim.eigenspace_overlap(x, y, center=center)
    np.testing.assert_allclose(got, expected, rtol=1e-10)


@pytest.mark.parametrize("pair", [(X, Y), (X, LOW)])
def test_centered_overlap_is_the_sum_of_squared_correlations(pair) -> None:
    largest = max(ranks(*map(centered, pair)))
    got = sim.eigenspace_overlap(*pair, center=True)
    np.testing.assert_allclose(got, squared_correlations(*pair) / largest, rtol=1e-10)


def naive_gulp(x: np.ndarray, y: np.ndarray, ridge: float) -> float:
    """The squared distance, by the formula with d x d inverses."""
    n = len(x)
    x, y = (centered(v) for v in (x, y))
    x, y = (v / np.sqrt(np.mean(np.sum(v**2, axis=1))) for v in (x, y))
    a, b, c = x.T @ x / n, y.T @ y / n, x.T @ y / n
    al, bl = (np.linalg.inv(v + ridge * np.eye(len(v))) for v in (a, b))
    return (
        np.trace(al @ a @ al @ a)
        + np.trace(bl @ b @ bl @ b)
        - 2 * np.trace(al @ c @ bl @ c.T)
    )


@pytest.mark.parametrize("ridge", [1e-4, 0.01, 1.0])
def test_squared_gulp_equals_its_definition(ridge: float) -> None:
    expected = naive_gulp(X, Y, ridge)
    got = sim.gulp(X, Y, ridge=ridge, form="squared")
    np.testing.assert_allclose(got, expected, rtol=1e-9)


def test_gulp_is_the_root_of_the_square_and_accepts_wide_inputs() -> None:
    got = sim.gulp(X, Y)
    np.testing.assert_allclose(got**2, naive_gulp(X, Y, 0.01), rtol=1e-9)
    wide = RNG.normal(size=(40, 100))
    got = sim.gulp(wide, Y)
    np.testing.assert_allclose(got**2, naive_gulp(wide, Y, 0.01), rtol=1e-9)
    with pytest.raises(sim.Undefined, match="rank 39 and n - 1 = 39"):
        sim.gulp(wide, Y, ridge=0.0)


@pytest.mark.parametrize("pair", [(X, Y), (Y, X), (X, LOW)])
def test_gulp_without_a_ridge_is_a_sum_of_canonical_correlations(pair) -> None:
    r1, r2 = ranks(*map(centered, pair))
    expected = r1 + r2 - 2 * squared_correlations(*pair)
    got = sim.gulp(*pair, ridge=0.0)
    np.testing.assert_allclose(got**2, expected, rtol=1e-9)


def test_gulp_is_the_mean_difference_of_ridge_predictions() -> None:
    """The squared difference of two ridge regressions, averaged over targets."""
    n, ridge = 40, 0.05
    smoothers = []
    for v in (X, Y):
        v = centered(v)
        v /= np.sqrt(np.mean(np.sum(v**2, axis=1)))
        inverse = np.linalg.inv(v.T @ v + n * ridge * np.eye(v.shape[1]))
        smoothers.append(v @ inverse @ v.T)
    targets = np.sqrt(n) * np.eye(n)  # orthogonal, of unit mean square
    predicted = [s @ targets for s in smoothers]
    expected = np.sum((predicted[0] - predicted[1]) ** 2) / n
    got = sim.gulp(X, Y, ridge=ridge, form="squared")
    np.testing.assert_allclose(got, expected, rtol=1e-9)


def test_eigenspace_overlap_at_full_rank_is_undefined() -> None:
    wide = RNG.normal(size=(40, 40))
    with pytest.raises(sim.Undefined, match="rank 40"):
        sim.eigenspace_overlap(wide, X)
    with pytest.raises(sim.Undefined, match="rank 39"):
        sim.eigenspace_overlap(wide, X, center=True)


@pytest.mark.parametrize("measure", [sim.eigenspace_overlap, sim.gulp])
def test_no_n_by_n_matrix_is_allocated(measure) -> None:
    """With 3,000 stimuli and 8 columns, each n x n projection would take 72 MB."""
    x, y = RNG.normal(size=(2, 3000, 8))
    measure(x, y)
    tracemalloc.start()
    measure(x, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3000 * 3000
