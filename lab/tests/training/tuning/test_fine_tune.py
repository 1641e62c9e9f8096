"""Fine-tuning: refreshed anchors, penalties, samplers, and a test on digits."""

import copy
import importlib
import sys
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from similitude import InvalidInput, MissingExtra, Undefined
from similitude.latent.align.relative import Relative, Robust
from similitude_lab.training.tuning import (
    Recipe,
    RelativeNetwork,
    Stage,
    fine_tune,
    predict,
)
from training.tuning.networks import (
    ANCHORS,
    CLASSES,
    LABELS,
    QUICK,
    REFERENCE,
    K,
    X,
    assert_same,
    network,
    state,
)


def test_fine_tune_restores_torch_generators_and_depends_on_its_seed() -> None:
    ends = []
    for seed in (0, 0, 1):
        net = network()
        torch.manual_seed(11)
        before = torch.get_rng_state()
        fine_tune(net, X, LABELS, QUICK, rng=seed, anchors=ANCHORS)
        np.testing.assert_array_equal(torch.get_rng_state(), before)
        ends.append(state(net))
    assert_same(ends[0], ends[1])
    assert (ends[0]["head.weight"] != ends[2]["head.weight"]).any()


@pytest.mark.parametrize("transform", [Robust(), Robust(stats="train")], ids=str)
def test_anchors_are_those_of_the_trained_encoder(transform: Relative) -> None:
    net = network(transform)
    before = state(net)
    reference = REFERENCE if transform.takes_reference else None
    fine_tune(net, X, LABELS, QUICK, rng=0, anchors=ANCHORS, reference=reference)
    assert not net.training
    with torch.no_grad():
        rows = [None if r is None else net.encoder(r) for r in (ANCHORS, reference)]
        expected = transform.fit(*rows)(net.encoder(X))
        np.testing.assert_allclose(net.relative(net.encoder(X)), expected, atol=1e-6)
    assert np.abs(before["relative.anchors"] - state(net)["relative.anchors"]).max() > 0


def test_frozen_encoder_does_not_change_and_does_not_need_anchors() -> None:
    net = network()
    net.encoder.requires_grad_(requires_grad=False)
    before = state(net)
    tuned = fine_tune(net, X, LABELS, QUICK, rng=0)
    after = state(net)
    for name in before:
        if not name.startswith("head"):
            np.testing.assert_array_equal(after[name], before[name], name)
    assert tuned.losses[-1] < tuned.losses[0]
    assert not any(w.requires_grad for w in net.encoder.parameters())


def test_tensors_arrays_and_mappings_give_the_same_weights() -> None:
    torch.manual_seed(0)
    start = nn.Linear(K, CLASSES)
    ends = []
    for x in (X, X.numpy(), {"rows": X.numpy()}):

        class First(nn.Module):
            def forward(self, x: Any) -> torch.Tensor:
                return x["rows"]

        body = First() if isinstance(x, dict) else None
        anchors = {"rows": ANCHORS} if body else ANCHORS
        net = RelativeNetwork(body, Robust(), copy.deepcopy(start), anchors=anchors)
        recipe = Recipe(epochs=3, head_rate=0.1)
        tuned = fine_tune(net, x, LABELS, recipe, rng=0, validation=(x, LABELS))
        ends.append(state(net))
        np.testing.assert_array_equal(predict(net, x, batch=7).shape, (150, CLASSES))
    assert_same(ends[0], ends[1])
    assert_same(ends[0], ends[2])
    assert len(tuned.scores) == 3
    assert tuned.scores[-1].accuracy > 60


def test_penalty_gets_both_sides_of_the_layer_and_is_added_to_the_loss() -> None:
    stages: list[Stage] = []

    def penalty(stage: Stage) -> torch.Tensor:
        stages.append(stage)
        return 50.0 * stage.pre.square().mean()

    plain, small = network(dropout=0.0), network(dropout=0.0)
    fine_tune(plain, X, LABELS, QUICK, rng=0, anchors=ANCHORS)
    tuned = fine_tune(small, X, LABELS, QUICK, rng=0, anchors=ANCHORS, penalty=penalty)
    assert [s.step for s in stages] == list(range(10))
    assert {s.total for s in stages} == {10}
    assert (stages[0].pre.shape, stages[0].post.shape) == ((32, 8), (32, K))
    first = float(50 * stages[0].pre.detach().square().mean())
    np.testing.assert_allclose(tuned.penalties[0], first, rtol=1e-6)
    sizes = [float(net.encoder(X).detach().square().mean()) for net in (plain, small)]
    assert sizes[1] < sizes[0]


