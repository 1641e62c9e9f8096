"""The steps of the demo: train, extract, compare, stitch, and write a report.

Two architectures, three seeds each, and every network before training as its untrained
twin. All layers are compared on 300 held-out images, with one measure of each kind. The
untrained twins are the baseline. Heads are stitched to the other networks.
"""

import itertools
import shutil
import time
from collections.abc import Callable

import findings
import numpy as np
import picture
import torch
from questions import (
    architectures,
    before_training,
    first_and_last,
    other_architecture,
    other_seed,
    values,
    within_classes,
)
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import similitude as sim
from networks import (
    ARCHITECTURES,
    HELD_OUT,
    LAYERS,
    OUT,
    STORE,
    Network,
    digits,
    train_and_extract,
)
from similitude.store import open_store

# One measure of each kind; `similitude measures` lists all measures.
MEASURES = ("cka", "procrustes", "mean_cca", "rsa", "mutual_knn", "rtd")


def main(epochs: int) -> None:
    torch.set_num_threads(1)  # more threads do not speed up small products
    console, start = Console(), time.perf_counter()
    data = digits()
    shutil.rmtree(STORE, ignore_errors=True)  # networks of an earlier run may differ
    say(console, f"Training six networks for {epochs} epochs, and extracting ...")
    with bars() as progress:
        networks = train(data, epochs, progress)
    say(console, f"Comparing 24 layers under {len(MEASURES)} measures ...")
    with bars() as progress:
        found = sim.compare(
            open_store(STORE).select(),  # the store knows the untrained twins
            MEASURES,
            within=data[3].numpy(),  # classes of the held-out images
            permutations=0,
            out=OUT / "results",
            progress=step(progress, "comparing"),
        )
    say(console, "Stitching heads to other networks ...")
    stitched = findings.stitch(networks, data[1].numpy())
    say(console, "Writing the report ...\n")
    report = OUT / "report.html"
    title = "Six networks trained on digits"
    found.report(report, stitching=stitched, title=title)
    picture.draw(found, OUT / "layers.png")
    console.print(
        f"digits: {len(ARCHITECTURES)} architectures x 3 seeds, each with an untrained "
        f"twin; {len(found.names)} layers on {HELD_OUT} held-out images; "
        f"{len(found.pairs())} pairs, {len(MEASURES)} measures, "
        f"{time.perf_counter() - start:.0f} s\n"
    )
    console.print("[bold]Mean score of pairs of networks, by kind of pair[/]\n")
    console.print(questions_table(found))
    console.print("\n[bold]Pairs of layers[/], different seeds, unbiased CKA\n")
    console.print(layers_table(found))
    console.print("\n[bold]Findings[/]")
    grid = Table.grid(padding=(0, 1))
    for i, text in enumerate(
        (
            findings.what_training_does(found.rows),
            findings.which_layer_varies(found.rows),
            findings.what_topology_sees(found.rows),
            findings.where_measures_disagree(found),
            findings.what_is_undefined(found),
            findings.what_they_do(networks),
            findings.whether_they_can_be_stitched(stitched),
        ),
        start=1,
    ):
        grid.add_row(f" {i}.", text)
    console.print(grid)
    console.print(f'\nAll scores: sim.Results.load("{found.path}")', soft_wrap=True)
    console.print(f"Picture: {OUT / 'layers.png'}", soft_wrap=True)
    console.print(f"Report: {report}", soft_wrap=True)


def bars() -> Progress:
    """Bars that disappear; a line printed next to a bar would collide with it."""
    return Progress(console=Console(stderr=True), transient=True)


def say(console: Console, text: str) -> None:
    """Print the current step at once, even if the output is piped."""
    console.print(text)
    console.file.flush()


def train(
    data: tuple[torch.Tensor, ...], epochs: int, progress: Progress
) -> list[Network]:
    """All networks; their layers are in the store, before and after training."""
    jobs = list(itertools.product(ARCHITECTURES, range(3)))
    return [
        train_and_extract(architecture, seed, data, epochs)
        for architecture, seed in progress.track(jobs, description="training")
    ]


def step(progress: Progress, title: str) -> Callable[[str, int, int], None]:
    task = progress.add_task(title, total=None)
    return lambda stage, done, total: progress.update(task, completed=done, total=total)


def questions_table(found: sim.Results) -> Table:
    columns = {
        "layer": (values, other_seed),
        "layer, untrained": (before_training, other_seed),
        "layer, within classes": (within_classes, other_seed),
        "depth, mlp vs cnn": (values, other_architecture),
        "first vs last layer": (values, first_and_last),
    }
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("measure", no_wrap=True)
    for title in ("itself", *columns, "undefined"):
        table.add_column(title, justify="right")
    for measure in MEASURES:
        scores = [get(found.rows, measure, select) for get, select in columns.values()]
        missing = sum(row.measure == measure for row in found.errors())
        similarity = sim.MEASURES[measure].claims().kind == "similarity"
        table.add_row(
            measure,
            "1" if similarity else "0",
            *(f"{v.mean():.2f}" if v.size else "-" for v in scores),
            str(missing or ""),
        )
    return table


def layers_table(found: sim.Results) -> Table:
    """Mean CKA between layers of networks with different seeds."""
    names = [(a, layer) for a in ARCHITECTURES for layer in LAYERS]
    cells: dict[tuple, list[float]] = {}
    for row in found.rows:
        seeds = {str(model)[-1] for model in (row.a_model, row.b_model)}
        if row.measure == "cka" and len(seeds) == 2:
            a, b = architectures(row)
            ends = ((a, row.a_layer), (b, row.b_layer))
            for key in {ends, ends[::-1]}:
                cells.setdefault(key, []).append(row.score)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for architecture, layer in names:
        table.add_column(f"{architecture}\n{layer}", justify="right")
    for row in names:
        table.add_row(" ".join(row), *(f"{np.mean(cells[row, c]):.2f}" for c in names))
    return table


if __name__ == "__main__":
    main()
