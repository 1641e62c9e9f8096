"""Distances between softmax models equal the values of `similitude.identifiability`.

The tests of identifiability check the formulas; the contract tests check the claims.
"""

import math

import numpy as np
import pytest

import similitude as sim
from similitude import SoftmaxModel, identifiability
from similitude.testing._battery import draws

DRAW = draws("softmax")[0]


@pytest.mark.parametrize("name", ["d_llv", "d_fg", "d_rep"])
def test_softmax_scores_equal_the_identifiability_distances(name: str) -> None:
    distance = getattr(identifiability, f"{name.removeprefix('d_')}_distance")
    expected = distance(DRAW.x, DRAW.y, rng=3).value
    got = getattr(sim, name)(DRAW.x, DRAW.y, rng=3)
    np.testing.assert_array_equal(float(got), expected)


def test_d_logit_equals_the_identifiability_distance() -> None:
    expected = identifiability.logit_distance(DRAW.x, DRAW.y)
    np.testing.assert_allclose(sim.d_logit(DRAW.x, DRAW.y), expected, rtol=1e-13)


def test_a_small_memory_budget_gives_the_same_d_logit() -> None:
    rng = np.random.default_rng(0)
    x, y = (
        SoftmaxModel(rng.normal(size=(300, 3)), rng.normal(size=(4000, 3)))
        for _ in range(2)
    )
    expected = identifiability.logit_distance(x, y)
    with sim.config(memory_budget=2**20):
        np.testing.assert_allclose(sim.d_logit(x, y), expected, rtol=1e-13)


def test_gradient_of_d_logit_is_zero_for_identical_models() -> None:
    import torch

    f = torch.randn(9, 2, generator=torch.Generator().manual_seed(0))
    g = torch.eye(3)[:, :2]
    leaf = f.clone().requires_grad_(True)  # noqa: FBT003
    sim.d_logit(SoftmaxModel(leaf, g), SoftmaxModel(f, g)).backward()
    np.testing.assert_array_equal(leaf.grad, np.zeros((9, 2)))


def test_d_logit_does_not_depend_on_the_order_of_candidate_labels() -> None:
    rng = np.random.default_rng(0)
    f, g, other = rng.normal(size=(3, 60, 2))
    chosen = np.array([4, 7, 1, 30, 2])
    x, y = SoftmaxModel(f, g, chosen), SoftmaxModel(other, g, chosen[::-1].copy())
    few = np.sort(chosen)
    expected = sim.d_logit(SoftmaxModel(f, g[few]), SoftmaxModel(other, g[few]))
    np.testing.assert_allclose(sim.d_logit(x, y), expected, rtol=1e-13)


def test_details_have_the_chosen_terms_bounds_and_condition_numbers() -> None:
    measure = sim.MEASURES["d_fg"]
    seed = np.random.SeedSequence(0)
    p, q = (measure.prepare(v, seed) for v in (DRAW.x, DRAW.y))
    details, value = measure.details(p, q), float(measure.compare(p, q))
    assert details["exact"]
    np.testing.assert_array_equal(value, max(details["d_f"], details["d_g"]))
    assert value <= details["derived_bound"] <= details["published_bound"]
    measure = sim.MEASURES["d_llv"]
    details = measure.details(p, q)
    t1, t2, t3, t4 = (details[name] for name in ("t1", "t2", "t3", "t4"))
    largest = max(t1, t2, 1e-5 * t3, 1e-5 * t4)
    np.testing.assert_array_equal(float(measure.compare(p, q)), largest)
    assert len(details["inputs"]) == 3
    assert min(details["condition_labels"] + details["condition_inputs"]) >= 1


def test_subsets_of_many_labels_are_drawn_and_details_are_not_exact() -> None:
    rng = np.random.default_rng(0)
    x, y = (
        SoftmaxModel(rng.normal(size=(60, 4)), rng.normal(size=(40, 4)))
        for _ in range(2)
    )
    measure = sim.measures.DRep(draws=50)
    with pytest.raises(sim.InvalidInput, match="rng"):
        measure(x, y)
    p, q = (measure.prepare(v, np.random.SeedSequence(0)) for v in (x, y))
    assert measure.details(p, q)["num_subsets"] == 50
    assert not measure.details(p, q)["exact"]
    assert float(measure(x, y, rng=0)) != float(measure(x, y, rng=1))


@pytest.mark.parametrize(
    "invalid_call",
    [
        lambda: sim.measures.DLLV(weight=-1.0),
        lambda: sim.measures.DLLV(weight=math.nan),
        lambda: sim.measures.DLLV(draws=0),
        lambda: sim.measures.DFG(subset_draws=0),
        lambda: sim.d_llv(DRAW.x, DRAW.y),
        lambda: sim.d_logit(DRAW.x.embeddings, DRAW.y.embeddings),
        lambda: sim.MEASURES["d_rep"].prepare(DRAW.x.embeddings),
    ],
)
def test_invalid_options_and_inputs_are_refused(invalid_call) -> None:
    with pytest.raises(sim.InvalidInput):
        invalid_call()
