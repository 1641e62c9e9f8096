"""The recipe: learning rates per layer, schedules, accumulated gradients."""

import copy
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_pre_hook

from similitude import InvalidInput
from similitude.latent.align.relative import Robust
from similitude_lab.training.tuning import (
    Recipe,
    RelativeNetwork,
    encoder_layers,
    fine_tune,
    parameter_groups,
    warmup_cosine,
)
from training.tuning.networks import ANCHORS, CLASSES, LABELS, D, K, X, network, state


def test_warmup_cosine_equals_its_formula() -> None:
    rates = [warmup_cosine(t, 100, 10) for t in range(100)]
    np.testing.assert_allclose(rates[:10], np.arange(1, 11) / 10)
    expected = 0.5 * (1 + np.cos(np.pi * np.arange(90) / 90))
    np.testing.assert_allclose(rates[10:], expected)
    assert warmup_cosine(0, 1) == 1.0


class Transformer(nn.Module):
    """The module tree of RoBERTa: embeddings, then a list of blocks in a module."""

    def __init__(self) -> None:
        super().__init__()
        self.token = nn.Parameter(torch.zeros(1, 4))
        self.embeddings = nn.Module()
        self.embeddings.word = nn.Embedding(7, 4)
        self.embeddings.norm = nn.LayerNorm(4)
        self.encoder = nn.Module()
        blocks = []
        for _ in range(3):
            block = nn.Module()
            block.attention, block.norm = nn.Linear(4, 4), nn.LayerNorm(4)
            blocks.append(block)
        self.encoder.layer = nn.ModuleList(blocks)


def test_parameter_groups_have_layer_wise_rates_and_decay() -> None:
    body, head = Transformer(), nn.Linear(4, 2)
    layers = encoder_layers(body)
    assert layers == [body.embeddings, *body.encoder.layer]
    recipe = Recipe(encoder_rate=1.0, layer_decay=0.5, head_rate=7.0, weight_decay=0.3)
    groups = parameter_groups(body, head, recipe)
    weights = [id(w) for g in groups for w in g["params"]]
    both = [*body.parameters(), *head.parameters()]
    assert sorted(weights) == sorted(map(id, both))  # each weight once
    found = {id(w): (g["lr"], g["weight_decay"]) for g in groups for w in g["params"]}
    assert found[id(body.token)] == (0.125, 0.3)  # outside all layers: lowest rate
    assert found[id(body.embeddings.word.weight)] == (0.125, 0.3)
    assert found[id(body.embeddings.norm.weight)] == (0.125, 0.0)
    for i, rate in enumerate((0.25, 0.5, 1.0)):
        block = body.encoder.layer[i]
        assert found[id(block.attention.weight)] == (rate, 0.3)
        assert found[id(block.attention.bias)] == (rate, 0.0)
        assert found[id(block.norm.weight)] == (rate, 0.0)
    assert found[id(head.weight)] == (7.0, 0.3)
    body.embeddings.requires_grad_(requires_grad=False)
    groups = parameter_groups(body, head, recipe)
    assert len([w for g in groups for w in g["params"]]) == len(both) - 3
    whole = parameter_groups(body, head, recipe, layers=[body])
    assert {g["lr"] for g in whole} == {1.0, 7.0}
    with pytest.raises(InvalidInput, match="number 0 has weights"):
        parameter_groups(body, head, recipe, layers=[nn.Linear(2, 2)])


@pytest.mark.parametrize(
    "wrong",
    [
        {"epochs": 0},
        {"batch": 0},
        {"accumulate": 0},
        {"refresh": 0},
        {"head_rate": 0.0},
        {"encoder_rate": -1.0},
        {"layer_decay": 0.0},
        {"weight_decay": -0.1},
        {"warmup": -1.0},
        {"clip": 0.0},
    ],
)
def test_recipe_rejects_wrong_options(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        Recipe(**wrong)


def rates_of(net: RelativeNetwork, recipe: Recipe, **options: Any) -> list[list[float]]:
    """Record the learning rates of every optimizer step."""
    found: list[list[float]] = []
    handle = register_optimizer_step_pre_hook(
        lambda optimizer, *_: found.append([g["lr"] for g in optimizer.param_groups])
    )
    try:
        fine_tune(net, X, LABELS, recipe, rng=0, anchors=ANCHORS, **options)
    finally:
        handle.remove()
    return found


def test_schedule_counts_optimizer_steps_not_forward_passes() -> None:
    recipe = Recipe(epochs=3, batch=10, accumulate=6, warmup=1.0, head_rate=1.0)
    rates = rates_of(network(), recipe)
    assert len(rates) == 9  # 15 forward passes per epoch are 3 steps: 6, 6 and 3
    heads = [max(r) for r in rates]
    np.testing.assert_allclose(heads, [warmup_cosine(t, 9, 3) for t in range(9)])
    assert heads[-1] < 0.1


def test_accumulated_gradients_equal_those_of_one_large_batch() -> None:
    body = nn.Sequential(nn.Linear(D, 8), nn.Tanh()).double()
    head = nn.Linear(K, CLASSES).double()
    ends = []
    for batch, accumulate in ((32, 1), (8, 4), (16, 2)):
        net = RelativeNetwork(
            copy.deepcopy(body),
            Robust(),
            copy.deepcopy(head),
            anchors=ANCHORS.double(),
        )
        recipe = Recipe(epochs=2, batch=batch, accumulate=accumulate, clip=0.1)
        tuned = fine_tune(
            net, X.double(), LABELS, recipe, rng=0, anchors=ANCHORS.double()
        )
        ends.append((state(net), tuned.losses))
    for name, value in ends[0][0].items():
        for other, _ in ends[1:]:
            np.testing.assert_allclose(other[name], value, atol=1e-9)
    np.testing.assert_allclose(ends[0][1], ends[1][1])
    assert len(ends[0][1]) == 10
