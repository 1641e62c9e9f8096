"""Few labels: cross-entropy against cross-entropy with topological densification."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...study import (
    Config,
    Figures,
    StudyResult,
    Table,
    described,
    mean_interval,
    paired_interval,
    table_of,
)
from ._few_labels import Candidate, Source, balanced, image_sources, trained_on
from ._image_figures import draw_differences

PLAIN, DENSIFIED = "cross_entropy", "densified"
ARMS = (PLAIN, DENSIFIED)
JUDGED = (("mnist", 250), ("fashion_mnist", 250), ("fashion_mnist", 1000))
SMOKE = ("digits", 100)


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Tasks (data set, labels), splits, training, and the candidates of both arms."""

    tasks: tuple[tuple[str, int], ...]
    splits: int
    tuning_splits: int
    validation: int
    steps: int
    per_class: int
    channels: tuple[int, ...]
    width: int
    rates: tuple[float, ...]
    decays: tuple[float, ...]  # of cross-entropy; the densified arm has the first
    betas: tuple[float, ...]
    weight: float = 0.1

    def candidates(self, arm: str) -> list[Candidate]:
        """Equally many for both arms."""
        if arm == PLAIN:
            return [
                Candidate(rate, decay, self.betas[0])
                for rate in self.rates
                for decay in self.decays
            ]
        return [
            Candidate(rate, self.decays[0], beta)
            for rate in self.rates
            for beta in self.betas
        ]


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
                rows.append(row | {"mean_death": round(float(one["mean_death"]), 4)})
        values |= summary(task, accuracy)
        notes.append(sentence(task, accuracy))
    tables: dict[str, Table] = {"splits": table_of(rows), "tuning": table_of(tuned)}
    return StudyResult(values=values, tables=tables, notes=(*about(setting), *notes))


def arms(
    config: Config,
    task: tuple[str, int],
    rng: np.random.Generator,
    tuned: list[dict[str, Any]],
) -> Iterator[tuple[str, list[dict[str, np.ndarray]]]]:
    """Tune each arm on splits of its own, then train it on every split."""
    setting: Setting = config.setting
    name, labels = task
    pool, tested = image_sources(name)
    order = rng.permutation(len(pool.labels))
    held_out, others = np.split(order, [setting.validation])
    others.sort()
    known = config.shuffled(pool.labels[others])
    rest = Source(pool.inputs[others], known, pool.top)
    seeds = rng.integers(2**31, size=setting.tuning_splits + setting.splits).tolist()
    tuning_seeds, seeds = seeds[: setting.tuning_splits], seeds[setting.tuning_splits :]
    validation, test = pool.take(held_out), tested.take(np.arange(len(tested.labels)))

    def train(part: str, arm: str, one: Candidate, seed: int, scored: Any) -> Any:
        rows = balanced(rest.labels, labels, np.random.default_rng(seed))
        return config.parts.keep(
            f"{name}-{labels}-{arm}-{part}",
            lambda: trained_on(
                rest.take(rows),
                scored,
                one,
                weight=setting.weight if arm == DENSIFIED else 0.0,
                per_class=setting.per_class,
                steps=setting.steps,
                channels=setting.channels,
                width=setting.width,
                seed=seed,
                device=config.device,
            ),
        )

    for arm in ARMS:
        means = []
        for number, one in enumerate(setting.candidates(arm)):
            found = [
                train(f"tuning{number}.{s}", arm, one, seed, validation)
                for s, seed in enumerate(tuning_seeds)
            ]
            means.append(np.mean([float(one["accuracy"]) for one in found]))
            score = {"validation_accuracy": round(float(means[-1]), 3)}
            place = {"data": name, "labels": labels, "arm": arm}
            tuned.append(place | one._asdict() | score)
        best = setting.candidates(arm)[int(np.argmax(means))]
        yield (
            arm,
            [train(f"{s}", arm, best, seed, test) for s, seed in enumerate(seeds)],
        )


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
    plain = mean_interval(accuracy[PLAIN])
    return (
        f"{task[0]} with {task[1]} labels: densification {verb} the accuracy of "
        f"{plain.mean:.2f} % by cross-entropy ({gain.text()} points, {gain.n} paired "
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
    return {"differences": draw_differences(result.frame("splits"), ARMS)}


STUDY = described("relative/generalization", run, draw, Setting, trains=True)
