"""Steps that the two examples share: run a command, and classify by neighbors."""

import shlex
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.neighbors import NearestNeighbors

import similitude as sim


def run(command: str) -> None:
    """Print a command of similitude, and run it; stop if it fails."""
    lines = textwrap.wrap(
        f"$ similitude {command}",
        78,
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    print(" \\\n".join(lines), flush=True)
    start = "from similitude_start import main; main()"
    words = [sys.executable, "-c", start, *shlex.split(command)]
    code = subprocess.run(words).returncode
    if code:
        raise SystemExit(code)
    print(flush=True)


def neighbor_accuracy(
    rows: np.ndarray, labels: np.ndarray, neighbors: int = 7
) -> float:
    """Share of samples whose label is the most frequent one of their neighbors.

    Neighbors are the other samples with the largest cosine similarity.
    """
    found = NearestNeighbors(n_neighbors=neighbors, metric="cosine").fit(rows)
    votes = labels[found.kneighbors(return_distance=False)]
    winners = [np.bincount(row).argmax() for row in votes]
    return float(np.mean(np.array(winners) == labels))


def report(store: Path, results: Path, dataset: sim.networks.data.Dataset) -> None:
    """Print the accuracy of each representation, and what the scores mean."""
    label_of = dict(zip(dataset.ids.tolist(), dataset.labels.tolist(), strict=True))
    counts: Sequence[int] = ()
    for rep in sim.store.open_store(store).select():
        labels = np.array([label_of[sample] for sample in rep.ids])
        counts = np.bincount(labels)
        share = neighbor_accuracy(np.asarray(rep.load()), labels)
        print(f"{rep.model:<14} {share:6.1%} of the labels by 7 nearest neighbors")
    print(f"{'always one':<14} {max(counts) / sum(counts):6.1%}, the largest class\n")
    rows = {row.measure: row for row in sim.Results.load(results).rows}
    cka, shared = rows["cka"], rows["mutual_knn"]
    print(
        f"CKA is {cka.score:.2f}, and {cka.null_mean:.2f} if rows are paired at "
        f"random.\nOf the 10 nearest neighbors of a sample, both have "
        f"{shared.score:.0%} in common\n({shared.null_mean:.1%} at random)."
    )
