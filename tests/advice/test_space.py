"""Descriptors of one space follow their definitions."""

import numpy as np
import pytest

from similitude import Representation
from similitude.advice import describe

RNG = np.random.default_rng(0)


def described(x: np.ndarray):
    return describe(Representation("x", x))


def test_effective_rank_is_the_entropy_of_the_singular_values() -> None:
    x = RNG.normal(size=(80, 6)) * np.arange(1, 7) + 2
    s = np.linalg.svd(x, compute_uv=False)
    shares = s / s.sum()
    expected = np.exp(-(shares * np.log(shares)).sum())
    for given in (x, x[:4], 1e200 * x, 1e-200 * x):
        s = np.linalg.svd(given, compute_uv=False)
        shares = s / s.sum()
        expected = np.exp(-(shares * np.log(shares)).sum())
        np.testing.assert_allclose(described(given).effective_rank, expected)
    np.testing.assert_allclose(described(np.eye(7)).effective_rank, 7)
    one = np.outer(RNG.normal(size=9), RNG.normal(size=4))
    np.testing.assert_allclose(described(one).effective_rank, 1, atol=1e-5)


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0])
def test_spectrum_exponent_of_a_power_law(exponent: float) -> None:
    """Orthogonal centered columns whose variances fall exactly as a power."""
    basis = np.linalg.qr(RNG.normal(size=(200, 40)) - 0)[0]
    basis -= basis.mean(axis=0)
    basis = np.linalg.qr(basis)[0]
    x = basis * np.arange(1, 41) ** (-exponent / 2)
    np.testing.assert_allclose(described(x).spectrum_exponent, exponent, rtol=0.02)
    rotated = 3 * x @ np.linalg.qr(RNG.normal(size=(40, 40)))[0]
    np.testing.assert_allclose(
        described(rotated).spectrum_exponent, described(x).spectrum_exponent
    )


def test_mean_cosine_is_the_mean_over_all_pairs() -> None:
    x = RNG.normal(size=(30, 5)) + 1
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    cosines = (unit @ unit.T)[~np.eye(30, dtype=bool)]
    np.testing.assert_allclose(described(x).mean_cosine, cosines.mean())
    np.testing.assert_allclose(described(np.ones((5, 3)) * 2).mean_cosine, 1.0)


def test_descriptors_that_do_not_exist_are_none() -> None:
    found = described(np.zeros((9, 2)))
    assert found.effective_rank == 0.0
    assert found.spectrum_exponent is None
    assert found.mean_cosine is None
    assert described(RNG.normal(size=(20, 5))).spectrum_exponent is None
