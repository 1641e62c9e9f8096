"""Symmetries of weights: they change the weights of a network, not its outputs."""

import copy
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from torch import nn

from similitude import InvalidInput
from similitude.latent import align
from similitude.latent.align import relative
from similitude.latent.align.relative import Robust
from similitude.networks import SmallCNN, SmallMLP
from similitude.transformations._elements import _random_signs
from similitude_lab.relative.symmetry import (
    act_on_weights,
    intertwiner,
    sample_elements,
)
from similitude_lab.training.tuning import Recipe, RelativeNetwork, fine_tune, predict

RNG = np.random.default_rng(21)


def mlp(activation: nn.Module) -> nn.Sequential:
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Linear(6, 8),
        activation,
        nn.Sequential(nn.Linear(8, 7), nn.Dropout()),
        activation,
        nn.Linear(7, 3),
    )
    return net.double().eval()


def cnn(*, pool: nn.Module, activation: nn.Module) -> nn.Sequential:
    torch.manual_seed(1)
    net = nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1),
        nn.BatchNorm2d(4),
        activation,
        pool,
        nn.Conv2d(4, 5, 3, padding=1, bias=False),
        activation,
        pool,
        nn.Flatten(),
        nn.Linear(20, 6),
        activation,
        nn.Linear(6, 3),
    )
    net(torch.randn(40, 2, 8, 8))  # statistics of the batch norm
    with torch.no_grad():
        net[1].weight.uniform_(0.5, 2.0)
        net[1].bias.normal_()
    return net.double().eval()


ACTIVATIONS = [
    nn.ReLU(),
    nn.LeakyReLU(0.2),
    nn.GELU(),
    nn.Sigmoid(),
    nn.SiLU(),
    nn.Softplus(),
    nn.ELU(),
    nn.Tanh(),
    nn.Hardtanh(),
    nn.Identity(),
]


@pytest.mark.parametrize("activation", ACTIVATIONS, ids=lambda a: type(a).__name__)
@torch.no_grad()
def test_act_on_weights_changes_weights_but_not_outputs(activation: nn.Module) -> None:
    net = mlp(activation)
    elements = sample_elements(net, rng=3)
    assert {k: v.shape for k, v in elements.items()} == {"1": (8, 8), "3": (7, 7)}
    twin = act_on_weights(net, elements)
    x = torch.randn(60, 6, dtype=torch.float64)
    np.testing.assert_allclose(twin(x), net(x), atol=1e-9)
    assert (twin[0].weight - net[0].weight).abs().max() > 1e-2
    name = type(activation).__name__
    names = {"ReLU": "relu", "LeakyReLU": "leaky_relu", "Tanh": "tanh"}
    if name in names:
        phi = intertwiner(names[name], 0.2 if name == "LeakyReLU" else None).phi
        hidden = net[:2](x).numpy() @ phi(elements["1"]).T
        np.testing.assert_allclose(twin[:2](x), hidden, atol=1e-9)


@torch.no_grad()
def test_robust_is_invariant_to_relu_symmetries_and_cosine_is_not() -> None:
    net = mlp(nn.ReLU())
    twin = act_on_weights(net, sample_elements(net, rng=4))
    x = torch.randn(80, 6, dtype=torch.float64)
    a, b = net[:4](x), twin[:4](x)
    np.testing.assert_allclose(
        relative.Robust().fit(b[:20])(b), relative.Robust().fit(a[:20])(a), atol=1e-9
    )
    change = relative.Cosine().fit(b[:20])(b) - relative.Cosine().fit(a[:20])(a)
    assert change.abs().max() > 1e-2
    single = act_on_weights(net.float(), sample_elements(net, rng=4))
    np.testing.assert_allclose(single(x.float()), net(x.float()), atol=1e-5)


@pytest.mark.parametrize("pool", [nn.MaxPool2d(2), nn.AvgPool2d(2)])
@torch.no_grad()
def test_act_on_weights_of_convolutions_and_batch_norms_keeps_outputs(
    pool: nn.Module,
) -> None:
    net = cnn(pool=pool, activation=nn.ReLU())
    twin = act_on_weights(net, sample_elements(net, rng=5))
    x = torch.randn(9, 2, 8, 8, dtype=torch.float64)
    np.testing.assert_allclose(twin(x), net(x), atol=1e-9)
    assert (twin[4].weight - net[4].weight).abs().max() > 1e-2
    assert (twin[1].running_mean - net[1].running_mean).abs().max() > 1e-3
    net.train()
    twin.train()
    np.testing.assert_allclose(twin(x), net(x), atol=1e-8)


