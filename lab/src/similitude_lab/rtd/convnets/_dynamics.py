"""Training dynamics: the network after each epoch against the trained network."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...study import (
    Config,
    Figures,
    Frame,
    Scale,
    StudyResult,
    Table,
    correlation,
    described,
    table_of,
)
from ...study._published import published
from ...training.images import Images, ImageTraining, TrainedImages
from ..curves._correlations import KINDS, over_seeds
from ..curves._snapshots import dynamics_curves, networks_with
from ._dynamics_figure import NETWORKS, draw_dynamics
from ._representations import TITLES, OfTrainings, of_each_training
from ._trainings import resnets, vggs


def curves(
    trained: TrainedImages, images: Images, batches: np.ndarray, _: Any
) -> dict[str, np.ndarray]:
    """Each epoch against the last: epochs x batches, for each dissimilarity.

    The last epoch has the value 0.
    """
    # Another batch size would change the last bits of activations.
    return dynamics_curves(networks_with(trained), images, batches, batch_size=128)


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    rows: list[dict[str, Any]] = []
    found: dict[tuple[str, str, str], list[float]] = {}
    for trained, part in of_each_training(config, rng, curves):
        network, seed = trained.request.network, trained.request.seed
        mean = {title: part[title].mean(axis=1) for title in TITLES}
        for epoch, record in enumerate(trained.log):
            scores = {title: round(float(mean[title][epoch]), 6) for title in TITLES}
            where = {"network": network, "seed": seed, "epoch": epoch}
            rows.append({**where, "accuracy": record.accuracy, **scores})
        target = mean["disagreement"]
        for kind in KINDS:
            rtd, cka = (correlation(kind, mean[t], target) for t in ("rtd", "cka"))
            for title, value in (("rtd", rtd), ("cka", cka), ("difference", rtd - cka)):
                found.setdefault((network, title, kind), []).append(value)
    summary = summarize(found)
    return StudyResult(
        values=values_of(summary),
        tables={"curves": table_of(rows), "correlations": summary},
    )


def summarize(
    found: Mapping[tuple[str, str, str], list[float]],
) -> dict[str, list[Any]]:
    """Mean and interval over seeds of each correlation; then of RTD minus 1 - CKA."""
    ordered = sorted(found.items(), key=lambda item: item[0][1] == "difference")
    return table_of(
        {"network": network, "kind": kind, "dissimilarity": title, **over_seeds(values)}
        for (network, title, kind), values in ordered
    )


def values_of(summary: Table) -> dict[str, float]:
    """One value per row; and in how many of the networks RTD correlates better."""
    values = {
        f"{row['network']}_{row['kind']}_{row['dissimilarity']}": row["mean"]
        for row in Frame(summary).rows()
    }
    better = [values[f"{network}_pearson_difference"] > 0 for network in NETWORKS]
    return values | {"rtd_better": float(sum(better))}


def draw(result: StudyResult) -> Figures:
    frames = result.frame("curves"), result.frame("correlations")
    return {"dynamics": draw_dynamics(*frames, published("rtd", "table 2"))}


def _trainings(scale: Scale, vgg: int, resnet: int) -> tuple[ImageTraining, ...]:
    return (*vggs(scale, vgg), *resnets(scale, resnet))


STUDY = described(
    "rtd/dynamics",
    run,
    draw,
    settings={
        "smoke": OfTrainings(trainings=_trainings("smoke", 1, 2), batches=2, batch=60),
        "small": OfTrainings(trainings=_trainings("small", 3, 4)),
        "paper": OfTrainings(trainings=_trainings("paper", 3, 4)),
    },
    trainings=lambda setting: setting.trainings,
)
