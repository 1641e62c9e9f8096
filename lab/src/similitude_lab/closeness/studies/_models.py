"""Sources of pairs of trained models: training, and folders of existing results."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...study import Config
from .. import SHIPPED, Experiment, load_experiment
from ..results import existing_rows, measure_accuracies, measure_distances
from ..results._existing import Wanted

Rows = Sequence[Mapping[str, Any]]

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

    @property
    def pairs(self) -> int:
        """Pairs of models of one width."""
        return len(self.norms) ** 2 * self.seeds * (self.seeds - 1) // 2


def experiment(setting: Setting, classes: int, width: int) -> Experiment:
    """The authors' configurations with the fields of this setting."""
    return load_experiment(
        SHIPPED["radial_classification"],
        dataset={"num_classes": classes, "num_points": setting.points},
        models={
            **{"num_classes": classes, "num_features": [width]},
            "random_seeds": list(range(setting.seeds)),
            "fix_length_gs": list(setting.norms),
            "fix_length_fs": list(setting.norms),
        },
        training={"train_steps": setting.steps},
    )


def train(
    config: Config, plan: Experiment, folder: Path, name: str, **options: Any
) -> None:
    """Train the models of a plan that do not exist in a folder."""
    from .. import train_models

    def report(stage: str, done: int, total: int) -> None:
        if config.parts.progress is not None:
            config.parts.progress(f"training: {name}", done, total)

    options |= {"threads": 1, "device": config.device, "progress": report}
    train_models(plan, folder, date=DATE, **options)


def train_and_measure(
    config: Config, folder: Path, classes: int, width: int, draw_seed: int
) -> dict[str, Any]:
    """Train the models that do not exist in the folder, and measure all pairs."""
    setting: Setting = config.setting
    plan, models = experiment(setting, classes, width), folder / "checkpoints"
    train(config, plan, models, f"K = {classes}, W = {width}", batched_seeds=True)
    draws = min(DRAWS, setting.points // 10 // 3)
    distances = measure_distances(
        plan, models, date=DATE, weight=WEIGHT, draws=draws, seed=draw_seed
    )
    accuracies = measure_accuracies(plan, models, date=DATE)
    return _columns(distances.to_dicts(), accuracies.to_dicts())


def read_results(
    results: Path, setting: Setting, classes: int, width: int
) -> dict[str, Any]:
    """The rows of a folder that belong to a setting."""
    wanted: Wanted = {
        "model_type": ["SmallMLP"],
        "classes": [classes],
        "width": [width],
        "split": ["test"],
        "fix_length_f": setting.norms,
        "fix_length_g": setting.norms,
        **dict.fromkeys(("seed", "seed_a", "seed_b"), range(setting.seeds)),
        # The files of the authors do not have these fields; their models have them.
        "dataset": ["radial_classification"],
        "points": [setting.points],
        "steps": [setting.steps],
    }
    return columns_in(results, wanted)


def columns_in(results: Path, wanted: Wanted, weight: float = WEIGHT) -> dict[str, Any]:
    """Columns of the wanted rows of a folder, with this weight, max and max."""
    options: Wanted = {"weight": [weight], "aggregate": ["max"], "reduce": ["max"]}
    return _columns(
        existing_rows(results, "distances", {**wanted, **options}),
        existing_rows(results, "accuracies", wanted),
    )


def _columns(distances: Rows, accuracies: Rows) -> dict[str, Any]:
    """A number that the files of the authors do not have is NaN."""
    defined = [
        row
        for row in distances
        if row["d_llv"] is not None and math.isfinite(row["d_llv"])
    ]
    found: dict[str, Any] = {"undefined": len(distances) - len(defined)}
    for kind, names, rows in (
        ("distances", DISTANCES, defined),
        ("accuracies", ACCURACIES, accuracies),
    ):
        for name in names:
            column = [row.get(name, math.nan) for row in rows]
            found[f"{kind}.{name}"] = np.array(column)
    return found
