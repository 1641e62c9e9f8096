"""Errors of `similitude.diff`: the first layer that differs, and the gate.

faults: a fault is planted in a random layer of a network with random weights (a dropped
bias, two swapped channels, another epsilon, a missing normalization), and a random set
of layers is extracted. Faults are planted until 50 of them change the first extracted
layer at or after the fault by more than ten noise floors. Weaker forms of the same
faults are scaled to 1 to 10 floors.
no fault: the same network, stored from runs with a random batch size and one or two
threads, against the network itself.
limit: a change whose true score is exactly the limit of the gate, with different
numbers of rows; and a change far inside the limit, with 20 rows.

`--quick` plants 5 faults and runs 20 simulations per line; the default takes about 5
minutes on one core. `--folder PATH` keeps finished parts, and the same command resumes.
"""

import copy
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

import similitude as sim
from common.harness import command, cost, report
from common.json_lines import add_line, read_lines

ROWS = 64
NAMES = ("dropped bias", "swapped channels", "other epsilon", "missing norm")


class Mixed(nn.Module):
    """A share of one module's output, and the rest of another's."""

    def __init__(self, a: nn.Module, b: nn.Module, share: float) -> None:
        super().__init__()
        self.a, self.b, self.share = a, b, share

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (1 - self.share) * self.a(x) + self.share * self.b(x)


def network(seed: int, kind: str) -> tuple[nn.Sequential, torch.Tensor]:
    """A perceptron or a convolutional network, with its normalization calibrated."""
    torch.manual_seed(seed)
    if kind == "perceptron":
        parts = [
            layer
            for width in (12, 32, 32)
            for layer in (nn.Linear(width, 32), nn.LayerNorm(32), nn.ReLU())
        ]
        net, x = nn.Sequential(*parts, nn.Linear(32, 10)), torch.randn(ROWS, 12)
    else:
        parts = [
            layer
            for width in (3, 16, 16)
            for layer in (nn.Conv2d(width, 16, 3), nn.BatchNorm2d(16), nn.ReLU())
        ]
        net = nn.Sequential(*parts, nn.Flatten(), nn.Linear(16 * 36, 10))
        x = torch.randn(ROWS, 3, 12, 12)
    for module in net:  # weights as after training: norms and biases are not 1 and 0
        if isinstance(module, nn.LayerNorm | nn.BatchNorm2d):
            nn.init.normal_(module.weight, 1, 0.2)
            nn.init.normal_(module.bias, 0, 0.2)
    net.train()(x)
    return net.eval(), x


def faulty(net: nn.Sequential, fault: str, layer: int, size: float) -> nn.Sequential:
    """A copy with a fault; size 1 is the whole fault."""
    changed = copy.deepcopy(net)
    module: Any = changed[layer]
    if fault == "dropped bias":
        module.bias.data *= 1 - size
    elif fault == "swapped channels":
        for values in (module.weight.data, module.bias.data):
            values[[0, 1]] += size * (values[[1, 0]] - values[[0, 1]])
    elif fault == "other epsilon":
        module.eps = 1e-5 + size * (1e-3 - 1e-5)
    else:
        changed[layer] = (
            Mixed(module, nn.Identity(), size) if size < 1 else nn.Identity()
        )
    return changed


def plant(seed: int) -> list[tuple[float, bool, str]]:
    """Floors, whether the right layer was named, and the fault: whole and weak."""
    rng = np.random.default_rng(seed)
    net, x = network(seed, str(rng.choice(["perceptron", "convolution"])))
    fault = str(rng.choice(NAMES))
    weighted = "bias" in fault or "swapped" in fault
    norms = [isinstance(module, nn.LayerNorm | nn.BatchNorm2d) for module in net]
    places = [
        i
        for i, (module, norm) in enumerate(zip(net, norms, strict=True))
        if (hasattr(module, "weight") if weighted else norm)
    ]
    place = int(rng.choice(places))
    layers = [str(i) for i in range(len(net)) if rng.random() < 0.6]
    layers = sorted({*layers, str(len(net) - 1)}, key=int)
    right = next(layer for layer in layers if int(layer) >= place)
    found, size = [], 1.0
    for _ in range(2):
        after = faulty(net, fault, place, size)
        result = sim.diff(net, after, x, layers=layers, reducer="flatten")
        change = next(c for c in result.changes if c.pair.label == right)
        floors = change.floors or 0.0
        found.append((floors, result.first == right, fault))
        size = float(10 ** rng.uniform(0, 1)) / max(floors, 10)
    return found


def faults(count: int) -> dict[str, Any]:
    strong: list[tuple[bool, str]] = []
    weak: list[tuple[float, bool]] = []
    seed = 0
    while len(strong) < count:
        for floors, named, fault in plant(seed):
            if floors > 10 and len(strong) < count:
                strong.append((named, fault))
            elif 1 <= floors <= 10:
                weak.append((floors, named))
        seed += 1
    shares = {
        f"{low} to {high}": [n for f, n in weak if low <= f < high]
        for low, high in ((1, 3), (3, 10))
    }
    return {
        "above 10 floors": len(strong),
        "named": sum(named for named, _ in strong),
        "kinds": dict(Counter(fault for _, fault in strong)),
        "at 1 to 10 floors": len(weak),
        "found": sum(named for _, named in weak),
        "by floors": {key: [sum(v), len(v)] for key, v in shares.items()},
    }


