"""Which relative transform survives which change of coordinates, and in how many d."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..study import (
    Config,
    Figures,
    StudyResult,
    described,
    mean_interval,
    paired_interval,
    short,
)
from ._phase_grid import CHANGES as ALL_CHANGES
from ._phase_grid import phase_diagram
from ._phase_plot import draw_phase, draw_trade
from ._trade import (
    ROTATION,
    UNITS,
    kept_by_seed,
    losses,
    rotation_losses,
    trade,
)

TRANSFORMS = ("cosine", "scaled_cosine", "centered_cosine", "robust", "whitened_cosine")
#: Changes of coordinates in the order of the study: a smaller scale has the first.
_FIRST = ("permutation", UNITS, ROTATION, "affine")
CHANGES = {name: ALL_CHANGES[name] for name in (*_FIRST, *ALL_CHANGES)}


@dataclass(frozen=True)
class Setting:
    """The grid of the phase diagram; samples of the decoder's training and test.

    The first `changes` of `CHANGES` are used. `spreads` are factors between the sizes
    of units, for the loss of the robust transform after a rotation. The trade in the
    highest dimension, with the most anchors, has seeds of its own.
    """

    dimensions: tuple[int, ...]
    anchors: tuple[int, ...]
    seeds: int
    samples: int
    transforms: tuple[str, ...] = TRANSFORMS
    changes: int = len(CHANGES)
    spreads: tuple[float, ...] = (1.0, 2.0, 4.0, 16.0)
    trade_seeds: int = 20


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    config.parts.expect(
        (1 + len(setting.spreads)) * setting.seeds * len(setting.dimensions)
        + setting.trade_seeds
    )
    seeds = rng.integers(2**31, size=setting.seeds).tolist()
    changes = dict(list(CHANGES.items())[: setting.changes])
    every: Any = {"transforms": setting.transforms, "anchors": setting.anchors}
    table = _grid(config, "grid", seeds, changes=changes, **every)
    robust: Any = {"transforms": ("robust",), "anchors": setting.anchors[-1:]}
    robust |= {"changes": {ROTATION: CHANGES[ROTATION]}}
    rotations = {
        spread: _grid(config, f"spread-{spread:g}", seeds, spread=spread, **robust)
        for spread in setting.spreads
    }
    highest = _grid(
        config,
        "highest",
        rng.integers(2**31, size=setting.trade_seeds).tolist(),
        dimensions=setting.dimensions[-1:],
        transforms=("cosine", "robust"),
        anchors=setting.anchors[-1:],
        changes={name: CHANGES[name] for name in (UNITS, ROTATION)},
    )
    trade_off, lost = trade(table), rotation_losses(rotations)
    values = losses(table) | {
        "trade_lowest_d": trade_off["trade"][0],
        "trade_highest_d": trade_off["trade"][-1],
        "gain_highest_d": trade_off["gain"][-1],
        "cost_highest_d": trade_off["cost"][-1],
    }
    by_seed = kept_by_seed(table)["trade"]
    values |= {
        "low_trade_highest_d": mean_interval(by_seed[-1]).low,
        "low_trade_difference": paired_interval(by_seed[-1], by_seed[0]).low,
    }
    tables = {"phase": numbered(table), "highest": numbered(highest)}
    return StudyResult(
        values=values,
        tables=tables | {"trade": trade_off, "rotation": lost},
    )


def numbered(table: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Short numbers, and the seeds 0, 1, ... in place of long ones."""
    return short(table) | {"seed": np.unique(table["seed"], return_inverse=True)[1]}


def _grid(
    config: Config,
    name: str,
    seeds: list[int],
    dimensions: tuple[int, ...] = (),
    **options: Any,
) -> dict[str, np.ndarray]:
    """The phase diagram, one part for each seed and dimension."""
    setting: Setting = config.setting
    found = [
        config.parts.keep(
            f"{name},seed-{seed},d-{d}",
            phase_diagram,
            dimensions=(d,),
            seeds=(seed,),
            samples=setting.samples,
            **options,
        )
        for seed, d in itertools.product(seeds, dimensions or setting.dimensions)
    ]
    return {key: np.concatenate([part[key] for part in found]) for key in found[0]}


def draw(result: StudyResult) -> Figures:
    return {
        "phase": draw_phase(result.tables["phase"]),
        "trade": draw_trade(result.tables["trade"], result.tables["rotation"]),
    }


STUDY = described("relative/phase-diagram", run, draw, Setting, version=2)
