"""Distribution shift: clean against transformed images in trained networks."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...study import Config, Figures, Scale, StudyResult, described
from ...study._published import published
from ...training.images import Images, ImageTraining, normalize_images
from ..convnets._representations import OnTestImages
from ..convnets._trainings import both, resnets
from ..curves._correlations import (
    correlation_table,
    correlation_values,
    count_better,
    count_equal,
    curve_table,
)
from ..curves._curve_figures import draw_correlations
from ..curves._snapshots import dynamics_curves, networks_with
from ._image_transformations import SHIFTS
from ._shifted import draw_curves, shift_curves

#: Table 2: RTD and 1 - CKA with disagreement, while a network is trained.
DYNAMICS = {"resnet20_dynamics": (0.98, 0.93), "vgg11_dynamics": (0.99, 0.83)}
TITLES = {"resnet20-dynamics": "ResNet-20 epochs", "vgg11-dynamics": "VGG-11 epochs"}


@dataclass(frozen=True, kw_only=True)
class Setting(OnTestImages):
    """Trained networks; levels per shift (None: as published); batches of images.

    `networks` are the seeds of ResNet-20. `dynamics` are trainings whose epochs are
    compared with the last one, for the count over ten experiments. `zooms` is the
    number of levels of zoom, which are whole numbers of pixels.
    """

    networks: tuple[ImageTraining, ...]
    dynamics: tuple[ImageTraining, ...]
    levels: int | None
    zooms: int | None

    @property
    def trainings(self) -> tuple[ImageTraining, ...]:
        return tuple(dict.fromkeys((*self.networks, *self.dynamics)))


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    count = len(SHIFTS) * len(setting.networks) + len(setting.dynamics)
    config.parts.expect(count)
    dataset = setting.networks[0].dataset
    images, _ = setting.images(setting.networks[0], rng, normalize=False)
    seeds = dict(zip(SHIFTS, rng.integers(2**31, size=len(SHIFTS)), strict=True))
    parts: dict[str, list[dict[str, np.ndarray]]] = {name: [] for name in SHIFTS}
    trained = []
    for request in setting.networks:
        trained.append(config.trained(request))
        network = trained[-1].network()
        for name, shift in SHIFTS.items():
            part = config.parts.keep(
                f"{name}-{request.seed}",
                shift_curves,
                *(shift, network, images),
                dataset=dataset,
                levels=setting.zooms if name == "zoom" else setting.levels,
                batch=setting.batch,
                seed=int(seeds[name]),
            )
            parts[name].append(part)
    every = parts | training_dynamics(config, images, dataset)
    table = correlation_table(every)
    values = correlation_values(table)
    values |= {
        "rtd_better_of_10": count_better(table, kind="pearson"),
        "spearman_rtd_better_of_10": count_better(table, kind="spearman"),
        "spearman_equal_of_10": count_equal(table, kind="spearman"),
        "accuracy": float(np.mean([one.log[-1].accuracy for one in trained])),
    }
    values["cka_better_with_error_of_8"] = sum(
        values[f"cka_error_{name}"] > values[f"rtd_error_{name}"] for name in SHIFTS
    )
    levels = {name: part[0]["level"].tolist() for name, part in parts.items()}
    curves = curve_table(parts, levels, names=("shift", "level"))
    return StudyResult(
        values=values,
        tables={"correlations": table, "curves": curves},
    )


def training_dynamics(
    config: Config, images: Images, dataset: str
) -> dict[str, list[dict[str, np.ndarray]]]:
    """Each epoch against the last one, for both networks of the paper's table 2."""
    setting: Setting = config.setting
    normalized = replace(images, inputs=normalize_images(images.inputs, dataset))
    batches = np.arange(len(images)).reshape(-1, setting.batch)
    found: dict[str, list[dict[str, np.ndarray]]] = {}
    for request in setting.dynamics:
        given = networks_with(config.trained(request)), normalized, batches
        name = f"{request.network}-{request.seed}"
        part = config.parts.keep(name, dynamics_curves, *given)
        found.setdefault(f"{request.network}-dynamics", []).append(part)
    return found


def draw(result: StudyResult) -> Figures:
    numbers = published("rtd", "tables 6 and 7")
    for name, (rtd, cka) in DYNAMICS.items():
        numbers |= {f"rtd_disagreement_{name}": rtd, f"cka_disagreement_{name}": cka}
    table = result.tables["correlations"]
    return {
        "curves": draw_curves(result.frame("curves")),
        "correlations": draw_correlations(table, numbers, TITLES),
    }


def setting_of(scale: Scale, *, seeds: int, **options: Any) -> Setting:
    """The setting with the shared training runs of a scale."""
    networks, dynamics = resnets(scale, seeds), both(scale, 1, 1)
    return Setting(networks=networks, dynamics=dynamics, **options)


STUDY = described(
    "rtd/shift",
    run,
    draw,
    settings={
        "smoke": setting_of("smoke", seeds=1, levels=3, zooms=3, batches=2, batch=40),
        "small": setting_of("small", seeds=3, levels=13, zooms=15),
        "paper": setting_of("paper", seeds=4, levels=None, zooms=None),
    },
    trainings=lambda setting: setting.trainings,
)
