"""Small PyTorch models, each with one feature that makes extraction hard."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn


def inputs(n: int = 7, *shape: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(n, *(shape or (4,)), generator=generator)


class Recorder(nn.Module):
    """Calls a function of the input, and keeps a copy of what it returned."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Any) -> Any:
        return self.function(*args)


class Wrapped(nn.Module):
    """A linear layer whose output is wrapped by a function, then summed."""

    def __init__(self, wrap: Any) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 3)
        self.block = Recorder(lambda x: wrap(self.linear(x)))

    def forward(self, x: Tensor) -> Tensor:
        self.block(x)
        return x


@dataclass
class Output:
    last_hidden_state: Tensor
    pooled: Tensor


class Reused(nn.Module):
    """One layer, called several times in a pass."""

    def __init__(self, calls: int = 3) -> None:
        super().__init__()
        self.calls = calls
        self.layer = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        for _ in range(self.calls):
            x = torch.tanh(self.layer(x))
        return x


class Conv(nn.Module):
    """Two convolutions with batch norm, dropout and an in-place activation."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 5, 3, padding=1)
        self.norm = nn.BatchNorm2d(5)
        self.act = nn.ReLU(inplace=True)
        self.drop = nn.Dropout(0.5)
        self.head = nn.Linear(5, 2)

    def forward(self, x: Tensor) -> Tensor:
        x = self.drop(self.act(self.norm(self.conv(x))))
        return self.head(x.mean((2, 3)))


class Tokens(nn.Module):
    """Token embeddings and a linear layer: samples x tokens x 6."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(20, 6)
        self.mix = nn.Linear(6, 6)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        return self.mix(self.embed(input_ids))


def token_batch(n: int = 6, length: int = 5, seed: int = 0) -> dict[str, np.ndarray]:
    """Token ids, and a mask with padding on the left for odd samples."""
    rng = np.random.default_rng(seed)
    mask = np.ones((n, length), dtype=np.int64)
    for row in range(n):
        padding = row % 3
        if row % 2:
            mask[row, :padding] = 0
        elif padding:
            mask[row, -padding:] = 0
    ids = rng.integers(1, 20, size=(n, length)) * mask
    return {"input_ids": ids, "attention_mask": mask}


def forward(model: nn.Module, *args: Any) -> np.ndarray:
    """The output of the model in evaluation mode."""
    training = model.training
    with torch.inference_mode():
        found = model.eval()(*args).numpy()
    model.train(training)
    return found
