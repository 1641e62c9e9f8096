"""Which stimuli differ: planted changes, false discoveries, and the time of CKA.

    python benchmarks/stimuli.py [--runs N] [--seeds N] [--widths 128 64] [--layer N]
                                 [--folder PATH]

The networks are seeds of one network, trained on digits; the first hidden layer is
compared. Each run draws 300 images and seven seeds: A, B and five baselines. It counts
the runs in which `stats.moved` reports any stimulus (q < 0.05) although nothing
differs. Then 20 rows of B are exchanged in pairs of different digits: how many of them
are among the 25 lowest scores of noisy copies (mutual_knn about 0.5), and how many does
`stats.moved` find? A planted group are 20 images whose rows in B become neighbors of
each other: is it found as one group? The last part times the scores of single stimuli
under CKA, at 10,000 x 512, against CKA itself. --folder keeps trained networks and
finished runs, and the same command resumes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import similitude as sim
from common import digits
from common.harness import command, cost, medians, report
from common.json_lines import add_line, read_lines
from similitude import stats

IMAGES, PLANTED = 300, 20


@dataclass(frozen=True)
class Network:
    """Widths of the hidden layers, and the layer that is compared; the last: logits."""

    widths: tuple[int, ...] = (128, 64)
    layer: int = 0
    folder: Path | None = None  # of trained networks and finished runs

    def of(self, seed: int, images: np.ndarray) -> np.ndarray:
        options = {"widths": self.widths, "folder": self.folder}
        weights = digits.network(seed, trained=True, **options)
        return digits.activations(weights, images)[self.layer]


MEASURES = ("pnka", "mutual_knn")


def draw(
    run: int, seeds: int, network: Network
) -> tuple[list[np.ndarray], np.ndarray, np.random.Generator]:
    """Seven seeds on the same images, the digits, and a generator."""
    rng = np.random.default_rng([run, 33])
    images, labels = digits.images()
    rows = rng.choice(len(labels), IMAGES, replace=False)
    chosen = rng.choice(seeds, 7, replace=False).tolist()
    return [network.of(seed, images[rows]) for seed in chosen], labels[rows], rng


def exchange(
    x: np.ndarray, labels: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """x with `PLANTED` rows exchanged in pairs of different digits, and these rows."""
    left, chosen = rng.permutation(len(x)).tolist(), []
    while len(chosen) < PLANTED:
        first = left.pop()
        second = next(i for i in left if labels[i] != labels[first])
        left.remove(second)
        chosen += [first, second]
    rows, changed = np.array(chosen), x.copy()
    changed[rows] = x[rows.reshape(-1, 2)[:, ::-1].ravel()]
    return changed, rows


def noisy(pair: list[np.ndarray], rng: np.random.Generator) -> list[np.ndarray]:
    """Copies with noise, such that mutual_knn is about 0.5."""
    for noise in np.arange(0.0, 3.0, 0.05):
        scales = [noise * x.std() for x in pair]
        made = [
            x + scale * rng.normal(size=x.shape)
            for x, scale in zip(pair, scales, strict=True)
        ]
        if sim.mutual_knn(*made) < 0.5:
            break
    return made


def one_run(run: int, seeds: int, network: Network, measure: str) -> dict[str, float]:
    (x, y, *baselines), labels, rng = draw(run, seeds, network)
    quiet = stats.moved(x, y, baselines, measure).q < 0.05
    changed, rows = exchange(y, labels, rng)
    moved = stats.moved(x, changed, baselines, measure).q < 0.05
    a, b = noisy([x, y], rng)
    b, planted = exchange(b, labels, rng)
    lowest = np.argsort(sim.per_stimulus(a, b, measure))[:25]
    return {
        "false_alarm": float(quiet.any()),
        "found": float(moved[rows].sum()),
        "false": float(moved.sum() - moved[rows].sum()),
        "lowest": float(len(set(lowest.tolist()) & set(planted.tolist()))),
    }


def group_is_found(run: int, seeds: int, network: Network) -> bool:
    """Whether the planted group is one group, with nearly all of its images."""
    (x, y, *_), _, rng = draw(run, seeds, network)
    rows = rng.choice(IMAGES, PLANTED, replace=False)
    place = y.max() * rng.random(y.shape[1])
    y[rows] = place + 0.3 * y.std() * rng.normal(size=(PLANTED, y.shape[1]))
    found = sim.compare({"a": x, "b": y}, "mutual_knn", permutations=0)
    groups = found.stimuli("a", "b", draws=1).groups
    shares = [len(set(group.members) & set(rows.tolist())) for group in groups]
    near_b = [
        (group.size, share)
        for group, share in zip(groups, shares, strict=True)
        if group.near == "b" and share
    ]
    return len(near_b) == 1 and near_b[0][1] >= 16 and near_b[0][0] <= 24


def time_of_cka() -> list[float]:
    x, y = np.random.default_rng(0).normal(size=(2, 10_000, 512))
    return medians(
        lambda: sim.cka(x, y), lambda: sim.per_stimulus(x, y, "cka"), repeats=3
    )


def once(network: Network, key: list[Any], run: Callable[[], Any]) -> Any:
    """The result of a run, from the folder if it is there."""
    if network.folder is None:
        return run()
    path = network.folder / "runs.jsonl"
    key = [*key, *network.widths, network.layer]
    for line in read_lines(path):
        if line["key"] == key:
            return line["found"]
    spent, found = cost(run)
    add_line(path, {"key": key, "found": found, "seconds": round(spent, 2)})
    return found


def measure(runs: int, seeds: int, network: Network) -> dict[str, Any]:
    found: dict[str, Any] = {"runs": runs, "seeds": seeds}
    found |= {"widths": network.widths, "layer": network.layer}
    for name in MEASURES:
        each = [
            once(
                network, [name, seeds, run], partial(one_run, run, seeds, network, name)
            )
            for run in range(runs)
        ]
        found[name] = {
            "false_alarms": int(sum(run["false_alarm"] for run in each)),
            "found": float(np.mean([run["found"] for run in each])),
            "false": float(np.mean([run["false"] for run in each])),
            "lowest": float(np.mean([run["lowest"] for run in each])),
            "lowest_worst": float(np.min([run["lowest"] for run in each])),
        }
    found["groups"] = sum(
        once(
            network, ["group", seeds, run], partial(group_is_found, run, seeds, network)
        )
        for run in range(runs // 5)
    )
    found["cka_seconds"] = once(network, ["time"], time_of_cka)
    return found


def show(found: dict[str, Any]) -> None:
    for name in MEASURES:
        one = found[name]
        print(
            f"{name}: {one['false_alarms']} of {found['runs']} runs without a "
            f"difference report a moved stimulus; of {PLANTED} planted, "
            f"{one['found']:.1f} are found, with {one['false']:.1f} others; "
            f"{one['lowest']:.1f} (at least {one['lowest_worst']:.0f}) are among the "
            f"25 lowest of noisy copies"
        )
    print(
        f"a planted group is found as one group in {found['groups']} of "
        f"{found['runs'] // 5} runs"
    )
    whole, single = found["cka_seconds"]
    print(
        f"cka at 10,000 x 512: {whole:.2f} processor seconds; scores of all stimuli "
        f"{single:.2f}, {single / whole:.2f} times as long"
    )


if __name__ == "__main__":
    parser = command(__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--widths", type=int, nargs="+", default=Network.widths)
    parser.add_argument(
        "--layer", type=int, default=0, help="0 is the first hidden one"
    )
    parser.add_argument("--folder", type=Path, help="keep finished runs, and resume")
    arguments = parser.parse_args()
    network = Network(tuple(arguments.widths), arguments.layer, arguments.folder)
    found = measure(arguments.runs, arguments.seeds, network)
    report(found, show, as_json=arguments.json)
