"""Conversion of samples to the device and precision of a module's weights."""

from typing import Any


def device_of(module: Any) -> Any:
    """Return the device of a module's weights or buffers; the CPU if it has neither."""
    import torch

    first = next(iter([*module.parameters(), *module.buffers()]), None)
    return torch.device("cpu") if first is None else first.device


def as_weights(values: Any, module: Any) -> Any:
    """Convert values to a tensor with the device and precision of the weights.

    Integers stay integers, because they are token ids.
    """
    import torch

    x = torch.as_tensor(values)
    weight = next((p for p in module.parameters() if p.is_floating_point()), None)
    if weight is None or not x.is_floating_point():
        return x.to(device_of(module))
    return x.to(weight)
