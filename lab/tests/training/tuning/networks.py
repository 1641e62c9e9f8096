"""Small relative networks, and rows for fine-tuning them."""

from typing import Any

import numpy as np
import torch
from torch import nn

from similitude.latent.align.relative import (
    Cosine,
    Euclidean,
    Product,
    Relative,
    Robust,
    WhitenedCosine,
    relative_transform,
)
from similitude_lab.training.tuning import Recipe, RelativeNetwork

D, K, CLASSES = 12, 9, 3
DRAW = np.random.default_rng(5)
LABELS = np.arange(150) % CLASSES
X = torch.tensor(
    DRAW.normal(size=(150, D)) + 2 * np.eye(D)[LABELS], dtype=torch.float32
)
ANCHORS, REFERENCE = X[:K], X[20:80]
ROBUST = Robust()
TRANSFORMS: list[Relative] = [
    Cosine(),
    Cosine(normalize="l2"),
    Robust(),
    Robust(stats="batch"),
    Robust(stats="train"),
    relative_transform("centered_cosine", stats="batch"),
    Robust(normalize="columns"),
    WhitenedCosine(stats="train"),
    Product(parts=(Cosine(), Robust(stats="batch"), Euclidean())),
    Product(parts=(Cosine(), Robust()), aggregate="sum"),
]


def encoder(seed: int = 0, *, dropout: float = 0.2) -> nn.Sequential:
    torch.manual_seed(seed)
    return nn.Sequential(
        nn.Linear(D, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(dropout),
        nn.Linear(16, 8),
    )  # fmt: skip


def network(
    transform: Relative | None = ROBUST, seed: int = 0, **options: Any
) -> RelativeNetwork:
    body = encoder(seed, **options)
    reference = None
    if transform is not None and transform.takes_reference:
        reference = REFERENCE
    if transform is None:
        return RelativeNetwork(body, None, nn.Linear(8, CLASSES))
    parts = len(transform.parts) if isinstance(transform, Product) else 1
    if isinstance(transform, Product) and transform.aggregate == "sum":
        parts = 1
    head = nn.Linear(parts * K, CLASSES)
    return RelativeNetwork(body, transform, head, anchors=ANCHORS, reference=reference)


def state(module: nn.Module) -> dict[str, np.ndarray]:
    return {k: v.numpy().copy() for k, v in module.state_dict().items()}


def assert_same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> None:
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], name)


QUICK = Recipe(epochs=2, batch=32, head_rate=1e-2, encoder_rate=1e-2, refresh=3)
