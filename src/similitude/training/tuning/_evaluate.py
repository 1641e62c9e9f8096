"""Modules in evaluation mode: nothing in them changes, and no row sees another."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from ..._validate import check_at_least
from ._rows import Inputs, count, take


@contextmanager
def evaluating(module: nn.Module) -> Iterator[None]:
    """Evaluation mode without gradients; every part is put back as it was."""
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
    """What a module makes of samples, in evaluation mode, on the CPU.

    Parameters
    ----------
    x
        A tensor, a numpy array, or a mapping of names to them; the module is called
        with the same kind of thing, floating numbers in the precision of its weights.
    batch
        How many samples at a time; it does not change what comes out.
    call
        One of the module's methods, where it is not the module itself that is asked.
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
