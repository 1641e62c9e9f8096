"""Inputs of encoders: tensors, numpy arrays (also on disk), or mappings of them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ...errors import InvalidInput

Inputs = Any  # a tensor, a numpy array, or a mapping of names to these


def count(x: Inputs, name: str) -> int:
    """How many samples there are; all parts of a mapping have as many."""
    if isinstance(x, Mapping):
        lengths = {key: len(part) for key, part in x.items()}
        if len(set(lengths.values())) != 1:
            raise InvalidInput(
                f"{name} has {lengths} samples; all of its parts must have as many."
            )
        return next(iter(lengths.values()))
    if not isinstance(x, Tensor | np.ndarray) or x.ndim == 0:
        raise InvalidInput(
            f"{name} must be a tensor, a numpy array, or a mapping of names to them, "
            f"first axis the samples; got {type(x).__name__}."
        )
    return len(x)


def take(x: Inputs, rows: Any, device: torch.device) -> Any:
    """These samples as tensors on a device."""
    if isinstance(x, Mapping):
        return {key: take(part, rows, device) for key, part in x.items()}
    if isinstance(x, np.ndarray):
        rows = rows if isinstance(rows, slice) else np.asarray(rows)
        return torch.as_tensor(np.array(x[rows])).to(device)
    return x[rows].to(device)


def device_of(module: nn.Module) -> torch.device:
    first = next(iter([*module.parameters(), *module.buffers()]), None)
    return torch.device("cpu") if first is None else first.device
