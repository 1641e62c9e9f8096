"""Measures of errors against counts and scikit-learn."""

import numpy as np
import pytest
import sklearn.metrics

import similitude as sim

RNG = np.random.default_rng(13)
TARGETS = RNG.integers(4, size=200)


def outputs(error_rate: float) -> sim.Outputs:
    wrong = RNG.random(200) < error_rate
    labels = np.where(wrong, (TARGETS + RNG.integers(1, 4, size=200)) % 4, TARGETS)
    return sim.Outputs(labels=labels, targets=TARGETS)


X, Y = outputs(0.3), outputs(0.2)


def test_error_consistency_is_cohens_kappa() -> None:
    right = [v.labels == TARGETS for v in (X, Y)]
    expected = sklearn.metrics.cohen_kappa_score(*right)
    np.testing.assert_allclose(sim.error_consistency(X, Y), expected, rtol=1e-12)
    np.testing.assert_allclose(sim.error_consistency(X, X), 1)


def test_accuracy_difference_equals_scikit_learn() -> None:
    a, b = (sklearn.metrics.accuracy_score(TARGETS, v.labels) for v in (X, Y))
    np.testing.assert_allclose(sim.accuracy_difference(X, Y), abs(a - b), rtol=1e-12)
    assert sim.accuracy_difference(X, Y) <= sim.disagreement(X, Y)


def test_accuracy_difference_accepts_different_stimuli() -> None:
    y = sim.Outputs(labels=Y.labels[:50], targets=(TARGETS[:50] + 1) % 4)
    b = np.mean(Y.labels[:50] == (TARGETS[:50] + 1) % 4)
    expected = abs(np.mean(X.labels == TARGETS) - b)
    np.testing.assert_allclose(sim.accuracy_difference(X, y), expected, rtol=1e-12)
    with pytest.raises(sim.InvalidInput, match="200 rows and y has 50"):
        sim.error_consistency(X, y)


def test_perfect_models_are_undefined_and_missing_targets_are_refused() -> None:
    perfect = sim.Outputs(labels=TARGETS, targets=TARGETS)
    with pytest.raises(sim.Undefined, match="always right"):
        sim.error_consistency(perfect, perfect)
    np.testing.assert_allclose(sim.error_consistency(perfect, X), 0, atol=1e-12)
    for measure in (sim.error_consistency, sim.accuracy_difference):
        with pytest.raises(sim.InvalidInput, match="true classes"):
            measure(TARGETS, TARGETS)
