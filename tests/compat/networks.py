"""Small networks with fixed weights, and their data."""

from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def with_weights(model: nn.Module, seed: int) -> nn.Module:
    """Weights from numpy, which are the same in every version of torch."""
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            values = rng.normal(size=tuple(parameter.shape)) / 3
            parameter.copy_(torch.tensor(values))
    return model


def perceptron(seed: int, *, inplace: bool = False) -> nn.Module:
    layers = [nn.Linear(10, 16), nn.ReLU(inplace=inplace), nn.Linear(16, 4)]
    return with_weights(nn.Sequential(*layers), seed)


def images(n: int) -> torch.Tensor:
    values = np.random.default_rng(7).normal(size=(n, 10))
    return torch.tensor(values, dtype=torch.float32)


def loader(n: int, batch_size: int, **options: Any) -> DataLoader:
    labels = torch.arange(n)
    return DataLoader(TensorDataset(images(n), labels), batch_size, **options)
