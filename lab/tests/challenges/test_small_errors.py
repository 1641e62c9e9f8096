"""Equation 6: a small error term makes both models close to linear."""

import numpy as np
import pytest

from similitude.identifiability import m_cca, theorem2
from similitude.inputs import SoftmaxModel

SIZES = (1.0, 0.3, 0.1, 0.03, 0.01)


def models(noise: float, seed: int = 0) -> tuple[SoftmaxModel, SoftmaxModel]:
    """A model, and a linear map of it with noise in the embeddings."""
    rng = np.random.default_rng(seed)
    f, g = rng.standard_normal((200, 2)), rng.standard_normal((6, 2))
    a = np.array([[2.0, 1.0], [0.0, 1.5]])
    moved = f @ a.T + noise * rng.standard_normal(f.shape)
    return SoftmaxModel(moved, g @ np.linalg.inv(a)), SoftmaxModel(f, g)


def found(noise: float) -> tuple[float, float]:
    """The largest relative error, and the distance from a linear map."""
    star, prime = models(noise)
    maps = theorem2(star, prime, [0, 1, 3], [0, 1, 2])
    return max(maps.relative_error_f), 1 - m_cca(star.embeddings, prime.embeddings)


def test_m_cca_rises_to_one_as_the_error_falls() -> None:
    errors, distances = zip(*map(found, SIZES), strict=True)
    assert list(errors) == sorted(errors, reverse=True)
    assert list(distances) == sorted(distances, reverse=True)
    assert distances[-1] < 1e-4
    np.testing.assert_allclose(found(0.0), 0, atol=1e-9)


def test_errors_of_other_pairs_do_not_order_the_distances() -> None:
    """The test above can fail: 119 of 120 orders of the errors are not sorted."""
    distances = [found(noise)[1] for noise in (0.1, 1.0, 0.01, 0.3, 0.03)]
    assert distances != sorted(distances, reverse=True)


def test_equal_distributions_have_no_error() -> None:
    star, prime = models(0.0)
    np.testing.assert_allclose(star.log_probs(), prime.log_probs(), atol=1e-12)
    maps = theorem2(star, prime, [0, 1, 3], [0, 1, 2])
    assert pytest.approx(0, abs=1e-9) == np.abs(maps.h_f).max()
