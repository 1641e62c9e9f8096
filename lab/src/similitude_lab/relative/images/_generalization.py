"""Few labels: cross-entropy against cross-entropy with topological densification."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...study import Config, Figures, StudyResult, described, paired_interval, table_of
from ._few_labels import ARMS, DENSIFIED, PLAIN, Setting, arms
from ._image_figures import draw_differences

JUDGED = (("mnist", 250), ("fashion_mnist", 250), ("fashion_mnist", 1000))
SMOKE = ("digits", 100)


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    per_task = sum(len(setting.candidates(arm)) for arm in ARMS) * setting.tuning_splits
    config.parts.expect(len(setting.tasks) * (per_task + 2 * setting.splits))
    values = {
        name: float("nan") for task in (*JUDGED, SMOKE) for name in value_names(task)
    }
    rows: list[dict[str, Any]] = []
    tuned: list[dict[str, Any]] = []
    for task, own in zip(setting.tasks, rng.spawn(len(setting.tasks)), strict=True):
        accuracy = {}
        for arm, found in arms(config, task, own, tuned):
            accuracy[arm] = np.array([one["accuracy"] for one in found])
            for split, one in enumerate(found):
                row = {"data": task[0], "labels": task[1], "arm": arm, "split": split}
                row["accuracy"] = round(float(one["accuracy"]), 3)
                row["mean_death"] = round(float(one["mean_death"]), 4)
                row["radius"] = round(float(one["radius"]), 4)
                rows.append(row)
        values |= summary(task, accuracy)
    tables = {"splits": table_of(rows), "tuning": table_of(tuned)}
    return StudyResult(values=values, tables=tables)


def value_names(task: tuple[str, int]) -> list[str]:
    base = f"{task[0]}_{task[1]}"
    return [
        *(f"accuracy_{base}_{arm}" for arm in ARMS),
        *(f"{kind}_{base}" for kind in ("gain", "gain_low", "gain_high")),
    ]


def summary(
    task: tuple[str, int], accuracy: Mapping[str, np.ndarray]
) -> dict[str, float]:
    gain = paired_interval(accuracy[DENSIFIED], accuracy[PLAIN])
    means = [float(accuracy[arm].mean()) for arm in ARMS]
    return dict(zip(value_names(task), [*means, *gain[:3]], strict=True))


def draw(result: StudyResult) -> Figures:
    return {"differences": draw_differences(result.frame("splits"))}


STUDY = described("relative/generalization", run, draw, Setting, trains=True)
