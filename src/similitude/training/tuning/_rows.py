"""Inputs of encoders: tensors, numpy arrays (also memory-mapped), or mappings."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from torch import Tensor, nn

from ...errors import InvalidInput
from .._weights import as_weights

Inputs = Any  # a tensor, a numpy array, or a mapping of names to these


def count(x: Inputs, name: str) -> int:
    """Count the samples; all parts of a mapping must have the same number."""
    if isinstance(x, Mapping):
        lengths = {key: len(part) for key, part in x.items()}
        if len(set(lengths.values())) != 1:
            raise InvalidInput(
                f"{name} has {lengths} samples; all parts must have the same number."
            )
        return next(iter(lengths.values()))
    if not isinstance(x, Tensor | np.ndarray) or x.ndim == 0:
        raise InvalidInput(
            f"{name} must be a tensor, a numpy array, or a mapping of names to them, "
            f"with samples on the first axis; got {type(x).__name__}."
        )
    return len(x)


def take(x: Inputs, rows: Any, module: nn.Module) -> Any:
    """Return samples as tensors with the device and precision of the module."""
    if isinstance(x, Mapping):
        return {key: take(part, rows, module) for key, part in x.items()}
    if isinstance(x, np.ndarray):
        rows = rows if isinstance(rows, slice) else np.asarray(rows)
        return as_weights(np.array(x[rows]), module)
    return as_weights(x[rows], module)
