"""make demo: are six networks that learnt the digits the same inside?

Two architectures, three seeds each, and every network as it was before training. All
layers are compared on 300 held-out images, under one measure of each kind, and heads
are stitched to the other networks.
"""

import itertools
import json
import time
from pathlib import Path

import numpy as np
import torch
from findings import findings
from networks import ARCHITECTURES, HELD_OUT, LAYERS, digits, twins
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from scores import (
    MEASURES,
    QUESTIONS,
    RTD,
    Place,
    Score,
    compare,
    same_layer,
    topological_pairs,
    values,
)
from threadpoolctl import threadpool_limits

OUT = Path("demo")


def main() -> None:
    """All of it on one thread: the products are small, and threads only wait."""
    torch.set_num_threads(1)
    with threadpool_limits(1):
        demo()


def demo() -> None:
    console, start = Console(), time.perf_counter()
    data = digits()
    with Progress(console=Console(stderr=True), transient=True) as progress:
        jobs = list(itertools.product(ARCHITECTURES, range(3)))
        task = progress.add_task("training", total=len(jobs))
        networks = []
        for architecture, seed in jobs:
            networks += twins(architecture, seed, data)
            progress.advance(task)
        places = [Place(n, layer) for n in networks for layer in n.layers]
        pairs = len(places) * (len(places) - 1) // 2
        task = progress.add_task("comparing", total=pairs * len(MEASURES))
        scores = compare(MEASURES, places, lambda: progress.advance(task))
        heavy = progress.add_task("topology", total=len(topological_pairs(places)))
        rtd = same_layer(RTD, places, lambda: progress.advance(heavy))
    trained = [n for n in networks if n.trained]
    console.print(
        f"digits: {len(ARCHITECTURES)} architectures x 3 seeds, and an untrained twin "
        f"of each; {len(places)} layers on {HELD_OUT} held-out images; {pairs:,} "
        f"pairs, {len(MEASURES)} measures, rtd on {len(rtd)} same-layer pairs, "
        f"{time.perf_counter() - start:.0f} s\n"
    )
    console.print("[bold]Mean score of two networks, by what they share[/]\n")
    console.print(questions_table(scores))
    console.print("\n[bold]Layer against layer[/], trained, other seed, unbiased CKA\n")
    console.print(layers_table(scores))
    console.print("\n[bold]Findings[/]")
    grid = Table.grid(padding=(0, 1))
    for i, finding in enumerate(findings(scores, rtd, trained, data[1].numpy()), 1):
        grid.add_row(f" {i}.", finding)
    console.print(grid)
    OUT.mkdir(exist_ok=True)
    path = OUT / "scores.json"
    rows = [as_row(s) for s in (*scores, *rtd)]
    path.write_text(json.dumps({"schema": 1, "rows": rows}))
    console.print(f"\nAll scores: {path}")


def questions_table(scores: list[Score]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("measure", no_wrap=True)
    table.add_column("same is", justify="right")
    for question in (*QUESTIONS, "undefined"):
        table.add_column(question, justify="right")
    for measure in MEASURES:
        means = [values(scores, measure.name, q) for q in QUESTIONS.values()]
        missing = sum(s.measure == measure and s.value is None for s in scores)
        table.add_row(
            measure.name,
            "1" if measure.claims().kind == "similarity" else "0",
            *(f"{v.mean():.2f}" if v.size else "-" for v in means),
            str(missing or ""),
        )
    return table


def layers_table(scores: list[Score]) -> Table:
    """Mean CKA between layers of trained networks that differ in their seed."""
    names = [(a, layer) for a in ARCHITECTURES for layer in LAYERS]
    cells: dict[tuple, list[float]] = {}
    for s in scores:
        a, b = s.a.network, s.b.network
        if s.measure.name == "cka" and a.trained and b.trained and a.seed != b.seed:
            ends = ((a.architecture, s.a.layer), (b.architecture, s.b.layer))
            for key in {ends, ends[::-1]}:
                cells.setdefault(key, []).append(s.value)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for architecture, layer in names:
        table.add_column(f"{architecture}\n{layer}", justify="right")
    for row in names:
        table.add_row(" ".join(row), *(f"{np.mean(cells[row, c]):.2f}" for c in names))
    return table


def as_row(score: Score) -> dict:
    ends = {
        f"{side}_{key}": value
        for side, place in (("a", score.a), ("b", score.b))
        for key, value in (
            ("model", f"{place.network.architecture}-{place.network.seed}"),
            ("trained", place.network.trained),
            ("layer", place.layer),
        )
    }
    outcome = {"score": score.value, "reason": score.reason}
    return {"measure": score.measure.name} | ends | outcome


if __name__ == "__main__":
    main()
