"""Small networks on the 8 x 8 digits that come with scikit-learn."""

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn

import similitude as sim
from similitude.training import Embeddings

HELD_OUT = 300
ANCHORS = 100  # number of training images used as anchors
LAYERS = ("one", "two", "three", "logits")


@dataclass(frozen=True)
class Network:
    """Activations and outputs of one network on the held-out images."""

    architecture: str
    seed: int
    trained: bool
    layers: dict[str, np.ndarray]  # 300 x units per layer, from first to last
    outputs: sim.Outputs
    space: Embeddings  # embeddings of layer three, for stitching

    @property
    def name(self) -> str:
        return f"{self.architecture}-{self.seed}"

    @property
    def accuracy(self) -> float:
        return float(np.mean(self.outputs.labels == self.outputs.targets))


def digits() -> tuple[torch.Tensor, ...]:
    """Training images and labels, held-out images and labels, shuffled once."""
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(images))
    x = torch.asarray(images[order] / 16, dtype=torch.float32).reshape(-1, 1, 8, 8)
    y = torch.asarray(labels[order])
    return x[HELD_OUT:], y[HELD_OUT:], x[:HELD_OUT], y[:HELD_OUT]


def mlp() -> nn.Sequential:
    return nn.Sequential(
        OrderedDict(
            one=nn.Sequential(nn.Flatten(), nn.Linear(64, 128), nn.ReLU()),
            two=nn.Sequential(nn.Linear(128, 64), nn.ReLU()),
            three=nn.Sequential(nn.Linear(64, 32), nn.ReLU()),
            logits=nn.Linear(32, 10),
        )
    )


def cnn() -> nn.Sequential:
    return nn.Sequential(
        OrderedDict(
            one=nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU()),
            two=nn.Sequential(
                nn.MaxPool2d(2), nn.Conv2d(16, 16, 3, padding=1), nn.ReLU()
            ),
            three=nn.Sequential(nn.Flatten(), nn.Linear(256, 64), nn.ReLU()),
            logits=nn.Linear(64, 10),
        )
    )


ARCHITECTURES = {"mlp": mlp, "cnn": cnn}


def train(network: nn.Module, x: torch.Tensor, y: torch.Tensor, epochs: int) -> None:
    """Train with Adam and batches of 64."""
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
    for _ in range(epochs):
        for batch in torch.randperm(len(x)).split(64):
            loss = nn.functional.cross_entropy(network(x[batch]), y[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


@torch.inference_mode()
def activations(network: nn.Sequential, x: torch.Tensor) -> dict[str, np.ndarray]:
    """The activations after every layer, flattened."""
    layers = {}
    for name, layer in network.named_children():
        x = layer(x)
        layers[name] = x.flatten(1).numpy()
    return layers


def twins(
    architecture: str, seed: int, data: tuple[torch.Tensor, ...], epochs: int
) -> list[Network]:
    """A network at initialization, and the same network after training."""
    torch.manual_seed(seed)
    network, (x, y, held_x, held_y) = ARCHITECTURES[architecture](), data
    found = []
    for trained in (False, True):
        if trained:
            train(network, x, y, epochs)
        layers = activations(network, held_x)
        log_probs = torch.asarray(layers["logits"]).log_softmax(dim=1).numpy()
        outputs = sim.Outputs(log_probs=log_probs, targets=held_y.numpy())
        train_rows = activations(network, x)["three"]
        space = Embeddings(
            train=train_rows[ANCHORS:],
            test=layers["three"],
            anchors=train_rows[:ANCHORS],
        )
        found.append(Network(architecture, seed, trained, layers, outputs, space))
    return found
