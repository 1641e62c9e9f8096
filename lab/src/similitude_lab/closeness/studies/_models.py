"""Sources of pairs of trained models: training, and folders of existing results."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from similitude.errors import InvalidInput

from .. import (
    DatasetConfig,
    Experiment,
    TrainConfig,
    VariationsConfig,
    load_config,
    replace_fields,
)
from ..results import load_results, measure_accuracies, measure_distances

Progress = Callable[[str, int, int], None]  # stage, number done, total

# A fixed date in the names of files, so that a run resumes on another day.
DATE = "2025-04-22"
WEIGHT, DRAWS = 1e-5, 200  # of d_LLV, as in the paper
MODEL = ("classes", "width", "fix_length_f", "fix_length_g")
DISTANCES = (
    *MODEL,
    "seed_a",
    "seed_b",
    *("d_llv", "t1", "t2", "d_fg", "d_f", "d_g", "kl_ab", "kl_ba"),
)
ACCURACIES = (*MODEL, "seed", "accuracy", "nll")


@dataclass(frozen=True, kw_only=True)
class Setting:
    """The models of one scale: every combination, with this many seeds.

    `norms` are the fixed lengths of embeddings and of unembeddings; 0 is free. A model
    counts in means over a width if its test accuracy is above `accuracy`, and a width
    counts if it has at least `models` of these.
    """

    classes: tuple[int, ...]
    widths: tuple[int, ...]
    seeds: int
    norms: tuple[int, ...] = (0,)
    points: int = 20_000
    steps: int = 15_000
    accuracy: float = 0.9
    models: int = 5


def experiment(setting: Setting, classes: int, width: int) -> Experiment:
    """The authors' configurations with the fields of this setting."""
    return Experiment(
        replace_fields(
            load_config("radial_classification_20000_0_cls4.json", DatasetConfig),
            num_classes=classes,
            num_points=setting.points,
        ),
        replace_fields(
            load_config("model_variations_config_4_classes.json", VariationsConfig),
            num_classes=classes,
            random_seeds=list(range(setting.seeds)),
            num_features=[width],
            fix_length_gs=list(setting.norms),
            fix_length_fs=list(setting.norms),
        ),
        replace_fields(
            load_config("radial_classification_0_128_ADAM_0_0001.json", TrainConfig),
            train_steps=setting.steps,
        ),
    )


def train_and_measure(
    folder: Path,
    setting: Setting,
    *,
    classes: int,
    width: int,
    draw_seed: int,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Train the models that do not exist in the folder, and measure all pairs."""
    from .. import train_models

    plan = experiment(setting, classes, width)
    checkpoints = folder / "checkpoints"

    def report(stage: str, done: int, total: int) -> None:
        if progress is not None:
            progress(f"training: K = {classes}, W = {width}", done, total)

    train_models(
        plan, checkpoints, date=DATE, batched_seeds=True, threads=1, progress=report
    )
    distances = measure_distances(
        plan,
        checkpoints,
        date=DATE,
        weight=WEIGHT,
        draws=min(DRAWS, setting.points // 10 // 3),
        seed=draw_seed,
    )
    accuracies = measure_accuracies(plan, checkpoints, date=DATE)
    return _columns(distances.rows, accuracies.rows)


def read_results(
    results: Path, setting: Setting, classes: int, width: int
) -> dict[str, Any]:
    """The rows of a folder that belong to a setting."""

    def belongs(row: Any) -> bool:
        return (
            (row.dataset, row.model_type) == ("radial_classification", "SmallMLP")
            and (row.classes, row.width, row.split) == (classes, width, "test")
            and row.fix_length_f in setting.norms
            and row.fix_length_g in setting.norms
            and (row.points, row.steps) == (setting.points, setting.steps)
        )

    distances = [
        row
        for row in load_results(results, "distances").rows
        if belongs(row)
        and (row.weight, row.aggregate, row.reduce) == (WEIGHT, "max", "max")
        and max(row.seed_a, row.seed_b) < setting.seeds
    ]
    accuracies = [
        row
        for row in load_results(results, "accuracies").rows
        if belongs(row) and row.seed < setting.seeds
    ]
    for rows, seeds in ((distances, ("seed_a", "seed_b")), (accuracies, ("seed",))):
        names = [[getattr(row, name) for name in (*MODEL, *seeds)] for row in rows]
        if len(set(map(tuple, names))) < len(names):
            raise InvalidInput(
                f"{results} has two results for the same models (K = {classes}, "
                f"W = {width}); give a folder with one."
            )
    return _columns(distances, accuracies)


def _columns(distances: Sequence[Any], accuracies: Sequence[Any]) -> dict[str, Any]:
    defined = [row for row in distances if row.status == "ok"]
    found: dict[str, Any] = {"undefined": len(distances) - len(defined)}
    for name in DISTANCES:
        found[f"distances.{name}"] = np.array([getattr(row, name) for row in defined])
    for name in ACCURACIES:
        found[f"accuracies.{name}"] = np.array([getattr(r, name) for r in accuracies])
    return found
