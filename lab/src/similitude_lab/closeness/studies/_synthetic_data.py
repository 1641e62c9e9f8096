"""The synthetic data: double cones of the plane, labeled without noise."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from similitude.plots import new_figure

from ...study import Config, Figures, StudyResult, described, table_of
from ..data import LabeledPoints, radial_classification
from ..plots import plot_radial_data

CLASSES = (4, 6, 10, 18)
DRAWN = 6  # number of classes in the figure
#: Split and number of classes -> points in each class, from the authors' code.
COUNTS = {
    ("test", 4): (490, 513, 490, 507),
    ("test", 6): (333, 322, 348, 345, 323, 329),
    ("train", 4): (4980, 4927, 5058, 5035),
    ("train", 6): (3321, 3290, 3296, 3352, 3428, 3313),
}
SPLITS = ("train", "test")


@dataclass(frozen=True)
class Setting:
    """Number of training points in the figure."""

    drawn: int


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    """The paper fixes the seeds of the data, so `rng` is not used."""
    data = {
        (split, k): radial_classification(classes=k, split=split)  # type: ignore[arg-type]
        for split in SPLITS
        for k in CLASSES
    }
    values: dict[str, float] = {}
    for split in SPLITS:
        drawn = data[split, DRAWN].points
        values[f"first_{split}_x"], values[f"first_{split}_y"] = drawn[0].tolist()
        values[f"points_{split}"] = float(len(drawn))
        values[f"deviation_{split}"] = float(drawn.std())
    for (split, k), counts in COUNTS.items():
        difference = np.abs(data[split, k].counts - np.array(counts)).sum()
        values[f"miscounted_{split}_{k}"] = float(difference)
    tables: dict[str, Any] = {
        "counts": _counts(data),
        "points": points(data["train", DRAWN], config.setting.drawn),
    }
    return StudyResult(values=values, tables=tables, notes=_notes(config.setting))


def points(data: LabeledPoints, drawn: int) -> dict[str, Any]:
    """The first points with their labels."""
    return {
        "x": data.points[:drawn, 0].astype(float).round(3),
        "y": data.points[:drawn, 1].astype(float).round(3),
        "label": data.labels[:drawn],
    }


def _counts(data: Mapping[tuple[str, int], Any]) -> dict[str, list[Any]]:
    return table_of(
        {"split": split, "classes": k, "label": label, "points": int(count)}
        for (split, k), drawn in data.items()
        for label, count in enumerate(drawn.counts)
    )


def _notes(setting: Setting) -> tuple[str, ...]:
    if setting.drawn >= 20_000:
        return ()
    return (
        f"The figure has the first {setting.drawn:,} of 20,000 training points. The "
        f"counts are of all points.",
    )


def draw(result: StudyResult) -> Figures:
    table = result.tables["points"]
    plane = np.array([table["x"], table["y"]], dtype=float).T
    figure = new_figure(6.4, 5.6)
    plot_radial_data(plane, np.asarray(table["label"]), ax=figure.subplots())
    return {"data": figure}


STUDY = described("closeness/synthetic-data", run, draw, Setting)
