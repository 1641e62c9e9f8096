"""Small networks on the 8 x 8 digits that come with scikit-learn."""

from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn

import similitude as sim
from similitude.latent.stitching import Embeddings

HELD_OUT = 300
ANCHORS = 100  # number of training images used as anchors
LAYERS = ("layer1", "layer2", "layer3", "logits")
OUT = Path("demo")
STORE = OUT / "store"


@dataclass(frozen=True)
class Network:
    """Outputs and embeddings of one trained network."""

    name: str  # architecture and seed, such as mlp-0
    outputs: sim.Outputs
    space: Embeddings  # embeddings of layer 3, for stitching

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
            layer1=nn.Sequential(nn.Flatten(), nn.Linear(64, 128), nn.ReLU()),
            layer2=nn.Sequential(nn.Linear(128, 64), nn.ReLU()),
            layer3=nn.Sequential(nn.Linear(64, 32), nn.ReLU()),
            logits=nn.Linear(32, 10),
        )
    )


def cnn() -> nn.Sequential:
    return nn.Sequential(
        OrderedDict(
            layer1=nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU()),
            layer2=nn.Sequential(
                nn.MaxPool2d(2), nn.Conv2d(16, 16, 3, padding=1), nn.ReLU()
            ),
            layer3=nn.Sequential(nn.Flatten(), nn.Linear(256, 64), nn.ReLU()),
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


def extract(
    network: nn.Module, images: torch.Tensor, name: str, **baseline: str
) -> None:
    """Write the activations of the four layers on the held-out images to the store."""
    sim.extract(
        network,
        images,
        layers=LAYERS,
        reducer="flatten",
        out=STORE,
        name=name,
        progress=None,
        **baseline,
    )


def train_and_extract(
    architecture: str, seed: int, data: tuple[torch.Tensor, ...], epochs: int
) -> Network:
    """A trained network; its layers are in the store, before and after training."""
    torch.manual_seed(seed)
    network, (x, y, held_x, held_y) = ARCHITECTURES[architecture](), data
    name = f"{architecture}-{seed}"
    extract(network, held_x, name, baseline="untrained")
    train(network, x, y, epochs)
    extract(network, held_x, name)
    with torch.inference_mode():
        log_probs = network(held_x).log_softmax(dim=1).numpy()
        train_rows, rows = (network[:-1](images).numpy() for images in (x, held_x))
    outputs = sim.Outputs(log_probs=log_probs, targets=held_y.numpy())
    space = Embeddings(
        train=train_rows[ANCHORS:], test=rows, anchors=train_rows[:ANCHORS]
    )
    return Network(name, outputs, space)
