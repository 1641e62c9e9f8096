"""Small networks with planted changes."""

import copy

import torch
from torch import nn

LAYERS = ["0", "1", "2", "3", "4", "5", "6"]


def network(seed: int = 0) -> nn.Sequential:
    """Seven layers; the normalization comes from data with a spread of about 1."""
    torch.manual_seed(seed)
    return nn.Sequential(
        nn.Linear(12, 32),
        nn.LayerNorm(32),
        nn.ReLU(),
        nn.Linear(32, 32),
        nn.LayerNorm(32),
        nn.ReLU(),
        nn.Linear(32, 10),
    )


def stimuli(n: int = 300, seed: int = 1) -> torch.Tensor:
    return torch.randn(n, 12, generator=torch.Generator().manual_seed(seed))


def dropped_bias(net: nn.Sequential, layer: int) -> nn.Sequential:
    changed = copy.deepcopy(net)
    changed[layer].bias.data.zero_()
    return changed


def swapped_channels(net: nn.Sequential, layer: int) -> nn.Sequential:
    changed = copy.deepcopy(net)
    for values in (changed[layer].weight.data, changed[layer].bias.data):
        values[[0, 1]] = values[[1, 0]]
    return changed


def other_epsilon(net: nn.Sequential, layer: int) -> nn.Sequential:
    changed = copy.deepcopy(net)
    changed[layer].eps = 1e-3
    return changed


def missing_norm(net: nn.Sequential, layer: int) -> nn.Sequential:
    changed = copy.deepcopy(net)
    changed[layer] = nn.Identity()
    return changed


#: Each fault with the layers where it can be planted.
FAULTS = {
    dropped_bias: (0, 3, 6),
    swapped_channels: (0, 3, 6),
    other_epsilon: (1, 4),
    missing_norm: (1, 4),
}


class BFloat16(nn.Module):
    """A network that runs in bfloat16, with layers of the same names."""

    def __init__(self, net: nn.Sequential) -> None:
        super().__init__()
        for name, module in copy.deepcopy(net).to(torch.bfloat16).named_children():
            self.add_module(name, module)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.to(torch.bfloat16)
        for module in self.children():
            x = module(x)
        return x
