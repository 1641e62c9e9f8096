"""Distribution shift: clean against transformed images in trained networks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from similitude.training.images import Images, load_images, train_images

from ..._study import Config, Study, StudyResult
from ..convnets._trainings import resnets
from ..curves._correlations import (
    Curves,
    correlation_table,
    correlation_values,
    count_better,
    defined,
)
from ..curves._snapshots import CURVES, draw_batches
from ._image_transformations import SHIFTS
from ._published import PUBLISHED, checks
from ._shift_figures import draw_correlations, draw_curves
from ._shifted import curve_table, shift_curves

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Setting:
    """Seeds of ResNet-20; levels per shift (None: as published); batches of images.

    `zooms` is the number of levels of zoom, which are whole numbers of pixels.
    """

    seeds: int
    levels: int | None
    zooms: int | None
    batches: int
    batch: int


def test_images(dataset: str, setting: Setting, rng: np.random.Generator) -> Images:
    """The images of all batches, one batch after the other, with pixels in [0, 1]."""
    images = load_images(dataset, split="test", normalize=False)
    rows = draw_batches(
        len(images), batches=setting.batches, size=setting.batch, rng=rng
    ).ravel()
    return Images(images.inputs[rows], images.labels[rows], images.ids[rows])


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    config.parts.expect(len(SHIFTS))
    requests = resnets(config.scale, setting.seeds)
    networks = [train_images(one).network() for one in requests]
    dataset = requests[0].dataset
    images = test_images(dataset, setting, rng)
    parts = {
        name: config.parts.keep(
            name,
            lambda s=shift, n=name, r=own: shift_curves(  # type: ignore[misc]
                s,
                networks,
                images,
                dataset=dataset,
                levels=setting.zooms if n == "zoom" else setting.levels,
                batch=setting.batch,
                rng=r,
            ),
        )
        for (name, shift), own in zip(
            SHIFTS.items(), rng.spawn(len(SHIFTS)), strict=True
        )
    }
    shifted = {name: _by_seed(part) for name, part in parts.items()}
    table = correlation_table(shifted)
    values = correlation_values(table)
    return StudyResult(
        values=values,
        tables={"correlations": table, "curves": curve_table(parts)},
        notes=notes(values, setting, parts),
    )


def _by_seed(part: Mapping[str, np.ndarray]) -> list[Curves]:
    return [
        {name: part[name][seed] for name in CURVES} for seed in range(len(part["rtd"]))
    ]
