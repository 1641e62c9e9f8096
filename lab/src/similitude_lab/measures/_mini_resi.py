"""The six grounding tests of ReSi in miniature: small networks on digits."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..study import Config, Figures, StudyResult, described
from ..training._digits_networks import (
    Images,
    digits,
    dissimilarity,
    point_measures,
    trained,
)
from ._grounding_tests import TESTS, chance_precision, six_tests
from ._sensitivity_figures import draw_tests

WIDTHS = (64, 64, 64, 64)
FEW = ("cka", "procrustes", "mean_cca", "rsa")
LEVELS = {  # three groups of networks per test
    "label_randomization": (0.0, 0.5, 1.0),
    "shortcut_affinity": (0.0, 0.5, 1.0),
    "augmentation": (0.0, 0.3, 1.0),
}


@dataclass(frozen=True)
class Setting:
    """Standard networks; networks per group; all measures, or a few."""

    standard: int
    members: int
    epochs: int
    every_measure: bool


def random_labels(data: Images, share: float, rng: np.random.Generator) -> Images:
    """The same images; a share of the labels is replaced by random labels."""
    images, labels = data
    replaced = rng.random(len(labels)) < share
    random = rng.integers(10, size=len(labels))
    return images, np.where(replaced, random, labels)


def with_shortcut(data: Images, share: float, rng: np.random.Generator) -> Images:
    """A white pixel at the border shows the label, for a share of the images.

    For the other images it shows a random label.
    """
    images, labels = data
    shown = np.where(
        rng.random(len(labels)) < share, labels, rng.integers(10, size=len(labels))
    )
    images = images.copy()
    images[:, :, [0, 7]] = 0.0
    images[np.arange(len(images)), shown % 8, np.where(shown < 8, 0, 7)] = 1.0
    return images, labels


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    names = point_measures() if setting.every_measure else FEW
    count = setting.standard + len(LEVELS) * 3 * setting.members
    config.parts.expect(count + len(names))
    data, held_out = digits()

    def network(name: str, own: np.random.Generator, **options: Any) -> dict[str, Any]:
        chosen = {"train": data, "held_out": held_out, **options}
        seed = int(own.integers(2**31))
        return config.parts.keep(
            name, trained, **chosen, widths=WIDTHS, epochs=setting.epochs, seed=seed
        )

    standard = [
        network(f"standard-{i}", own)
        for i, own in enumerate(rng.spawn(setting.standard))
    ]
    groups = {}
    for test, levels in LEVELS.items():
        shown = with_shortcut(held_out, 0.0, rng.spawn(1)[0])
        groups[test] = [
            [
                network(
                    f"{test}-{level}-{i}", own, **changes(test, level, data, shown, own)
                )
                for i, own in enumerate(rng.spawn(setting.members))
            ]
            for level in levels
        ]
    given = standard, groups, held_out[1]
    rows = {
        name: config.parts.keep(name, six_tests, dissimilarity(name), *given)
        for name in names
    }
    table: dict[str, list[Any]] = {"measure": list(names)}
    table |= {test: [float(rows[name][test]) for name in names] for test in TESTS}
    values = summary(table, [float(net["accuracy"]) for net in standard])
    values["chance_of_groups"] = chance_precision([setting.members] * 3)
    return StudyResult(values=values, tables={"tests": table})


def changes(
    test: str, level: float, data: Images, shown: Images, rng: np.random.Generator
) -> dict[str, Any]:
    """Training data, and images for the comparison, of one group of networks."""
    if test == "label_randomization":
        return {"train": random_labels(data, level, rng)}
    if test == "shortcut_affinity":
        return {"train": with_shortcut(data, level, rng), "held_out": shown}
    return {"noise": level}


def ranks(table: Mapping[str, list[Any]]) -> np.ndarray:
    """Rank of each measure in each test, 1 is best; an undefined result is last."""
    found = np.nan_to_num(np.array([table[test] for test in TESTS]), nan=-np.inf)
    return (found[:, None, :] > found[:, :, None]).sum(axis=2) + 1


def summary(table: Mapping[str, list[Any]], accuracy: list[float]) -> dict[str, float]:
    wins = (ranks(table) == 1).sum(axis=0)
    return {
        "accuracy": float(np.mean(accuracy)),
        "accuracy_range": float(np.ptp(accuracy)),
        "most_tests_won": float(wins.max()),
    } | {
        f"{test}_{name}": table[test][at]
        for test in TESTS
        for at, name in enumerate(table["measure"])
    }


def draw(result: StudyResult) -> Figures:
    return {"tests": draw_tests(result.frame("tests"), TESTS)}


STUDY = described("measures/mini-resi", run, draw, Setting)
