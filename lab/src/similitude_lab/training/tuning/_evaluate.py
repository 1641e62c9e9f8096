"""Modules in evaluation mode: no state changes, rows do not affect each other."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from similitude.errors import InvalidInput
from similitude.plugins import as_weights, check_at_least, evaluation_mode

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


@contextmanager
def evaluating(module: nn.Module) -> Iterator[None]:
    """Switch to evaluation mode without gradients; restore every part's mode."""
    with evaluation_mode(module), torch.no_grad():
        yield


def predict(
    module: nn.Module,
    x: Inputs,
    *,
    batch: int = 512,
    call: Callable[[Any], Tensor] | None = None,
) -> Tensor:
    """Return a module's output in evaluation mode, on the CPU.

    Parameters
    ----------
    x
        A tensor, a numpy array, or a mapping of names to them. The module gets tensors
        in the same structure, floats in the precision of its weights.
    batch
        Number of samples per forward pass; does not change the output.
    call
        A method of the module to call instead of the module itself.
    """
    check_at_least("batch", batch, 1)
    n = count(x, "x")
    function = module if call is None else call
    with evaluating(module):
        parts = [
            function(take(x, slice(i, i + batch), module)).cpu()
            for i in range(0, n, batch)
        ]
    return torch.cat(parts)
