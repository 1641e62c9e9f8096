"""Zero-shot stitching across architectures, and across two pretrained encoders."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from similitude.latent.stitching import StitchingData

from ...study import (
    Config,
    Figures,
    StudyResult,
    described,
    limit_values,
    mean_interval,
    paired_interval,
    table_of,
)
from ._encoders import ARCHITECTURES, TRANSFORMS, TWINS, Setting, repetition
from ._few_labels import image_sources
from ._image_figures import draw_architectures, draw_transforms
from ._pretrained import ENCODERS, advantage, check_present, directions, pretrained

Row = Mapping[str, Any]
#: Paired differences: the first transform minus the second one.
COMPARED = (
    ("robust", "absolute"),
    ("robust", "vanilla"),
    ("scaled", "vanilla"),
    ("centered", "vanilla"),
    ("robust", "centered"),
    ("whitened", "robust"),
    ("procrustes", "robust"),
    ("inverse_relative", "procrustes"),
)


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    own, shuffled = rng.spawn(2)
    if sum(setting.pretrained):
        check_present()
    networks = len(ARCHITECTURES) * len(TWINS)
    more = len(ENCODERS) + setting.pretrained_seeds if sum(setting.pretrained) else 0
    config.parts.expect(setting.repetitions * (networks + 1) + more)
    images, data = task(config, shuffled)
    seeds = own.integers(2**31, size=(setting.repetitions, networks)).tolist()
    found = [repetition(config, images, data, r, row) for r, row in enumerate(seeds)]
    every = {name: np.array([one[name] for one in found]) for name in found[0]}
    correct = pretrained(config, setting.pretrained, setting.pretrained_seeds)
    differences = list(difference_rows(every["stitched"], correct))
    tables = {
        "architectures": table_of(cell_rows(every)),
        "differences": table_of(differences),
    }
    if correct:
        tables["pretrained"] = table_of(pretrained_rows(correct))
    return StudyResult(
        values=values_of(every, differences, correct),
        tables=tables,
    )


def task(
    config: Config, rng: np.random.Generator
) -> tuple[dict[str, np.ndarray], StitchingData]:
    """Images of the three parts, and the labels. Anchors are not training images."""
    setting: Setting = config.setting
    train, test = image_sources(setting.data)
    rows = rng.permutation(len(train.labels))[: setting.train + setting.anchors]
    learned, labels = train.take(rows[: setting.train])
    tested, truth = test.take(np.arange(min(setting.test, len(test.labels))))
    images = {"train": learned, "test": tested}
    images["anchors"] = train.take(rows[setting.train :])[0]
    return images, StitchingData(labels, truth)


def difference_rows(accuracy: np.ndarray, correct: Row) -> Iterator[Row]:
    """Paired differences over repetitions, and over test images of CIFAR-10."""
    means = accuracy.mean(axis=(2, 3))  # repetitions x transforms
    for first, second in COMPARED:
        pair = (means[:, TRANSFORMS.index(name)] for name in (first, second))
        names = {"encoders": "trained", "first": first, "second": second}
        yield names | paired_interval(*pair).row(digits=3)
    for first, second in COMPARED:
        if correct and "absolute" not in (first, second):
            names = {"encoders": "pretrained", "first": first, "second": second}
            yield names | advantage(correct, first, second).row(digits=3)


def values_of(
    every: Mapping[str, np.ndarray], differences: Sequence[Row], correct: Row
) -> dict[str, float]:
    values = {}
    for t, name in enumerate(TRANSFORMS):
        values[f"stitched_{name}"] = float(every["stitched"][:, t].mean())
        values[f"own_{name}"] = float(every["own"][:, t].mean())
        if correct:
            values[f"pretrained_{name}"] = directions(correct, name).mean
    for kind, before in (("trained", ""), ("pretrained", "pretrained_")):
        own = [row for row in differences if row["encoders"] == kind]
        limits = limit_values(own, lambda row: f"{row['first']}_{row['second']}")
        values |= {f"{before}{name}": value for name, value in limits.items()}
    return values


def cell_rows(every: Mapping[str, np.ndarray]) -> Iterator[Row]:
    """Accuracies of trained encoders, with their own and with other decoders."""
    for t, transform in enumerate(TRANSFORMS):
        for i, encoder in enumerate(ARCHITECTURES):
            names = {"transform": transform, "encoder": encoder}
            own = {"decoder": encoder, "kind": "own"}
            yield names | own | mean_interval(every["own"][:, t, i]).row(digits=3)
            for j, decoder in enumerate(ARCHITECTURES):
                found = mean_interval(every["stitched"][:, t, i, j])
                place = {"decoder": decoder, "kind": "stitched"}
                yield names | place | found.row(digits=3)


def pretrained_rows(correct: Row) -> Iterator[Row]:
    for direction, answers in correct.items():
        encoder, decoder = direction.split(".")
        kind = "own" if encoder == decoder else "stitched"
        for transform, scores in zip(TRANSFORMS, answers, strict=True):
            names = {"transform": transform, "encoder": encoder}
            place = {"decoder": decoder, "kind": kind}
            yield names | place | mean_interval(scores).row(digits=3)


def draw(result: StudyResult) -> Figures:
    frames = {name: result.frame(name) for name in result.tables}
    return {
        "architectures": draw_architectures(frames["architectures"]),
        "transforms": draw_transforms(frames),
    }


STUDY = described("relative/images", run, draw, Setting, trains=True)
