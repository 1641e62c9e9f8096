"""Distances of softmax models as measures: the numbers of `similitude.identifiability`.

Their formulas are tested there; the contract tests every claim.
"""

import math

import numpy as np
import pytest

import similitude as sim
from shared.close_dist import needs_checkpoints, softmax_model
from similitude import SoftmaxModel, identifiability
from similitude.identifiability import constructions
from similitude.testing._battery import draws

DRAW = draws("softmax")[0]


@pytest.mark.parametrize("name", ["d_llv", "d_fg", "d_rep"])
def test_scores_are_those_of_identifiability(name: str) -> None:
    with_parts = getattr(identifiability, f"{name.removeprefix('d_')}_distance")
    expected = with_parts(DRAW.x, DRAW.y, rng=3).value
    got = getattr(sim, name)(DRAW.x, DRAW.y, rng=3)
    np.testing.assert_array_equal(float(got), expected)


def test_d_logit_is_the_same_by_another_route() -> None:
    expected = identifiability.logit_distance(DRAW.x, DRAW.y)
    np.testing.assert_allclose(sim.d_logit(DRAW.x, DRAW.y), expected, rtol=1e-13)


def test_d_logit_in_blocks() -> None:
    rng = np.random.default_rng(0)
    x, y = (
        SoftmaxModel(rng.normal(size=(300, 3)), rng.normal(size=(4000, 3)))
        for _ in range(2)
    )
    expected = identifiability.logit_distance(x, y)
    with sim.config(memory_budget=2**20):
        np.testing.assert_allclose(sim.d_logit(x, y), expected, rtol=1e-13)


def test_d_logit_has_a_gradient_of_zero_at_itself() -> None:
    import torch

    f = torch.randn(9, 2, generator=torch.Generator().manual_seed(0))
    g = torch.eye(3)[:, :2]
    leaf = f.clone().requires_grad_(True)  # noqa: FBT003
    sim.d_logit(SoftmaxModel(leaf, g), SoftmaxModel(f, g)).backward()
    np.testing.assert_array_equal(leaf.grad, np.zeros((9, 2)))


def test_candidates_in_any_order() -> None:
    rng = np.random.default_rng(0)
    f, g, other = rng.normal(size=(3, 60, 2))
    chosen = np.array([4, 7, 1, 30, 2])
    x, y = SoftmaxModel(f, g, chosen), SoftmaxModel(other, g, chosen[::-1].copy())
    few = np.sort(chosen)
    expected = sim.d_logit(SoftmaxModel(f, g[few]), SoftmaxModel(other, g[few]))
    np.testing.assert_allclose(sim.d_logit(x, y), expected, rtol=1e-13)


def test_details_say_what_was_chosen_and_how_far_it_can_be_trusted() -> None:
    measure = sim.MEASURES["d_fg"]
    seed = np.random.SeedSequence(0)
    p, q = (measure.prepare(v, seed) for v in (DRAW.x, DRAW.y))
    told, value = measure.details(p, q), float(measure.compare(p, q))
    assert told["exact"]
    np.testing.assert_array_equal(value, max(told["d_f"], told["d_g"]))
    assert value <= told["derived_bound"] <= told["published_bound"]
    measure = sim.MEASURES["d_llv"]
    told = measure.details(p, q)
    largest = max(told["t1"], told["t2"], 1e-5 * told["t3"], 1e-5 * told["t4"])
    np.testing.assert_array_equal(float(measure.compare(p, q)), largest)
    assert len(told["inputs"]) == 3
    assert min(told["condition_labels"] + told["condition_inputs"]) >= 1


def test_many_labels_are_drawn_from_and_the_details_say_so() -> None:
    rng = np.random.default_rng(0)
    x, y = (
        SoftmaxModel(rng.normal(size=(60, 4)), rng.normal(size=(40, 4)))
        for _ in range(2)
    )
    measure = sim.DRep(draws=50)
    with pytest.raises(sim.InvalidInput, match="rng"):
        measure(x, y)
    p, q = (measure.prepare(v, np.random.SeedSequence(0)) for v in (x, y))
    assert measure.details(p, q)["num_subsets"] == 50
    assert not measure.details(p, q)["exact"]
    assert float(measure(x, y, rng=0)) != float(measure(x, y, rng=1))


def test_a_small_kl_is_no_small_distance() -> None:
    """The point of it all: KL goes to 0, d_llv and d_fg stay."""
    pair = constructions.permuted_circle(20.0, rng=0)
    assert identifiability.kl(pair.first, pair.second) < 1e-4
    assert sim.d_llv(pair.first, pair.second, rng=0) > 1.3
    assert sim.d_fg(pair.first, pair.second, rng=0) > 0.99


@needs_checkpoints
def test_wider_networks_are_nearer() -> None:
    def mean(width: int) -> float:
        pairs = [(a, b) for a in range(5) for b in range(a)]
        models = [softmax_model(width, seed) for seed in range(5)]
        scores = [sim.d_llv(models[a], models[b], rng=0) for a, b in pairs]
        return float(np.mean(scores))

    np.testing.assert_allclose(mean(32), 0.443, atol=0.003)
    np.testing.assert_allclose(mean(128), 0.172, atol=0.003)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: sim.DLLV(weight=-1.0),
        lambda: sim.DLLV(weight=math.nan),
        lambda: sim.DLLV(draws=0),
        lambda: sim.DFG(subset_draws=0),
        lambda: sim.d_llv(DRAW.x, DRAW.y),
        lambda: sim.d_logit(DRAW.x.embeddings, DRAW.y.embeddings),
        lambda: sim.MEASURES["d_rep"].prepare(DRAW.x.embeddings),
    ],
)
def test_refusals(wrong) -> None:
    with pytest.raises(sim.InvalidInput):
        wrong()
