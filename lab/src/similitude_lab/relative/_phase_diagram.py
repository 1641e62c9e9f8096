"""Which relative transform survives which change of coordinates, and in how many d."""

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
)
from ._phase_grid import CHANGES as ALL_CHANGES
from ._phase_grid import phase_diagram
from ._phase_plot import draw_phase, draw_trade
from ._trade import (
    ROTATION,
    UNITS,
    losses,
    rotation_losses,
    trade,
    trade_notes,
    trades_of_seeds,
)

TRANSFORMS = ("cosine", "scaled_cosine", "centered_cosine", "robust", "whitened_cosine")
#: Changes of coordinates in the order of the study: a smaller scale has the first.
CHANGES = {
    name: ALL_CHANGES[name]
    for name in (
        *("permutation", UNITS, ROTATION, "affine"),
        *("rotation + shift", "permutation + warp"),
    )
}


@dataclass(frozen=True)
class Setting:
    """The grid of the phase diagram; samples of the decoder's training and test.

    The first `changes` of `CHANGES` are used. `spreads` are factors between the sizes
    of units, for the loss of the robust transform after a rotation.
    """

    dimensions: tuple[int, ...]
    anchors: tuple[int, ...]
    seeds: int
    samples: int
    transforms: tuple[str, ...] = TRANSFORMS
    changes: int = len(CHANGES)
    spreads: tuple[float, ...] = (1.0, 2.0, 4.0, 16.0)


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    config.parts.expect(
        (1 + len(setting.spreads)) * setting.seeds * len(setting.dimensions)
    )
    seeds = rng.integers(2**31, size=setting.seeds).tolist()
    changes = dict(list(CHANGES.items())[: setting.changes])
    table = _grid(
        config,
        "grid",
        seeds,
        transforms=setting.transforms,
        changes=changes,
        anchors=setting.anchors,
    )
    names = dict(
        zip(setting.transforms, config.shuffled(setting.transforms), strict=True)
    )
    table["transform"] = np.array(
        [names.get(name, name) for name in table["transform"].tolist()]
    )
    rotations = {
        spread: _grid(
            config,
            f"spread-{spread:g}",
            seeds,
            transforms=("robust",),
            changes={ROTATION: CHANGES[ROTATION]},
            anchors=setting.anchors[-1:],
            spread=spread,
        )
        for spread in setting.spreads
    }
    trade_off, lost = trade(table), rotation_losses(rotations)
    values = losses(table) | {
        "trade_lowest_d": trade_off["trade"][0],
        "trade_highest_d": trade_off["trade"][-1],
        "gain_highest_d": trade_off["gain"][-1],
        "cost_highest_d": trade_off["cost"][-1],
    }
    by_seed = trades_of_seeds(table)
    values |= {
        "low_trade_highest_d": mean_interval(by_seed[-1]).low,
        "low_trade_difference": paired_interval(by_seed[-1], by_seed[0]).low,
    }
    kept = {name: _short(column) for name, column in table.items()}
    kept["seed"] = np.unique(table["seed"], return_inverse=True)[1]  # 0, 1, ...
    return StudyResult(
        values=values,
        tables={"phase": kept, "trade": trade_off, "rotation": lost},
        notes=trade_notes(trade_off, lost),
    )


def _grid(
    config: Config, name: str, seeds: list[int], **options: Any
) -> dict[str, np.ndarray]:
    """The phase diagram, one part for each seed and dimension."""
    setting: Setting = config.setting
    found = []
    for seed in seeds:
        for d in setting.dimensions:
            part = config.parts.keep(
                f"{name},seed-{seed},d-{d}",
                phase_diagram,
                dimensions=(d,),
                seeds=(seed,),
                samples=setting.samples,
                **options,
            )
            found.append(part)
    return {key: np.concatenate([part[key] for part in found]) for key in found[0]}


def _short(column: np.ndarray) -> Any:
    """Four significant digits are sufficient for the figures."""
    if column.dtype.kind != "f":
        return column
    return [float(f"{value:.4g}") for value in column.tolist()]


def draw(result: StudyResult) -> Figures:
    return {
        "phase": draw_phase(result.tables["phase"]),
        "trade": draw_trade(result.tables["trade"], result.tables["rotation"]),
    }


STUDY = described("relative/phase-diagram", run, draw, Setting, version=2)