def no_fault(runs: int) -> dict[str, Any]:
    named, worst, threads = 0, 0.0, torch.get_num_threads()
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        net, x = network(seed, ("perceptron", "convolution")[seed % 2])
        torch.set_num_threads(int(rng.integers(1, 3)))
        size = int(rng.integers(1, ROWS + 1))
        parts = [net[: i + 1] for i in range(len(net))]
        with torch.inference_mode():
            stored = {
                str(i): torch.cat([part(b) for b in x.split(size)]).flatten(1).numpy()
                for i, part in enumerate(parts)
            }
        torch.set_num_threads(threads)
        result = sim.diff(stored, net, x, layers=[*stored], reducer="flatten")
        named += result.first is not None
        worst = max(worst, *(c.floors or 0.0 for c in result.changes))
    return {"runs": runs, "a layer named": named, "largest change in floors": worst}


def points(n: int, noise: float, seed: int) -> dict[str, Any]:
    """Two spaces with columns of different size; the CKA depends on the noise."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 8)) / np.arange(1, 9)
    return {"before": {"h": x}, "after": {"h": x + noise * rng.normal(size=(n, 8))}}


def classes(n: int, share: float, seed: int) -> dict[str, Any]:
    """Predictions of which a share changes."""
    rng = np.random.default_rng(seed)
    before = rng.integers(5, size=n)
    after = np.where(rng.random(n) < share, (before + 1) % 5, before)
    return {
        side: sim.Representation(side, sim.Outputs(labels=labels), layer="fc")
        for side, labels in (("before", before), ("after", after))
    }


def true_cka(noise: float) -> float:
    """CKA of `points` with infinitely many rows, from the covariances."""
    a = 1 / np.arange(1, 9) ** 2
    return float((a**2).sum() / np.sqrt((a**2).sum() * ((a + noise**2) ** 2).sum()))


def limits(runs: int) -> list[dict[str, Any]]:
    found = []
    cases: list[tuple[str, Any, float, float]] = [
        ("cka", points, 0.12, true_cka(0.12)),
        ("cka", points, 0.5, true_cka(0.5)),
        ("disagreement", classes, 0.05, 0.05),
    ]
    for measure, draw, change, limit in cases:
        for n in (20, 50, 200, 1000):
            outcomes = Counter(
                sim.diff(**draw(n, change, seed), allow={measure: limit}).outcome
                for seed in range(runs)
            )
            found.append({"measure": measure, "limit": limit, "n": n, **outcomes})
    inside = [("cka", points, 0.01, 0.9), ("disagreement", classes, 0.0, 0.3)]
    for measure, draw, change, limit in inside:
        outcomes = Counter(
            sim.diff(**draw(20, change, seed), allow={measure: limit}).outcome
            for seed in range(runs)
        )
        name = f"{measure}, far inside"
        found.append({"measure": name, "limit": limit, "n": 20, **outcomes})
    return found


def show(found: dict[str, Any]) -> None:
    for part in ("faults", "no fault"):
        for key, value in found.get(part, {}).items():
            print(f"{part}: {key}: {value}")
    print(f"\n{'limit of':<26}{'value':>8}{'rows':>7}{'pass':>7}{'fail':>7}{'open':>7}")
    for row in found.get("limits", []):
        counts = [row.get(key, 0) for key in ("pass", "fail", "inconclusive")]
        print(
            f"{row['measure']:<26}{row['limit']:>8.4f}{row['n']:>7}"
            + "".join(f"{count:>7}" for count in counts)
        )


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--quick", action="store_true", help="5 faults, 20 runs")
    parser.add_argument("--only", choices=PARTS, help="one part")
    parser.add_argument("--folder", type=Path, help="keep finished parts, and resume")
    given = parser.parse_args()
    kept, found = given.folder and given.folder / "parts.jsonl", {}
    lines = read_lines(kept) if kept else []
    done = {(line["part"], line["runs"]): line["found"] for line in lines}
    for name, (part, quick, full) in PARTS.items():
        if given.only not in (None, name):
            continue
        runs = quick if given.quick else full
        if (name, runs) in done:
            found[name] = done[name, runs]
            continue
        with sim.config(progress="off"):
            spent, found[name] = cost(partial(part, runs))
        if kept:
            line = {"part": name, "runs": runs, "found": found[name]}
            add_line(kept, line | {"seconds": round(spent, 2)})
    report(found, show, as_json=given.json)


PARTS = {
    "faults": (faults, 5, 50),
    "no fault": (no_fault, 20, 200),
    "limits": (limits, 20, 200),
}

if __name__ == "__main__":
    main()
