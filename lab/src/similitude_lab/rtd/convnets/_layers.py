"""Blocks of one trained network against each other."""

from collections.abc import Mapping
from typing import Any

import numpy as np

import similitude as sim

from ...study import Config, Figures, StudyResult, Table, cells, described, table_of
from ...study._intervals import correlation
from ..curves._correlations import over_seeds
from ._layers_figure import draw_blocks
from ._representations import CKA, OfTrainings, extract_networks, of_each_training
from ._trainings import both

#: Blocks from the image to the output. A block of VGG-11 ends with its activation or,
#: if it has one, with its pooling.
BLOCKS = {
    "resnet20": (
        "encoder.0",
        *(f"encoder.{stage}.{block}" for stage in (1, 2, 3) for block in (0, 1, 2)),
    ),
    "vgg11": (
        "encoder.0",
        "encoder.1",
        *(f"encoder.{stage}{end}" for stage in (2, 3, 4) for end in (".2", "")),
    ),
}
#: Name to title of the dissimilarities.
MEASURES = {
    "rtd": "RTD",
    "cka": "1 - CKA (biased, as published)",
    "unbiased_cka": "1 - CKA (unbiased)",
}


def compare_blocks(
    trained: Any, images: Any, batches: np.ndarray, folder: Any
) -> dict[str, np.ndarray]:
    """One block x block table per dissimilarity: means over batches of images."""
    layers = BLOCKS[trained.request.network]
    extract_networks({"net": (trained, trained.epochs[-1])}, images, folder, layers)
    reps = sim.store.open_store(folder).select()
    measures = {
        "rtd": sim.measures.RTD(batch=len(batches[0])),
        "cka": CKA,
        "unbiased_cka": sim.measures.CKA(),
    }
    at = {f"net/{layer}": number for number, layer in enumerate(layers)}
    tables = {name: np.zeros((len(layers),) * 2) for name in measures}
    for rows in batches:
        results = sim.compare(reps, measures, rows=rows, permutations=0, progress=None)
        for row in results.rows:
            score = float("nan") if row.score is None else row.score
            i, j = at[row.a], at[row.b]
            value = (score if row.label == "rtd" else 1.0 - score) / len(batches)
            tables[row.label][i, j] += value
            tables[row.label][j, i] += value
    return tables


def judge(table: np.ndarray) -> dict[str, float]:
    """How close neighbors are, and how far the last block is.

    neighbors
        Mean dissimilarity of neighboring blocks, over that of all other pairs.
    depth
        Spearman's correlation of dissimilarity and difference of depth.
    last_block
        Mean dissimilarity of the last block to all others, over the largest such mean
        of another block.
    last_step
        Dissimilarity of the last two blocks, over the largest of other neighbors.
    """
    count = len(table)
    i, j = np.triu_indices(count, 1)
    apart = table[i, j]
    steps = np.diagonal(table, 1)
    remoteness = table.sum(axis=1) / (count - 1)
    return {
        "neighbors": float(steps.mean() / apart[j - i > 1].mean()),
        "depth": correlation("spearman", apart, (j - i).astype(float)),
        "last_block": float(remoteness[-1] / remoteness[:-1].max()),
        "last_step": float(steps[-1] / steps[:-1].max()),
    }


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    blocks: list[dict[str, Any]] = []
    judged: dict[tuple[str, str, str], list[float]] = {}
    for trained, part in of_each_training(config, rng, compare_blocks):
        network, seed = trained.request.network, trained.request.seed
        for measure in MEASURES:
            where = {"network": network, "seed": seed, "measure": measure}
            blocks += [where | cell for cell in cells(part[measure], digits=6)]
            for quantity, value in judge(part[measure]).items():
                judged.setdefault((network, measure, quantity), []).append(value)
    values = {
        f"{network}_{measure}_{quantity}": float(np.mean(found))
        for (network, measure, quantity), found in judged.items()
    }
    return StudyResult(
        values=values,
        tables={"blocks": table_of(blocks), "summary": summarize(judged)},
    )


def summarize(judged: Mapping[tuple[str, str, str], list[float]]) -> Table:
    """Mean and interval over seeds of each quantity."""
    return table_of(
        {"network": network, "measure": measure, "quantity": name, **over_seeds(found)}
        for (network, measure, name), found in judged.items()
    )


def draw(result: StudyResult) -> Figures:
    return {"layers": draw_blocks(result.frame("blocks"), MEASURES)}


STUDY = described(
    "rtd/layers",
    run,
    draw,
    settings={
        "smoke": OfTrainings(trainings=both("smoke", 1, 1), batches=2, batch=30),
        "small": OfTrainings(trainings=both("small", 4, 3)),
        "paper": OfTrainings(trainings=both("paper", 4, 3)),
    },
    version=2,
    trainings=lambda setting: setting.trainings,
)
