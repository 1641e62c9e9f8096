"""Narrow residual networks train with channels last on every processor."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from similitude_lab.networks import ResNet20


@pytest.mark.parametrize("multiplier", [0.125, 0.25, 0.5])
def test_gradients_with_channels_last_are_those_of_the_strided_convolution(
    multiplier: float,
) -> None:
    """oneDNN wrote past a buffer for fewer than 8 or 16 channels, and crashed."""
    network = ResNet20(10, multiplier=multiplier, seed=0)
    name, narrow = next(
        (name, module)
        for name, module in network.named_modules()
        if isinstance(module, nn.Conv2d) and module.kernel_size == (1, 1)
    )
    x = torch.randn(16, narrow.in_channels, 16, 16)
    expected = functional.conv2d(x, narrow.weight, stride=narrow.stride)
    assert "shortcut" in name
    torch.testing.assert_close(narrow(x), expected)

    expected.square().sum().backward()
    gradient = narrow.weight.grad
    assert gradient is not None
    narrow.weight.grad = None
    last = narrow.to(memory_format=torch.channels_last)
    last(x.contiguous(memory_format=torch.channels_last)).square().sum().backward()
    torch.testing.assert_close(last.weight.grad, gradient, rtol=1e-4, atol=1e-3)