class Functional(nn.Module):
    """A network with activations and pooling as function calls."""

    def __init__(self, activation: Any = torch.relu) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.one, self.two = nn.Linear(16, 7), nn.Linear(7, 3)
        self.activation = activation

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = nn.functional.avg_pool2d(self.activation(self.conv(x)), 2)
        x = self.activation(self.one(torch.flatten(x, 1)))
        return self.two(x)


class WithSkip(Functional):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.one(x)) + x[:, :7]
        return self.two(x)


class WithView(Functional):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.two(torch.relu(self.one(x.view(x.size(0), -1))))


@pytest.mark.parametrize(
    "activation", [torch.relu, torch.tanh, torch.sin, torch.abs, nn.functional.gelu]
)
@torch.no_grad()
def test_act_on_weights_of_functional_networks_keeps_outputs(activation: Any) -> None:
    torch.manual_seed(3)
    net = Functional(activation).double()
    elements = sample_elements(net, rng=2)
    assert sorted(len(a) for a in elements.values()) == [4, 7]
    twin = act_on_weights(net, elements)
    x = torch.randn(9, 1, 6, 6, dtype=torch.float64)
    np.testing.assert_allclose(twin(x), net(x), atol=1e-9)
    assert (twin.one.weight - net.one.weight).abs().max() > 1e-2


@torch.no_grad()
def test_functional_activations_use_their_options_or_raise() -> None:
    def leaky(x: torch.Tensor) -> torch.Tensor:
        return nn.functional.leaky_relu(x, 0.3)

    net = Functional(leaky).double()
    twin = act_on_weights(net, sample_elements(net, rng=2))
    x = torch.randn(9, 1, 6, 6, dtype=torch.float64)
    np.testing.assert_allclose(twin(x), net(x), atol=1e-9)
    for network, message in (
        (WithSkip(), "skip connections"),
        (WithView(), "not with view"),
        (Functional(lambda x: nn.functional.hardtanh(x, -1.0, 2.0)), "not odd"),
        (Functional(torch.exp), "exp"),
    ):
        with pytest.raises(InvalidInput, match=message):
            sample_elements(network, rng=0)


