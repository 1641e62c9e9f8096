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
    notes = []
    for task, own in zip(setting.tasks, rng.spawn(len(setting.tasks)), strict=True):
        accuracy = {}
        for arm, found in arms(config, task, own, tuned):
            accuracy[arm] = np.array([one["accuracy"] for one in found])
            for split, one in enumerate(found):
                row = {"data": task[0], "labels": task[1], "arm": arm, "split": split}
                row["accuracy"] = round(float(one["accuracy"]), 3)
                row["mean_death"] = round(float(one["mean_death"]), 4)
                rows.append(row)
        values |= summary(task, accuracy)
        notes.append(sentence(task, accuracy))
    tables = {"splits": table_of(rows), "tuning": table_of(tuned)}
    return StudyResult(values=values, tables=tables, notes=(*about(setting), *notes))


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


def sentence(task: tuple[str, int], accuracy: Mapping[str, np.ndarray]) -> str:
    """What the interval of the paired difference supports."""
    gain = paired_interval(accuracy[DENSIFIED], accuracy[PLAIN])
    verb = {1: "raises", -1: "lowers", 0: "does not clearly change"}[gain.sign]
    plain = accuracy[PLAIN].mean()
    return (
        f"{task[0]} with {task[1]} labels: densification {verb} the accuracy of "
        f"{plain:.2f} % by cross-entropy ({gain.text()} points, {gain.n} paired "
        f"splits)."
    )


def about(setting: Setting) -> tuple[str, ...]:
    count, splits = len(setting.candidates(PLAIN)), setting.tuning_splits
    return (
        f"Both arms have the same labels, initial weights and batches: "
        f"{setting.per_class} images of each class. The arms are tuned equally: each "
        f"over {count} candidates (learning rate, and weight decay of cross-entropy or "
        f"beta of the densified arm), by {setting.validation:,} validation images and "
        f"{splits} split{'s' if splits > 1 else ''} for tuning only. The weight of the "
        f"densification loss is {setting.weight:g}. The test score is that of the last "
        f"step.",
        f"A CNN with {', '.join(map(str, setting.channels))} channels is trained by "
        f"AdamW for {setting.steps:,} steps. The paper trains a larger network by SGD "
        f"for 310 epochs; its accuracies on MNIST are those that a later paper "
        f"reports. Fashion-MNIST is not in the paper.",
    )


def draw(result: StudyResult) -> Figures:
    return {"differences": draw_differences(result.frame("splits"))}


STUDY = described("relative/generalization", run, draw, Setting, trains=True)
