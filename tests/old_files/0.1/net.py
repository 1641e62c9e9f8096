"""The networks of the stores. Changes of this file make stored layers invalid."""

import torch
from torch import nn


class Net(nn.Module):
    """Two layers, whose sums are exact in single precision."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 5)
        self.last = nn.Linear(5, 3)
        with torch.no_grad():
            for number, weights in enumerate(self.parameters(), start=1):
                count = torch.arange(weights.numel())
                weights.copy_((count * 37 % 23 - 11).reshape(weights.shape) / 8)
                weights.mul_(2.0**-number)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(torch.relu(self.first(x)))


def make() -> nn.Module:
    return Net()


def half() -> nn.Module:
    return Net().half()