def test_sampler_determines_the_forward_passes() -> None:
    passes: list[np.ndarray] = []

    def by_class(labels: np.ndarray, recipe: Recipe, rng: Any) -> list[np.ndarray]:
        return [
            rng.permutation(np.flatnonzero(labels == c))[: recipe.batch]
            for c in range(CLASSES)
        ]

    def penalty(stage: Stage) -> torch.Tensor:
        passes.append(stage.labels.numpy())
        return stage.pre.sum() * 0

    recipe = Recipe(epochs=2, batch=5, accumulate=CLASSES)
    options = {"rng": 0, "anchors": ANCHORS, "penalty": penalty}
    tuned = fine_tune(network(), X, LABELS, recipe, sampler=by_class, **options)
    assert len(tuned.losses) == 2
    assert [set(p.tolist()) for p in passes] == [{0}, {1}, {2}] * 2
    uneven = iter(([np.arange(5)], [np.arange(5)] * 9))
    with pytest.raises(InvalidInput, match="equally many in all epochs"):
        fine_tune(
            network(), X, LABELS, recipe, sampler=lambda *_: next(uneven), **options
        )
    with pytest.raises(InvalidInput, match="1 forward passes, 1 of them empty"):
        fine_tune(
            network(), X, LABELS, recipe, sampler=lambda *_: [np.arange(0)], **options
        )


@pytest.mark.parametrize("encoded", [True, False])
def test_inputs_are_converted_to_the_precision_of_the_weights(*, encoded: bool) -> None:
    """With an encoder, and with precomputed features."""
    ends = []
    for x, anchors in ((X, ANCHORS), (X.double().numpy(), ANCHORS.double())):
        net = network()
        if not encoded:
            torch.manual_seed(0)
            head = nn.Linear(K, CLASSES)
            net = RelativeNetwork(None, Robust(), head, anchors=anchors)
        fine_tune(net, x, LABELS, QUICK, rng=0, anchors=anchors)
        assert predict(net, x).dtype == torch.float32
        ends.append(state(net))
    for name, value in ends[0].items():
        np.testing.assert_allclose(ends[1][name], value, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", ["int32", "uint8"])
def test_labels_of_any_integer_type_give_the_same_losses(dtype: str) -> None:
    recipe = Recipe(epochs=1)
    runs = [
        fine_tune(network(), X, labels, recipe, rng=0, anchors=ANCHORS).losses
        for labels in (LABELS, np.asarray(LABELS).astype(dtype), list(LABELS))
    ]
    assert runs[0] == runs[1] == runs[2]


def test_fine_tune_rejects_wrong_inputs() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"anchors": None}, "anchors is missing"),
        ({"labels": LABELS[:9]}, "150 samples, but there are 9 labels"),
        ({"labels": LABELS / 2}, "classes numbered from 0"),
        ({"labels": LABELS - 1}, "minimum -1"),
        ({"labels": LABELS + 9}, "number the classes from 0"),
        ({"x": X.tolist()}, "samples on the first axis"),
        ({"x": {"a": X, "b": X[:3]}}, "parts must have the same number"),
        ({"every": 0}, "every"),
    ]
    for change, message in cases:
        options = {"x": X, "labels": LABELS, "rng": 0, "anchors": ANCHORS} | change
        with pytest.raises(InvalidInput, match=message):
            fine_tune(network(), **options)
    with pytest.raises(
        Undefined, match=r"at step 0 the loss .* lower the learning rates"
    ):
        fine_tune(
            network(), X, LABELS, rng=0, anchors=ANCHORS,
            penalty=lambda stage: stage.pre.sum() * torch.inf,
        )  # fmt: skip


def test_import_without_torch_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [
        m for m in sys.modules if m.startswith("similitude_lab.training.tuning")
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match="pip install 'torch"):
        importlib.import_module("similitude_lab.training.tuning")
