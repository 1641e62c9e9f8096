"""Transfer learning: representations while a pretrained network is fine-tuned."""

import tempfile
from collections.abc import Iterator
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
        sim.networks.data.fetch_dataset("cifar100", source=folder)
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
        notes=(f"Source: {_data(requests[0][0])}. Target: {_data(requests[0][1])}.",),
    )


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
