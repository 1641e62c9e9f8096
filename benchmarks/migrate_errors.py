"""Errors of the interval and of the verdict of `similitude migrate`, without encoders.

    python benchmarks/migrate_errors.py [--runs N] [--folder PATH]

Old and new rows are pixels of digits and layers of networks that were trained on them,
or random vectors and their rotated and noisy copies. Each run draws 2,000 rows, fits a
map to 500 of them, and draws 200 queries. The true recall is that of the same map over
all 1,500 other rows. The limit of the verdict is the true recall itself, so a verdict
"passes" is an error, which 95 % intervals make in 2.5 % of runs. In the last case, rows
are paired at random, and the limit is 0.05. --folder keeps finished cases, and the same
command resumes.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import similitude as sim
from common import digits
from common.harness import command, cost, report
from common.json_lines import add_line, read_lines
from migrate import covers

Rows = tuple[np.ndarray, np.ndarray]


def networks() -> Rows:
    return digits.layers(0, trained=True)[0], digits.layers(1, trained=True)[0]


def pixels() -> Rows:
    return digits.images()[0], digits.layers(0, trained=True)[1]


def rotated() -> Rows:
    """Nearly an isometry: the recall is close to 1."""
    rng = np.random.default_rng(0)
    old = rng.normal(size=(16_000, 16)) / np.arange(1, 17)
    new = old @ np.linalg.qr(rng.normal(size=(16, 16)))[0]
    return old, new + 0.005 * rng.normal(size=new.shape)


def covered(rows: Callable[[], Rows], side: str, runs: int) -> dict[str, Any]:
    old, new = rows()
    found = np.array([covers((old, new), side, split) for split in range(runs)])
    true, low, high = found.T
    return {
        "recall": float(true.mean()),
        "covers": int(np.sum((low <= true) & (true <= high))),
        "passes": int(np.sum(low >= true)),
    }


def shuffled(runs: int) -> dict[str, Any]:
    """Rows of the new network in another order: no map can keep the results."""
    (old, new), found = networks(), []
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        part, other = (rng.choice(len(old), 2000, replace=False) for _ in range(2))
        options = {"pairs": 500, "query_rows": 200, "keep_at_least": 0.05}
        found.append(sim.migrate(old[part], new[other], **options, rng=seed))
    return {
        "recall": float(np.mean([each.recall.value for each in found])),
        "covers": None,
        "passes": sum(each.decision.passed for each in found),
    }


def cases() -> Iterator[tuple[str, Callable[[int], dict[str, Any]]]]:
    for name, rows in (
        ("two networks", networks),
        ("pixels to a network", pixels),
        ("a rotation with noise", rotated),
    ):
        for side in ("corpus", "queries"):
            yield f"{name}, map the {side}", partial(covered, rows, side)
    yield "rows paired at random", shuffled


def show(found: list[dict[str, Any]]) -> None:
    print(f"{'case':<44}{'recall':>8}{'covers':>8}{'passes':>8}{'runs':>6}")
    for one in found:
        covers = "-" if one["covers"] is None else f"{one['covers']}"
        counts = f"{covers:>8}{one['passes']:>8}{one['runs']:>6}"
        print(f"{one['case']:<44}{one['recall']:>8.3f}{counts}")


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--runs", type=int, default=300, help="splits per case")
    parser.add_argument("--folder", type=Path, help="keep finished cases, and resume")
    options = parser.parse_args()
    kept, found = options.folder and options.folder / "cases.jsonl", []
    lines = read_lines(kept) if kept else []
    done = {(line["case"], line["runs"]): line for line in lines}
    for name, run in cases():
        runs = options.runs if run is not shuffled else max(1, options.runs // 10)
        one = done.get((name, runs))
        if one is None:
            spent, one = cost(partial(run, runs))
            one |= {"case": name, "runs": runs, "seconds": round(spent, 2)}
            if kept:
                add_line(kept, one)
        found.append(one)
    report(found, show, as_json=options.json)


if __name__ == "__main__":
    main()
