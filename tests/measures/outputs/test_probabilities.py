"""Divergences of probabilities against scipy."""

import numpy as np
import pytest
import scipy
import torch

import similitude as sim

RNG = np.random.default_rng(12)
P, Q = RNG.dirichlet(np.full(5, 0.3), size=(2, 40))
LOG_P, LOG_Q = np.log(P), np.log(Q)


def naive_jensen_shannon(p: np.ndarray, q: np.ndarray) -> float:
    m = (p + q) / 2
    each = scipy.special.rel_entr(p, m) + scipy.special.rel_entr(q, m)
    return np.mean(each.sum(axis=1) / 2)


def test_jensen_shannon_equals_scipy() -> None:
    expected = naive_jensen_shannon(P, Q)
    np.testing.assert_allclose(sim.jensen_shannon(LOG_P, LOG_Q), expected, rtol=1e-12)
    root = sim.jensen_shannon(LOG_P, LOG_Q, form="distance")
    np.testing.assert_allclose(root, np.sqrt(expected), rtol=1e-12)


def test_kl_divergence_equals_scipy() -> None:
    expected = np.mean(scipy.special.rel_entr(P, Q).sum(axis=1))
    np.testing.assert_allclose(sim.kl_divergence(LOG_P, LOG_Q), expected, rtol=1e-12)
    expected = np.mean(scipy.special.rel_entr(Q, P).sum(axis=1))
    np.testing.assert_allclose(sim.kl_divergence(LOG_Q, LOG_P), expected, rtol=1e-12)


@pytest.mark.parametrize("step", [1e-4, 1e-8])
def test_divergences_of_close_probabilities_are_accurate(step: float) -> None:
    """To second order they are the sum of (p - q)^2 / p, divided by 8 and by 2."""
    p = np.asarray([[0.2, 0.3, 0.5]])
    move = np.asarray([[1.0, 1.0, -2.0]])
    q = p + step * move
    chi = step**2 * np.sum(move**2 / p)
    got = sim.jensen_shannon(np.log(p), np.log(q))
    np.testing.assert_allclose(got, chi / 8, rtol=20 * step + 1e-7)
    got = sim.kl_divergence(np.log(p), np.log(q))
    np.testing.assert_allclose(got, chi / 2, rtol=20 * step + 1e-7)


def test_probabilities_of_zero_give_finite_scores_and_gradients() -> None:
    certain = np.asarray([[0.0, -np.inf], [-np.inf, 0.0]])
    half = np.log(np.full((2, 2), 0.5))
    np.testing.assert_allclose(sim.kl_divergence(certain, half), np.log(2))
    np.testing.assert_allclose(sim.jensen_shannon(certain, certain[::-1]), np.log(2))
    np.testing.assert_allclose(sim.jensen_shannon(certain, certain), 0)
    with pytest.raises(sim.Undefined, match="row 0: y gives probability 0"):
        sim.kl_divergence(half, certain)
    x = torch.asarray(certain).requires_grad_(True)  # noqa: FBT003
    sim.jensen_shannon(x, torch.asarray(half)).backward()
    assert not bool(torch.isnan(x.grad).any())


def test_labels_and_unequal_numbers_of_classes_are_refused() -> None:
    with pytest.raises(sim.InvalidInput, match="not labels"):
        sim.jensen_shannon(np.arange(3), np.arange(3))
    with pytest.raises(sim.InvalidInput, match="5 classes and y has 4"):
        sim.kl_divergence(LOG_P, np.log(RNG.dirichlet(np.ones(4), size=40)))
