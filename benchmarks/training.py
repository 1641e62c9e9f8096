"""Time training steps of the closeness models.

    python benchmarks/training.py [--json] [--quick] [--equal]

One thread, processor seconds, the best of interleaved rounds.

* One step at K = 6, W = 128, batch 128: one pass of f and g and cross-entropy,
  compared with the authors' way: f and g are evaluated once for the label and once for
  each class, products are taken row by row, and Adam is not fused.
  One pass is timed for the single loop, with automatic differentiation, and for the
  batched loop with one seed, which computes gradients in closed form.
* Steps of 20 batched seeds, compared with a step of one model by the single loop with
  fused Adam.
* With --equal: the largest difference of weights between batched and single training
  after 2,000 steps, in float64 and in float32. In float32 the runs diverge.

--quick uses few rounds, to check that the script runs.
"""

import time
from collections.abc import Callable
from typing import Any

import torch

from common.harness import command, report
from similitude._base._parallel import torch_threads
from similitude_lab.closeness import TrainConfig, load_config
from similitude_lab.closeness.data import radial_classification
from similitude_lab.closeness.networks import SoftmaxNetworks
from similitude_lab.closeness.training._ensemble import EnsembleTrainer
from similitude_lab.closeness.training._order import DataOrder
from similitude_lab.closeness.training._single import SingleTrainer

CONFIG = load_config("radial_classification_0_128_ADAM_0_0001.json", TrainConfig)
SEEDS = 20


class Batches:
    """Batches in the order of the training."""

    def __init__(self, classes: int, dtype: torch.dtype = torch.float32) -> None:
        data = radial_classification(classes=classes)
        self.x, self.y = torch.tensor(data.points).to(dtype), torch.tensor(data.labels)
        self.order = DataOrder(0, len(self.y), 128, 15_072)

    def __getitem__(self, step: int) -> tuple[torch.Tensor, torch.Tensor]:
        rows = self.order.rows(step)
        return self.x[rows], self.y[rows]


def once_per_class(networks: SoftmaxNetworks) -> Callable[[Any, Any], None]:
    """A step whose loss evaluates f and g once per class."""
    optimizer = torch.optim.Adam(networks.parameters(), lr=1e-4)
    codes = networks.codes

    def logits(x: torch.Tensor, code: torch.Tensor) -> torch.Tensor:
        f, g = networks.f_net(x), networks.g_net(code)
        return (f[:, None, :] @ g[:, :, None]).double()

    def step(x: torch.Tensor, y: torch.Tensor) -> None:
        right = logits(x, codes[y])
        every = torch.zeros((*right.shape, len(codes)), dtype=torch.float64)
        for number, code in enumerate(codes):
            every[..., number] = logits(x, code[None])
        loss = -(right - torch.logsumexp(every, dim=-1)).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    return step


def best_times(
    steps: dict[str, Callable[..., Any]], batches: Batches, rounds: int, size: int
) -> dict[str, float]:
    """Milliseconds per step: the best of interleaved rounds of `size` steps."""
    best = dict.fromkeys(steps, float("inf"))
    for _ in range(rounds):
        for name, step in steps.items():
            start = time.process_time()
            for number in range(size):
                step(*batches[number])
            spent = (time.process_time() - start) / size
            best[name] = min(best[name], 1e3 * spent)
    return best


def one_pass(rounds: int, size: int) -> dict[str, float]:
    networks = [SoftmaxNetworks(6, 128) for _ in range(3)]
    steps = {
        "single": SingleTrainer(networks[0], CONFIG).step,
        "closed form": EnsembleTrainer(networks[1:2], CONFIG, "leaky_relu").step,
        "per class": once_per_class(networks[2]),
    }
    return best_times(steps, Batches(6), rounds, size)


def batched(width: int, rounds: int, size: int) -> dict[str, float]:
    models = [SoftmaxNetworks(6, width, seed=seed) for seed in range(SEEDS)]
    steps = {
        "single": SingleTrainer(SoftmaxNetworks(6, width), CONFIG).step,
        "batched": EnsembleTrainer(models, CONFIG, "leaky_relu").step,
    }
    found = best_times(steps, Batches(6), rounds, size)
    return found | {"factor": found["batched"] / found["single"]}


def difference(classes: int, width: int, dtype: torch.dtype, steps: int) -> float:
    """Largest difference of weights between batched and single training."""
    batches = Batches(classes, dtype)
    models = [SoftmaxNetworks(classes, width, seed=seed).to(dtype) for seed in (0, 1)]
    together = EnsembleTrainer(models, CONFIG, "leaky_relu")
    alone = SingleTrainer(models[1], CONFIG)
    for number in range(steps):
        together.step(*batches[number])
        alone.step(*batches[number])
    a, b = together.weights(1), alone.weights(0)
    return max(float((a[key] - b[key]).abs().max()) for key in a)


def show(found: dict[str, Any]) -> None:
    one = found["one pass"]
    print(f"K=6 W=128 batch 128, f once per class: {one['per class']:.2f} ms")
    for name in ("single", "closed form"):
        factor = one["per class"] / one[name]
        print(f"  one pass, {name}: {one[name]:.2f} ms, {factor:.1f}x faster")
    for width, row in found["batched"].items():
        print(
            f"W={width}: one model {row['single']:.2f} ms, {SEEDS} batched "
            f"{row['batched']:.2f} ms, {row['factor']:.2f}x the time"
        )
    for name, value in found.get("equal", {}).items():
        print(f"{name}: largest difference of weights {value:.1e}")


if __name__ == "__main__":
    parser = command(__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--equal", action="store_true")
    arguments = parser.parse_args()
    rounds, size = (1, 2) if arguments.quick else (8, 20)
    length = 5 if arguments.quick else 2000
    with torch_threads(1):
        found: dict[str, Any] = {
            "one pass": one_pass(rounds, size),
            "batched": {w: batched(w, rounds, size) for w in (16, 64, 128)},
        }
        if arguments.equal:
            found["equal"] = {
                f"K={k} W={w} {dtype}": difference(k, w, dtype, length)
                for dtype in (torch.float64, torch.float32)
                for k in (4, 18)
                for w in (16, 64)
            }
    report(found, show, as_json=arguments.json)
