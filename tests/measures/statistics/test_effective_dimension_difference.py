"""Participation ratios against ratios of eigenvalues."""

import numpy as np
import pytest

import similitude as sim

RNG = np.random.default_rng(14)
Y = RNG.normal(size=(40, 9)) * np.linspace(0.5, 4, 9) - 2


@pytest.mark.parametrize("shape", [(40, 6), (10, 30)])
def test_effective_dimension_difference_by_definition(shape: tuple[int, int]) -> None:
    def ratio(x: np.ndarray) -> float:
        values = np.linalg.svd(x - x.mean(axis=0), compute_uv=False) ** 2
        return np.sum(values) ** 2 / np.sum(values**2)

    x = RNG.normal(size=shape) * np.linspace(0.1, 3, shape[1]) + 4
    expected = abs(ratio(x) - ratio(Y))
    got = sim.effective_dimension_difference(x, Y)
    np.testing.assert_allclose(got, expected, rtol=1e-10)