class ReusedActivation(nn.Module):
    """One activation layer, used twice with different widths."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Linear(6, 5), nn.Linear(5, 4)
        self.three, self.activation = nn.Linear(4, 3), nn.ReLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.activation(self.two(self.activation(self.one(x))))
        return self.three(x)


@torch.no_grad()
def test_activation_used_twice_has_two_elements() -> None:
    net = ReusedActivation().double()
    elements = sample_elements(net, rng=0)
    assert [len(a) for a in elements.values()] == [5, 4]
    twin = act_on_weights(net, elements)
    x = torch.randn(9, 6, dtype=torch.float64)
    np.testing.assert_allclose(twin(x), net(x), atol=1e-9)
    for layer in ("one", "two", "three"):
        change = getattr(twin, layer).weight - getattr(net, layer).weight
        assert change.abs().max() > 1e-2


CONV, WIDE, POOL = nn.Conv1d(2, 4, 1), nn.Linear(4, 4), nn.AvgPool1d(3, 1, 1)


class FlattenFromAxis2(Functional):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.one(torch.flatten(torch.relu(self.conv(x)), 2))


@pytest.mark.parametrize(
    ("network", "message"),
    [
        # All of these run, and the shapes of their weights do not exclude them.
        (nn.Sequential(CONV, nn.ReLU(), nn.Linear(8, 3)), "does not take the 4 units"),
        (nn.Sequential(CONV, nn.ReLU(), nn.Flatten(2), nn.Linear(8, 3)), "axis 2 to"),
        (nn.Sequential(WIDE, nn.ReLU(), nn.Flatten(), nn.Linear(8, 3)), "not take"),
        (
            nn.Sequential(WIDE, nn.ReLU(), POOL, nn.Linear(4, 3)),
            "not take",
        ),
        (nn.Sequential(WIDE, nn.ReLU(), nn.Conv1d(4, 3, 1)), "not take the 4 units"),
        (FlattenFromAxis2(), "axis 2 to -1"),
        (
            nn.Sequential(
                CONV, nn.Flatten(), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3)
            ),
            "has 8 units",
        ),
    ],
)
def test_rejects_weights_that_do_not_take_the_previous_units(
    network: nn.Module, message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        sample_elements(copy.deepcopy(network), rng=0)


def test_random_signs_contain_both_signs() -> None:
    for d, least in ((1, {-1.0}), (2, {-1.0, 1.0}), (3, {-1.0, 1.0})):
        for seed in range(40):
            assert set(_random_signs(d, np.random.default_rng(seed))) == least


def test_rejects_unsupported_layers_and_matrices() -> None:
    net = cnn(pool=nn.MaxPool2d(2), activation=nn.Tanh())
    flip = np.diag([1.0, -1, 1, 1])
    with pytest.raises(InvalidInput, match="pooling"):
        act_on_weights(net, {"2": flip})
    average = cnn(pool=nn.AvgPool2d(2), activation=nn.Tanh())
    twin = act_on_weights(average, {"2": flip})
    x = torch.randn(3, 2, 8, 8, dtype=torch.float64)
    np.testing.assert_allclose(twin(x).detach(), average(x).detach(), atol=1e-9)
    with pytest.raises(InvalidInput, match="'7' is not a hidden activation"):
        act_on_weights(net, {"7": flip})
    with pytest.raises(InvalidInput, match=r"shape \(4, 4\), but the layer has 5"):
        act_on_weights(net, {"5": flip})
    with pytest.raises(InvalidInput, match="not in the intertwiner group of tanh"):
        act_on_weights(net, {"2": 2 * np.eye(4)})
    with pytest.raises(InvalidInput, match="torch module"):
        sample_elements("network", rng=0)
    odd = nn.Sequential(nn.Linear(2, 2), nn.LayerNorm(2), nn.ReLU(), nn.Linear(2, 2))
    with pytest.raises(InvalidInput, match="LayerNorm"):
        sample_elements(odd, rng=0)
    twice = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Tanh(), nn.Linear(2, 2))
    with pytest.raises(InvalidInput, match="have no weights between them"):
        sample_elements(twice, rng=0)
    tied = nn.Linear(2, 2)
    with pytest.raises(InvalidInput, match="shares its weights"):
        sample_elements(nn.Sequential(tied, nn.ReLU(), tied), rng=0)
    mixing = nn.Sequential(
        nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Identity(), nn.Linear(2, 2)
    )
    with pytest.raises(InvalidInput, match="mixes units"):
        act_on_weights(mixing, {"2": [[1.0, 1.0], [0.0, 1.0]]})
    bare = nn.Sequential(
        nn.Linear(2, 2), nn.BatchNorm1d(2, affine=False), nn.ReLU(), nn.Linear(2, 2)
    )
    with pytest.raises(InvalidInput, match="scales units"):
        act_on_weights(bare, {"2": np.diag([1.0, 2.0])})


@pytest.mark.parametrize("kind", [SmallMLP, SmallCNN])
def test_every_block_has_the_symmetries_of_its_activation(kind: type) -> None:
    x = torch.rand(6, 1, 8, 8, generator=torch.Generator().manual_seed(0))
    for activation in ("relu", "gelu", "tanh", "sigmoid"):
        net = kind(activation=activation, seed=3)
        whole = torch.nn.Sequential(net.encoder, net.head)
        elements = sample_elements(whole, rng=0)
        assert len(elements) == len(net.encoder)
        twin = act_on_weights(whole, elements)
        with torch.no_grad():
            np.testing.assert_allclose(twin(x), net(x), atol=1e-5)
            np.testing.assert_allclose(net(x), whole(x))
            front = net.encoder[:1](x)
            np.testing.assert_allclose(net.encoder[1:](front), net.encoder(x))


def test_head_trained_on_digits_works_after_a_symmetry_of_relu() -> None:
    """A relative network and a copy with transformed weights can exchange heads."""
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(images))[:900]
    x = torch.tensor(images[order] / 16, dtype=torch.float32)
    y = labels[order]
    body = SmallMLP(64, (32, 24), seed=0).encoder
    head = nn.Linear(40, 10)
    net = RelativeNetwork(body, Robust(), head, anchors=x[:40])
    recipe = Recipe(epochs=4, batch=32, head_rate=1e-2, encoder_rate=5e-3)
    tuned = fine_tune(
        net, x[:600], y[:600], recipe, rng=0, anchors=x[:40],
        validation=(x[600:], y[600:]),
    )  # fmt: skip
    assert tuned.scores[-1].accuracy > 80
    whole = nn.Sequential(
        body, nn.Linear(24, 1)
    )  # a layer that takes the last hidden layer
    moved = sample_elements(whole, rng=1)
    twin = act_on_weights(whole, moved)[0]
    other = RelativeNetwork(twin, Robust(), head, anchors=x[:40])
    with torch.no_grad():
        own = predict(net, x[600:])
        stitched = align.stitch(twin, other.eval().relative, net.head)(x[600:])
        absolute = twin(x[600:]) - body(x[600:])
    np.testing.assert_allclose(stitched, own, atol=2e-4)
    assert float(absolute.abs().max()) > 0.1
