"""Samples as the weights of a module can compute with them."""

from typing import Any


def device_of(module: Any) -> Any:
    """The device of a module's weights, or of its buffers; the CPU if it has none."""
    import torch

    first = next(iter([*module.parameters(), *module.buffers()]), None)
    return torch.device("cpu") if first is None else first.device


def as_weights(values: Any, module: Any) -> Any:
    """A tensor on the device of the weights, and in their precision.

    Integers stay integers: they are names of tokens, not numbers.
    """
    import torch

    x = torch.as_tensor(values)
    weight = next((p for p in module.parameters() if p.is_floating_point()), None)
    if weight is None or not x.is_floating_point():
        return x.to(device_of(module))
    return x.to(weight)
