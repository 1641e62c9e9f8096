"""Densification in training: its rows, its weight, and its effect."""

import copy
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from similitude import InvalidInput
from similitude.latent.align.relative import Robust
from similitude.topology import consistent_densification_loss, death_times
from similitude_lab.training import cyclic_ramp
from similitude_lab.training.tuning import (
    Densification,
    Recipe,
    RelativeNetwork,
    Stage,
    fine_tune,
)

D, K, CLASSES = 6, 10, 3
DRAW = np.random.default_rng(2)
LABELS = np.repeat(np.arange(CLASSES), 24)
X = torch.tensor(DRAW.normal(size=(72, D)) + 2 * np.eye(D)[LABELS])
ANCHORS = X[::7][:K]


def network() -> RelativeNetwork:
    torch.manual_seed(0)
    body = nn.Sequential(nn.Linear(D, 5), nn.Tanh()).double()
    head = nn.Linear(K, CLASSES).double()
    return RelativeNetwork(body, Robust(), head, anchors=ANCHORS)


def run(d: Densification | None, recipe: Recipe, **hooks: Any) -> tuple[Any, Any]:
    net = network()
    if d is not None:
        hooks = {"penalty": d.penalty, "sampler": d.sampler} | hooks
    tuned = fine_tune(net, X, LABELS, recipe, rng=0, anchors=ANCHORS, **hooks)
    return tuned, net


def test_penalty_is_the_loss_of_the_classes_times_the_ramp() -> None:
    d, seen = Densification(beta=1.5, weight=0.4, per_class=8, unbiased=5), []

    def penalty(stage: Stage) -> torch.Tensor:
        groups = [np.flatnonzero(stage.labels[:24] == c) for c in range(CLASSES)]
        assert [len(g) for g in groups] == [8] * CLASSES
        assert len(stage.labels) == 29
        loss = consistent_densification_loss(
            stage.pre, stage.post, np.array(groups), 1.5
        )
        ramp = cyclic_ramp(stage.step, stage.total, peak=0.4)
        found = d.penalty(stage)
        np.testing.assert_allclose(found.item(), ramp * loss.item())
        seen.append(found.item())
        return found

    tuned, _ = run(d, Recipe(epochs=4, head_rate=1e-2), penalty=penalty)
    assert len(seen) == 4 * 3
    np.testing.assert_allclose(tuned.penalties, seen)
    assert max(seen) > 0 == seen[0]


def test_one_pass_per_class_gives_the_gradient_of_one_joint_pass() -> None:
    ends = []
    for unbiased in (0, 4):
        for apart in (False, True):
            d = Densification(
                beta=1.0, weight=0.5, per_class=8, unbiased=unbiased, apart=apart
            )
            passes = CLASSES + (unbiased > 0) if apart else 1
            recipe = Recipe(epochs=2, accumulate=passes, encoder_rate=1e-2)
            ends.append(run(d, recipe))
        (a, first), (b, second) = ends[-2:]
        np.testing.assert_allclose(a.losses, b.losses)
        np.testing.assert_allclose(a.penalties, b.penalties)
        for one, two in zip(first.parameters(), second.parameters(), strict=True):
            np.testing.assert_allclose(one.detach(), two.detach(), atol=1e-10)
    with pytest.raises(InvalidInput, match="accumulate=2; set it to 4"):
        run(d, Recipe(accumulate=2))


def test_classes_become_connected_at_beta() -> None:
    recipe = Recipe(epochs=30, encoder_rate=2e-2, head_rate=1e-2, refresh=1)
    d = Densification(beta=0.4, weight=3.0, per_class=12, weights=(1.0, 0.0))
    deaths = {}
    for name, penalty in (("plain", None), ("dense", d.penalty)):
        _, net = run(d, recipe, penalty=penalty)
        with torch.no_grad():
            deaths[name] = death_times(net.encode(X), LABELS).values
    off = {k: float(np.abs(np.asarray(v) - 0.4).mean()) for k, v in deaths.items()}
    assert off["dense"] < 0.5 * off["plain"]


def test_densification_rejects_wrong_options() -> None:
    wrong: list[dict[str, Any]] = [{"beta": 0.0}, {"beta": 1.0, "weight": -1.0}]
    wrong += [{"beta": 1.0, "per_class": 1}, {"beta": 1.0, "unbiased": -1}]
    for options in wrong:
        with pytest.raises(InvalidInput):
            Densification(**options)
    assert copy.copy(Densification(beta=3.0)).weights == (0.1, 0.9)
