"""CAPA against its formula and against numbers of lm-sim, the authors' package."""

import json
from pathlib import Path

import numpy as np
import pytest

import similitude as sim

CASES = json.loads((Path(__file__).parent / "lm_sim_0_1_1.json").read_text())["cases"]


def outputs(p, targets):
    with np.errstate(divide="ignore"):
        return sim.Outputs(
            log_probs=np.maximum(np.log(p), -700.0), targets=np.array(targets)
        )


def naive(p, q, targets) -> float:
    n, classes = p.shape
    same = right_p = right_q = 0.0
    for i in range(n):
        for k in range(classes):
            same += p[i, k] * q[i, k] / n
        right_p += p[i, targets[i]] / n
        right_q += q[i, targets[i]] / n
    chance = right_p * right_q + (1 - right_p) * (1 - right_q) / (classes - 1)
    return (same - chance) / (1 - chance)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{len(case['x'])} stimuli")
def test_capa_equals_lm_sim(case) -> None:
    x, y = (outputs(np.array(case[side]), case["targets"]) for side in "xy")
    np.testing.assert_allclose(float(sim.capa(x, y)), case["capa"], rtol=1e-12)


@pytest.mark.parametrize(("n", "classes"), [(1, 2), (5, 3), (40, 2), (60, 20)])
def test_capa_equals_its_formula(n, classes) -> None:
    rng = np.random.default_rng(n)
    p, q = rng.dirichlet(np.full(classes, 0.3), size=(2, n))
    targets = rng.integers(classes, size=n)
    found = float(sim.capa(outputs(p, targets), outputs(q, targets)))
    np.testing.assert_allclose(found, naive(p, q, targets), rtol=1e-9, atol=1e-12)


def test_certain_models_that_agree_score_one_and_uncertain_ones_less() -> None:
    labels, targets = np.array([0, 1, 2, 0, 1]), np.array([0, 1, 2, 2, 2])
    certain = outputs(np.eye(3)[labels], targets)
    np.testing.assert_allclose(float(sim.capa(certain, certain)), 1.0)
    soft = outputs(0.8 * np.eye(3)[labels] + 0.2 / 3, targets)
    assert float(sim.capa(soft, soft)) < 0.9


def test_two_classes_of_certain_models_give_error_consistency() -> None:
    rng = np.random.default_rng(0)
    a, b, targets = rng.integers(2, size=(3, 50))
    x, y = (outputs(np.eye(2)[side], targets) for side in (a, b))
    labels = [sim.Outputs(labels=side, targets=targets) for side in (a, b)]
    expected = float(sim.error_consistency(*labels))
    np.testing.assert_allclose(float(sim.capa(x, y)), expected, rtol=1e-9)


def test_independent_models_score_zero_on_average() -> None:
    rng = np.random.default_rng(0)
    n, classes = 20_000, 5
    targets = rng.integers(classes, size=n)

    def model(accuracy: float):
        wrong = (targets + rng.integers(1, classes, size=n)) % classes
        labels = np.where(rng.uniform(size=n) < accuracy, targets, wrong)
        return outputs(np.eye(classes)[labels], targets)

    assert abs(float(sim.capa(model(0.7), model(0.4)))) < 0.02


def test_missing_parts_are_named() -> None:
    probabilities = np.log(np.full((3, 2), 0.5))
    with pytest.raises(sim.InvalidInput, match="capa needs the true classes"):
        sim.capa(probabilities, probabilities)
    labels = sim.Outputs(labels=[0, 1, 1], targets=[0, 1, 1])
    with pytest.raises(sim.InvalidInput, match="not labels"):
        sim.capa(labels, labels)
    perfect = outputs(np.eye(2)[[0, 1, 1]], [0, 1, 1])
    with pytest.raises(sim.Undefined, match="always right"):
        sim.capa(perfect, perfect)
