"""Random networks that do not run in the order in which they register modules."""

import copy

import numpy as np
import torch
from torch import Tensor, nn

WIDTH = 6


class Part(nn.Module):
    """A container that calls its children in a plan, registered in another order.

    A plan is a list of (kind, names): "chain" calls a child, "branch" sums two of them,
    and "residual" adds a child to its input. A child may occur several times.
    """

    def __init__(
        self, children: dict[str, nn.Module], plan: list[tuple[str, tuple[str, ...]]]
    ) -> None:
        super().__init__()
        self.plan = plan
        for name, child in children.items():
            self.add_module(name, child)

    def forward(self, x: Tensor) -> Tensor:
        for kind, names in self.plan:
            first, *others = [getattr(self, name)(x) for name in names]
            x = sum([*others, *([x] if kind == "residual" else [])], first)
        return x


def leaf(rng: np.random.Generator) -> nn.Module:
    made = nn.Linear(WIDTH, WIDTH)
    nn.init.orthogonal_(made.weight)
    nn.init.normal_(made.bias)
    return made


def part(rng: np.random.Generator, depth: int, names: list[str]) -> Part:
    """A container of two to five children; some are containers, shared or repeated."""
    count = int(rng.integers(2, 6))
    chosen = [str(name) for name in rng.choice(names, count, replace=False)]
    children: dict[str, nn.Module] = {}
    for name in chosen:
        draw = rng.random()
        if depth and draw < 0.4:
            children[name] = part(rng, depth - 1, names)
        elif children and draw < 0.55:  # the same module under two names
            children[name] = children[str(rng.choice(list(children)))]
        else:
            children[name] = leaf(rng)
    calls = chosen + [str(name) for name in rng.choice(chosen, int(rng.integers(0, 2)))]
    plan: list[tuple[str, tuple[str, ...]]] = []
    while calls:
        kind = str(rng.choice(["chain", "branch", "residual"]))
        size = min(2 if kind == "branch" else 1, len(calls))
        plan.append((kind, tuple(calls[:size])))
        calls = calls[size:]
    registered = [str(name) for name in rng.permutation(chosen)]
    return Part({name: children[name] for name in registered}, plan)


NAMES = ["head", "stem", "encoder", "block2", "block10", "up", "mid", "a", "10", "9"]


def network(seed: int) -> Part:
    torch.manual_seed(seed)
    return part(np.random.default_rng(seed), 2, NAMES).eval()


def stimuli(n: int = 40) -> Tensor:
    return torch.randn(n, WIDTH, generator=torch.Generator().manual_seed(7))


def planted(net: Part, seed: int) -> tuple[Part, str]:
    """A copy whose layer lost its bias, and the first call of that layer."""
    rng = np.random.default_rng([seed, 1])
    changed = copy.deepcopy(net)
    leaves = [n for n, m in changed.named_modules() if isinstance(m, nn.Linear)]
    name = str(rng.choice(leaves))
    module = changed.get_submodule(name)
    calls: list[int] = []
    handle = module.register_forward_hook(lambda *_: calls.append(1))
    with torch.no_grad():
        changed(stimuli(2))
        module.bias.zero_()
    handle.remove()
    return changed, f"{name}:1" if len(calls) > 1 else name
