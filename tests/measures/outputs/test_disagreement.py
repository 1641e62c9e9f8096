"""Disagreement against counts."""

import numpy as np
import pytest

import similitude as sim

LABELS = np.asarray([0, 1, 2, 2, 1])
OTHER = np.asarray([0, 1, 1, 0, 1])


def test_disagreement_is_the_share_of_different_predictions() -> None:
    np.testing.assert_allclose(sim.disagreement(LABELS, OTHER), 2 / 5)
    np.testing.assert_allclose(sim.disagreement(LABELS, LABELS), 0)


def test_normalized_disagreement_divides_by_the_mean_error_rate() -> None:
    """Accuracies 0.90 and 0.92 with 6.5 % mismatches give 0.72222."""
    n = 200
    targets = np.zeros(n, dtype=int)
    x, y = targets.copy(), targets.copy()
    x[:20] = 1  # 20 errors
    y[7:23] = 1  # 16 errors; they differ in rows 0-6 and 20-22: 10 rows
    y[7:10] = 2  # and in 3 more rows, on which both are wrong
    a, b = (sim.Outputs(labels=v, targets=targets) for v in (x, y))
    np.testing.assert_allclose(sim.disagreement(a, b), 0.065)
    normalized = sim.disagreement(a, b, form="normalized")
    np.testing.assert_allclose(normalized, 0.72222, atol=5e-6)


def test_the_prediction_is_the_largest_log_probability() -> None:
    log_probs = np.log([[0.7, 0.3], [0.4, 0.6], [1.0, 1.0]])
    log_probs[2, 1] = -np.inf  # probability 0 is valid
    np.testing.assert_allclose(
        sim.disagreement(log_probs, np.asarray([0, 1, 1])), 1 / 3
    )


def test_invalid_outputs_are_refused() -> None:
    with pytest.raises(sim.InvalidInput, match="5 rows and y has 4"):
        sim.disagreement(LABELS, OTHER[:4])
    with pytest.raises(sim.InvalidInput, match="true classes"):
        sim.disagreement(LABELS, OTHER, form="normalized")
    right = sim.Outputs(labels=LABELS, targets=LABELS)
    with pytest.raises(sim.Undefined, match="always right"):
        sim.disagreement(right, right, form="normalized")
    with pytest.raises(sim.InvalidInput, match="different targets"):
        sim.disagreement(right, sim.Outputs(labels=LABELS, targets=OTHER))
    with pytest.raises(sim.InvalidInput, match="log_softmax"):
        sim.disagreement(np.asarray([[2.0, 1.0]]), np.asarray([0]))
    with pytest.raises(sim.InvalidInput, match="1-d integer"):
        sim.disagreement(LABELS / 2, OTHER)
