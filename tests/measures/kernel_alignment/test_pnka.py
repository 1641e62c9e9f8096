"""PNKA equals its definition: the cosine of two rows of centered Gram matrices."""

import numpy as np
import pytest

import similitude as sim
from similitude.testing._battery import related


def naive_profiles(x: np.ndarray, estimator: str) -> np.ndarray:
    """The centered Gram matrix, row by row."""
    n = len(x)
    k = x @ x.T
    if estimator == "biased":
        h = np.eye(n) - 1 / n
        return h @ k @ h
    k -= np.diag(np.diag(k))
    sums = k.sum(axis=1)
    k -= (sums[:, None] + sums[None, :]) / (n - 2) - sums.sum() / ((n - 1) * (n - 2))
    return k - np.diag(np.diag(k))


@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
@pytest.mark.parametrize("shape", [(40, 6, 5), (30, 45, 2), (20, 50, 60)])
def test_pnka_equals_the_cosines_of_profiles(estimator: str, shape: tuple) -> None:
    x, y = related(np.random.default_rng(0), *shape)
    k, l = naive_profiles(x, estimator), naive_profiles(y, estimator)  # noqa: E741
    expected = [
        a @ b / np.linalg.norm(a) / np.linalg.norm(b) for a, b in zip(k, l, strict=True)
    ]
    measure = sim.measures.PNKA(estimator=estimator)
    np.testing.assert_allclose(sim.per_stimulus(x, y, measure), expected, atol=1e-12)
    np.testing.assert_allclose(measure(x, y), np.mean(expected), atol=1e-12)


def test_unbiased_pnka_of_wide_noise_is_near_0_and_biased_is_near_1() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 50, 1000))
    assert sim.pnka(x, y) > 0.9
    assert abs(sim.pnka(x, y, estimator="unbiased")) < 0.1


@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
def test_a_row_at_the_mean_is_refused_by_its_number(estimator: str) -> None:
    x, y = (v.copy() for v in related(np.random.default_rng(0), 20, 4, 5))
    x[7] = np.delete(x, 7, axis=0).mean(axis=0)
    with pytest.raises(sim.Undefined, match="x: row 7 is the mean of all rows"):
        sim.pnka(x, y, estimator=estimator)
