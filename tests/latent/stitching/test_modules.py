"""Heads, existing decoders, and trained stitch layers."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from torch import nn

import similitude as sim
from latent.stitching.spaces import ANCHORS, CLASSES, LABELS, TEST, TRAIN, D, X
from similitude import InvalidInput
from similitude.latent import align
from similitude.latent import stitching as training
from similitude.latent.stitching import (
    Decoder,
    LogisticHead,
    StitchingData,
    TorchHead,
    embed,
    stitching_table,
)


def test_logistic_head_predicts_like_scikit_learn() -> None:
    x, y = X[TRAIN], LABELS[TRAIN]
    head = LogisticHead(ridge=1e-2).train(x, y + 3, 0)
    sklearn = LogisticRegression(C=1 / (1e-2 * len(x)), tol=1e-10, max_iter=1000)
    sklearn.fit(x, y)
    np.testing.assert_array_equal(head(X[TEST]), sklearn.predict(X[TEST]) + 3)


def test_torch_head_depends_on_its_seed_and_not_on_global_state() -> None:
    state = torch.get_rng_state()
    head = TorchHead(hidden=(16,), epochs=30)
    a, b, c = (head.train(X[TRAIN], LABELS[TRAIN], s)(X[TEST]) for s in (0, 0, 1))
    np.testing.assert_array_equal(a, b)
    assert (a != c).any()
    assert (a == LABELS[TEST]).mean() > 0.8
    np.testing.assert_array_equal(torch.get_rng_state(), state)


def test_inputs_are_converted_to_the_precision_of_the_module() -> None:
    data = StitchingData(LABELS[TRAIN], LABELS[TEST], X[TRAIN], X[TEST], X[ANCHORS])
    front = nn.Linear(D, 5)  # float32, but the data are float64
    (cell,) = stitching_table(
        {"net": front}, None, data, [], [0]
    ).where(transform="absolute")  # fmt: skip
    assert cell.status == "ok"
    found = embed(front.to(torch.bfloat16), data).train
    expected = X[TRAIN] @ front.weight.detach().double().numpy().T
    np.testing.assert_allclose(
        found, expected + front.bias.detach().double().numpy(), atol=0.2
    )


def halves(seed: int) -> tuple[nn.Sequential, nn.Sequential]:
    """Two halves of a small network trained on X."""
    torch.manual_seed(seed)
    front = nn.Sequential(nn.Linear(D, 24), nn.BatchNorm1d(24), nn.ReLU())
    back = nn.Linear(24, CLASSES)
    network = nn.Sequential(front, back)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-2)
    x, y = torch.tensor(X[TRAIN], dtype=torch.float32), torch.tensor(LABELS[TRAIN])
    for _ in range(60):
        optimizer.zero_grad()
        nn.functional.cross_entropy(network(x), y).backward()
        optimizer.step()
    return front, back


def test_live_decoders_are_used_without_training() -> None:
    nets = {f"net {s}": halves(s) for s in (0, 1)}
    x = torch.tensor(X, dtype=torch.float32)
    data = StitchingData(LABELS[TRAIN], LABELS[TEST], x[TRAIN], x[TEST], x[ANCHORS])
    encoders = {name: front for name, (front, _) in nets.items()}
    decoders = {name: Decoder(name, live=back) for name, (_, back) in nets.items()}
    encoders["net 0"].train()
    with sim.config(progress="on"):
        table = stitching_table(encoders, decoders, data, ["affine", "robust"], [0])
    assert encoders["net 0"].training  # its mode is restored
    front, back = nets["net 0"]
    own = back(front.eval()(x[TEST])).argmax(dim=1)
    (cell,) = table.where(encoder="net 0", decoder="net 0", transform="absolute")
    np.testing.assert_array_equal(cell.predictions, own)
    means = table.overall()
    assert means["absolute"]["own"] > 80
    assert means["affine"]["stitched"] > means["absolute"]["stitched"] + 20


def test_train_stitch_of_units_trains_only_the_layer() -> None:
    (front, _), (own_front, back) = halves(0), halves(1)
    x = torch.tensor(X, dtype=torch.float32)
    y = torch.tensor(LABELS)
    before = [p.clone() for m in (front, own_front, back) for p in m.parameters()]
    state = torch.get_rng_state()
    found = training.train_stitch(
        front,
        own_front,
        back,
        (x[TRAIN], y[TRAIN]),
        (x[TEST], y[TEST]),
        rng=0,
        epochs=5,
    )
    np.testing.assert_array_equal(torch.get_rng_state(), state)
    after = [p for m in (front, own_front, back) for p in m.parameters()]
    for a, b in zip(before, after, strict=True):
        np.testing.assert_array_equal(a.detach(), b.detach())
        assert b.requires_grad
    assert front.training
    assert isinstance(found.layer, nn.Linear)
    assert found.losses[-1] < found.losses[0]
    assert abs(found.drop) < 6
    np.testing.assert_allclose(found.drop, found.own_accuracy - found.accuracy)
    front.eval()
    with torch.no_grad():
        stitched = align.stitch(front, found.layer, back)(x[TEST])
    share = (stitched.argmax(dim=1) == y[TEST]).double().mean()
    np.testing.assert_allclose(100 * share, found.accuracy)


def test_train_stitch_of_channels_is_a_seeded_1x1_convolution() -> None:
    torch.manual_seed(0)
    fronts = [nn.Sequential(nn.Conv2d(1, c, 3), nn.ReLU()) for c in (3, 5)]
    back = nn.Sequential(nn.Flatten(), nn.Linear(20, CLASSES))
    x, y = (
        torch.tensor(X, dtype=torch.float32).reshape(-1, 1, 4, 4),
        torch.tensor(LABELS),
    )
    parts = (x[TRAIN], y[TRAIN]), (x[TEST], y[TEST])
    found = training.train_stitch(*fronts, back, *parts, rng=0, epochs=2)
    assert tuple(found.layer.weight.shape) == (5, 3, 1, 1)
    random = training.train_stitch(
        *fronts, back, *parts, rng=0, epochs=2, start="random"
    )
    again = training.train_stitch(
        *fronts, back, *parts, rng=0, epochs=2, start="random"
    )
    assert random.losses == again.losses != found.losses
    pooled = nn.Sequential(*fronts[0], nn.AvgPool2d(2))
    with pytest.raises(InvalidInput, match="Pool one of them first"):
        training.train_stitch(pooled, fronts[1], back, *parts, rng=0)
    with pytest.raises(InvalidInput, match="start="):
        training.train_stitch(*fronts, back, *parts, rng=0, start="identity")
