"""Modules in evaluation mode: no state changes, rows do not affect each other."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from ..._validate import check_at_least
from ._rows import Inputs, count, take


@contextmanager
def evaluating(module: nn.Module) -> Iterator[None]:
    """Switch to evaluation mode without gradients; restore every part's mode."""
    modes = [(part, part.training) for part in module.modules()]
    module.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        for part, mode in modes:
            part.training = mode


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
