"""Training dynamics: the network after each epoch against the trained network."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...study import (
    Config,
    Figures,
    Frame,
    Number,
    StudyResult,
    Table,
    described,
    table_of,
)
from ...training.images import ImageTraining, load_images
from ._correlations import KINDS, correlation, over_seeds
from ._dynamics_figure import draw_dynamics
from ._representations import (
    TITLES,
    disjoint_batches,
    dissimilarities,
    extract_networks,
    of_each_training,
    predictions,
    random_images,
    representations,
)
from ._trainings import resnets, training_note, vggs

if TYPE_CHECKING:
    from ...training.images import Images, TrainedImages

#: Table 2: correlation with the disagreement.
PUBLISHED = {
    "vgg11": {"rtd": 0.99, "cka": 0.83},
    "resnet20": {"rtd": 0.98, "cka": 0.93},
}


PAPER: Any = {"where": "table 2", "scales": ("paper",)}


@dataclass(frozen=True)
class Setting:
    """Trainings, and batches of test images."""

    trainings: tuple[ImageTraining, ...]
    batches: int
    batch: int


def curves(
    trained: "TrainedImages", images: "Images", batches: list[np.ndarray], folder: Any
) -> dict[str, np.ndarray]:
    """Each epoch against the last: batches x epochs, for each dissimilarity.

    The last epoch has the value 0.
    """
    names = [f"epoch-{epoch:03d}" for epoch in trained.epochs]
    networks = {name: (trained, epoch) for epoch, name in enumerate(names)}
    extract_networks(networks, images, folder)
    reps, outputs = representations(folder), predictions(folder, images)
    found = {title: np.zeros((len(batches), len(names))) for title in TITLES}
    for at, rows in enumerate(batches):
        scores = dissimilarities(reps, outputs, rows, reference=names[-1])
        for title, pairs in scores.items():
            by_name = {a: value for ends, value in pairs.items() for a in ends}
            found[title][at, :-1] = [by_name[name] for name in names[:-1]]
    return found


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    config.parts.expect(len(setting.trainings))
    count = setting.batches * setting.batch
    images = random_images(load_images(setting.trainings[0].dataset), count, rng)
    batches = disjoint_batches(setting.batches, setting.batch)
    rows: list[dict[str, Any]] = []
    found: dict[tuple[str, str, str], list[float]] = {}
    trained_of: dict[str, list[Any]] = {}
    for trained, part in of_each_training(
        config, setting.trainings, curves, images, batches
    ):
        network, seed = trained.request.network, trained.request.seed
        trained_of.setdefault(network, []).append(trained)
        mean = {title: part[title].mean(axis=0) for title in TITLES}
        for epoch, record in enumerate(trained.log):
            scores = {title: round(float(mean[title][epoch]), 6) for title in TITLES}
            where = {"network": network, "seed": seed, "epoch": epoch}
            rows.append({**where, "accuracy": record.accuracy, **scores})
        for kind in KINDS:
            for title in ("rtd", "cka"):
                disagreement = config.shuffled(mean["disagreement"])
                value = correlation(kind, mean[title], disagreement)
                found.setdefault((network, title, kind), []).append(value)
    summary = summarize(found)
    return StudyResult(
        values=values_of(summary),
        tables={"curves": table_of(rows), "correlations": summary},
        notes=notes_of(summary, trained_of, setting),
    )


def summarize(
    found: Mapping[tuple[str, str, str], list[float]],
) -> dict[str, list[Any]]:
    """Mean and interval over seeds of each correlation, and of RTD minus 1 - CKA."""
    every = dict(found)
    for network, title, kind in found:
        if title == "rtd":
            pairs = zip(
                found[network, "rtd", kind], found[network, "cka", kind], strict=True
            )
            every[network, "difference", kind] = [a - b for a, b in pairs]
    return table_of(
        {"network": network, "kind": kind, "dissimilarity": title, **over_seeds(values)}
        for (network, title, kind), values in every.items()
    )


def values_of(summary: Table) -> dict[str, float]:
    """One value per row; and in how many of the networks RTD correlates better."""
    values = {
        f"{row['network']}_{row['kind']}_{row['dissimilarity']}": row["mean"]
        for row in Frame(summary).rows()
    }
    better = [values[f"{network}_pearson_difference"] > 0 for network in PUBLISHED]
    return values | {"rtd_better": float(sum(better))}


def notes_of(
    summary: Mapping[str, list[Any]],
    trained_of: Mapping[str, list[Any]],
    setting: Setting,
) -> tuple[str, ...]:
    differences: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for row in Frame(summary).where(dissimilarity="difference").rows():
        differences[row["kind"]].append(
            f"{row['network']} {row['mean']:.3f} [{row['low']:.3f}, "
            f"{row['high']:.3f}], n = {row['seeds']} seeds"
        )
    return (
        *(training_note(trained) for trained in trained_of.values()),
        f"Each epoch is compared with the last on {setting.batches} disjoint batches "
        f"of {setting.batch} test images. Curves are means over the batches, and "
        f"contain the last epoch with the value 0.",
        *(
            f"Correlation with the disagreement, RTD minus 1 - CKA, "
            f"{kind.capitalize()}, with 95 % intervals over seeds: {'; '.join(texts)}."
            for kind, texts in differences.items()
        ),
        "The paper does not name the kind of correlation, the weight decay and the "
        "augmentation. CKA is the biased estimator, as in the paper.",
    )


def draw(result: StudyResult) -> Figures:
    frames = result.frame("curves"), result.frame("correlations")
    return {"dynamics": draw_dynamics(*frames, PUBLISHED)}


SETTINGS = {
    "smoke": Setting((*vggs("smoke", 1), *resnets("smoke", 2)), batches=2, batch=60),
    "small": Setting((*vggs("small", 3), *resnets("small", 4)), batches=5, batch=500),
    "paper": Setting((*vggs("paper", 3), *resnets("paper", 4)), batches=5, batch=500),
}

STUDY = described(
    "rtd/dynamics",
    settings=SETTINGS,
    checks=tuple(
        Number(f"{network}_pearson_{title}", value, 0.03, **PAPER)
        for network, values in PUBLISHED.items()
        for title, value in values.items()
    ),
    trains=True,
    run=run,
    draw=draw,
    trainings=lambda setting: setting.trainings,
)
