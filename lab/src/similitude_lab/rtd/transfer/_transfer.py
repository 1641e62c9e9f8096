"""Transfer learning: representations while a pretrained network is fine-tuned."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import similitude as sim

from ...study import Config, Figures, Scale, StudyResult, described
from ...study._published import published
from ...training.images import ImageTraining, training_folder
from ..convnets._representations import OnTestImages
from ..curves._correlations import (
    correlation_table,
    correlation_values,
    curve_table,
    defined,
)
from ..curves._curve_figures import draw_correlations
from ..curves._snapshots import dynamics_curves, networks_with
from ._trainings import FINE_TUNING, PRETRAINING
from ._transfer_figures import TITLES, draw_epochs


@dataclass(frozen=True, kw_only=True)
class Setting(OnTestImages):
    """Both training runs of the first seed; seeds; batches of test images."""

    pretraining: ImageTraining
    fine_tuning: ImageTraining
    seeds: int

    def requests(self, *, cifar100: bool) -> list[tuple[ImageTraining, ImageTraining]]:
        """Pretraining and fine-tuning of each seed.

        With `cifar100`, CIFAR-100 replaces the first classes, and the network is
        fine-tuned on all classes of the other data set.
        """
        first, last = self.pretraining, self.fine_tuning
        if cifar100:
            first = replace(first, dataset="cifar100", classes=None)
            last = replace(last, classes=None)
        starts = [replace(first, seed=seed) for seed in range(self.seeds)]
        return [(one, replace(last, seed=one.seed, start=one)) for one in starts]


@contextmanager
def source_data(folder: Path | None) -> Iterator[None]:
    """Within this context, cifar100 is the local copy in `folder`."""
    if folder is None:
        yield
        return
    with tempfile.TemporaryDirectory() as cache, sim.config(cache_dir=Path(cache)):
        sim.data.fetch_dataset("cifar100", source=folder)
        yield


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    config.parts.expect(2 * setting.seeds)
    requests = setting.requests(cifar100=config.data is not None)
    of_source, of_target = rng.spawn(2)
    # Networks are not in the cache of the local copy.
    config = replace(config, training=training_folder(config.training))
    with source_data(config.data):
        pretrained = [config.trained(before) for before, _ in requests]
        source = setting.images(requests[0][0], of_source)
    fine_tuned = [config.trained(after) for _, after in requests]
    target = setting.images(requests[0][1], of_target)
    parts: dict[str, list[dict[str, np.ndarray]]] = {name: [] for name in TITLES}
    for seed, (before, after) in enumerate(zip(pretrained, fine_tuned, strict=True)):
        for name, given, head in (
            ("source", source, before.network().head),
            ("target", target, None),
        ):
            part = config.parts.keep(
                f"{name}-{seed}",
                dynamics_curves,
                *(networks_with(after, head), *given),
                references=(-1, 0),
            )
            last, first = ({k: v[at] for k, v in part.items()} for at in (0, 1))
            parts[name].append(last)
            if name == "source":
                parts["source_from_first"].append(first)
    table = correlation_table(parts)
    values = correlation_values(table)
    for quantity, name, epoch in (
        ("accuracy_source_before", "source", 0),
        ("accuracy_source_after", "source", -1),
        ("accuracy_target", "target", -1),
    ):
        errors = [curves["error"][epoch].mean() for curves in parts[name]]
        values[quantity] = 1 - float(np.mean(errors))
    points = {name: list(fine_tuned[0].epochs) for name in parts}
    epochs = curve_table(parts, points, names=("images", "epoch"))
    return StudyResult(
        values=values,
        tables={"correlations": table, "curves": epochs},
        notes=notes(values, requests[0], setting, parts),
    )


def notes(
    values: Mapping[str, float],
    requests: tuple[ImageTraining, ImageTraining],
    setting: Setting,
    parts: Mapping[str, list[dict[str, np.ndarray]]],
) -> tuple[str, ...]:
    before, after = requests
    available = 50_000 if after.classes is None else 5_000 * len(after.classes)
    steps = after.epochs * -(-(after.images or available) // after.batch)
    found = [
        f"Source: {_data(before)}, {before.epochs} epochs; target: {_data(after)}, "
        f"{after.epochs} epochs of fine-tuning ({steps} steps). The paper has "
        f"CIFAR-100 and CIFAR-10, 100 and 50 epochs (19,550 steps of fine-tuning); "
        f"`--data DIR` reads a local CIFAR-100.",
        f"Means over {setting.seeds} seeds; each curve is the mean over "
        f"{setting.batches} batches of {setting.batch} test images. Each epoch from 0 "
        f"(before fine-tuning) is compared with the last epoch, which is the last "
        f"point of the curves, with the value 0.",
        "The curves of the target use the new classifier. Those of the source use the "
        "classifier of the pretraining, unchanged, on the encoder of each epoch; the "
        "paper does not say how the source images are classified.",
        f"Accuracy on these test images: {values['accuracy_source_before']:.3f} on the "
        f"source before and {values['accuracy_source_after']:.3f} after fine-tuning, "
        f"{values['accuracy_target']:.3f} on the target after fine-tuning.",
    ]
    if values["rtd_error_source"] < 0 < values["rtd_error_source_from_first"]:
        found.append(
            "The error rate on the source grows during fine-tuning, so its correlation "
            "with the distance to the last epoch is negative. The published "
            "correlations are positive, as are those with the distance to the "
            "pretrained network (source_from_first): RTD "
            f"{values['rtd_error_source_from_first']:.2f}, 1 - CKA "
            f"{values['cka_error_source_from_first']:.2f}; with disagreement "
            f"{values['rtd_disagreement_source_from_first']:.2f} and "
            f"{values['cka_disagreement_source_from_first']:.2f}. This comparison was "
            "added after the first run, and is not judged."
        )
    lost = sum(int((~defined(one)).sum()) for seeds in parts.values() for one in seeds)
    if lost:
        found.append(
            f"{lost} epochs are left out of the correlations, because a score does not "
            f"exist there."
        )
    return tuple(found)


def _data(training: ImageTraining) -> str:
    images = "all" if training.images is None else f"{training.images:,}"
    of = "" if training.classes is None else f" of {len(training.classes)} classes"
    return f"{images} images{of} of {training.dataset}"


def draw(result: StudyResult) -> Figures:
    table = result.tables["correlations"]
    return {
        "epochs": draw_epochs(result.frame("curves")),
        "correlations": draw_correlations(
            table, published("rtd", "tables 5 and 8"), TITLES
        ),
    }


def shared(setting: Setting) -> list[ImageTraining]:
    """The training runs that need no local data."""
    if setting.pretraining.dataset == "cifar100":
        return []
    return [after for _, after in setting.requests(cifar100=False)]


def setting_of(scale: Scale, **options: int) -> Setting:
    before, after = PRETRAINING[scale], FINE_TUNING[scale]
    return Setting(pretraining=before, fine_tuning=after, **options)


STUDY = described(
    "rtd/transfer",
    run,
    draw,
    settings={
        "smoke": setting_of("smoke", seeds=2, batches=2, batch=40),
        "small": setting_of("small", seeds=3),
        "paper": setting_of("paper", seeds=4),
    },
    trainings=shared,
    version=2,
)
