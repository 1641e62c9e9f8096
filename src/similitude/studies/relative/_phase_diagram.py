"""Which relative transform survives which change of coordinates, and in how many d."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from similitude.training import phase_diagram

from .._checks import Number, Order
from .._study import Config, Study, StudyResult
from ._phase_figures import draw_phase, draw_trade

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TRANSFORMS = (
    "cosine",
    "scaled_cosine",
    "centered_cosine",
    "robust",
    "whitened_cosine",
)
UNITS, ROTATION = "permutation x diagonal + shift", "rotation + scale"
#: Change of coordinates -> the groups whose random elements are multiplied.
CHANGES = {
    "permutation": ("permutation",),
    UNITS: ("permutation", "diagonal", "translation"),
    ROTATION: ("rotation", "isotropic_scale"),
    "affine": ("linear", "translation"),
    "rotation + shift": ("rotation", "translation"),
    "permutation + warp": ("permutation", "warp"),
}
SHORT = {UNITS: "units", ROTATION: "rotation", "rotation + shift": "shifted_rotation"}
SHORT |= {"permutation + warp": "warp"}


@dataclass(frozen=True)
class Setting:
    """The grid of the phase diagram; samples of the decoder's training and test.

    The first `changes` of `CHANGES` are used.
    """

    dimensions: tuple[int, ...]
    anchors: tuple[int, ...]
    seeds: int
    samples: int
    transforms: tuple[str, ...] = TRANSFORMS
    changes: int = len(CHANGES)


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    config.parts.expect(len(setting.dimensions) * setting.seeds)
    changes = dict(list(CHANGES.items())[: setting.changes])
    found = []
    for seed in rng.integers(2**31, size=setting.seeds).tolist():
        for d in setting.dimensions:
            compute = functools.partial(
                phase_diagram,
                setting.transforms,
                changes,
                dimensions=(d,),
                anchors=setting.anchors,
                seeds=(seed,),
                samples=setting.samples,
            )
            found.append(config.parts.keep(f"seed-{seed},d-{d}", compute))
    table = {name: np.concatenate([part[name] for part in found]) for name in found[0]}
    trade = _trade(table)
    values = _losses(table) | {
        "trade_lowest_d": trade["trade"][0],
        "trade_highest_d": trade["trade"][-1],
        "gain_highest_d": trade["gain"][-1],
        "cost_highest_d": trade["cost"][-1],
    }
    kept = {name: _short(column) for name, column in table.items()}
    kept["seed"] = np.unique(table["seed"], return_inverse=True)[1]  # 0, 1, ...
    return StudyResult(
        values=values, tables={"phase": kept, "trade": trade}, notes=_notes(trade)
    )


def _losses(table: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Largest loss of accuracy in points, for each transform and change."""
    lost = np.abs(table["own"] - table["stitched"])
    values = {}
    for transform in np.unique(table["transform"]).tolist():
        for change in np.unique(table["change"]).tolist():
            chosen = (table["transform"] == transform) & (table["change"] == change)
            defined = lost[chosen & np.isfinite(lost)]
            values[f"loss_{transform}_{SHORT.get(change, change)}"] = (
                float(defined.max()) if len(defined) else float("nan")
            )
    return values


def _trade(table: Mapping[str, np.ndarray]) -> dict[str, list[float]]:
    """What the robust transform gains and loses against cosines, by dimension.

    Shares of accuracy that are kept, with the most anchors: means over seeds, and
    standard deviations of gain, cost and trade. The gain is after a change of units,
    the cost is after a rotation.
    """
    most = table["k"] == table["k"].max()
    dims = np.unique(table["d"])
    by_seed = {}  # dimensions x seeds
    for transform in ("cosine", "robust"):
        for change in (UNITS, ROTATION):
            chosen = most & (table["transform"] == transform)
            chosen &= table["change"] == change
            by_seed[f"{transform}_{SHORT[change]}"] = np.array(
                [table["kept"][chosen & (table["d"] == d)] for d in dims]
            )
    gain = by_seed["robust_units"] - by_seed["cosine_units"]
    cost = by_seed["cosine_rotation"] - by_seed["robust_rotation"]
    by_seed |= {"gain": gain, "cost": cost, "trade": gain - cost}
    columns: dict[str, list[float]] = {"d": dims.tolist()}
    columns |= {name: values.mean(axis=1).tolist() for name, values in by_seed.items()}
    for name in ("gain", "cost", "trade"):
        columns[f"{name}_sd"] = by_seed[name].std(axis=1).tolist()
    return columns


def _short(column: np.ndarray) -> Any:
    """Four significant digits are sufficient for the figures."""
    if column.dtype.kind != "f":
        return column
    return [float(f"{value:.4g}") for value in column.tolist()]


def _notes(trade: Mapping[str, list[float]]) -> tuple[str, ...]:
    rows = "; ".join(
        f"d = {d:.0f}: {gain:.2f} and {cost:.2f}"
        for d, gain, cost in zip(trade["d"], trade["gain"], trade["cost"], strict=True)
    )
    return (
        f"The robust transform gives up rotations and gets changes of single units. "
        f"Gain and cost as shares of accuracy, against cosines: {rows}.",
        "A share of 1 is the accuracy of a decoder of the rows without a transform. "
        "The robust transform can exceed it, because it standardizes the units.",
    )


def draw(result: StudyResult) -> "Mapping[str, Figure]":
    return {
        "phase": draw_phase(result.tables["phase"]),
        "trade": draw_trade(result.tables["trade"]),
    }


def _exact(*names: str) -> tuple[Number, ...]:
    """A change that costs no accuracy, except for one of 300 samples by rounding."""
    return tuple(
        Number(
            quantity=f"loss_{name}",
            value=0,
            tolerance=0.5,
            where="the invariance group",
        )
        for name in names
    )


STUDY = Study(
    name="relative/phase-diagram",
    title="which transform survives which change of coordinates",
    paper="garciacastellanos2024relative",
    where="the robust relative transform",
    claim="The robust relative transform is invariant to permutations, scales and "
    "shifts of units, but not to rotations. This is a good trade in high-dimensional "
    "latent spaces.",
    settings={
        "smoke": Setting(
            dimensions=(4, 16),
            anchors=(8, 32),
            seeds=1,
            samples=100,
            transforms=("cosine", "robust", "whitened_cosine"),
            changes=4,
        ),
        "small": Setting(
            dimensions=(4, 8, 16, 32, 64, 128, 256),
            anchors=(8, 32, 128, 256),
            seeds=3,
            samples=300,
        ),
        "paper": Setting(
            dimensions=(4, 16, 64, 256, 768),
            anchors=(8, 32, 128, 768),
            seeds=5,
            samples=2000,
        ),
    },
    seconds={"smoke": 2, "small": 90, "paper": 1800},
    checks=(
        *_exact(
            "cosine_permutation",
            "cosine_rotation",
            "robust_permutation",
            "robust_units",
            "whitened_cosine_affine",
        ),
        Order(quantity="loss_cosine_units", sign=">", than="loss_robust_units"),
        Order(quantity="loss_robust_rotation", sign=">", than="loss_cosine_rotation"),
        Order(
            quantity="trade_highest_d",
            sign=">",
            than=0.0,
            where="a good trade",
            note="gain after changes of units minus cost after rotations, as shares",
        ),
        Order(
            quantity="trade_highest_d",
            sign=">",
            than="trade_lowest_d",
            where="in high-dimensional latent spaces",
        ),
    ),
    run=run,
    draw=draw,
)
