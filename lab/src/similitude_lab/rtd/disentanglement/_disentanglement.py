"""Disentanglement of dSprites: shifts along factors keep the topology of slices."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...study import Config, Figures, StudyResult, described, table_of
from ...study._published import published
from .._ranking import rtd_of_authors
from ._slices import NAMES, directions, slice_points, sprites, strip
from ._sprite_figures import draw_directions, draw_strips

SHIFT = 0.6  # of the length of an axis; the paper does not give it
RANDOM = 5
SPREAD = 18.6  # standard deviation of the published random directions


@dataclass(frozen=True)
class Setting:
    """Images per slice; other shifts, and images per slice for them."""

    images: int
    shifts: tuple[float, ...]
    sweep_images: int


def divergence(
    data: Any,
    direction: np.ndarray,
    shift: float,
    count: int,
    rng: np.random.Generator,
) -> dict[str, float]:
    """RTD in both directions, added, between the images of two parallel slices."""
    points = slice_points(direction, shift, count, rng)
    clouds = [
        data.images(place).reshape(count, -1).astype(np.float32)
        for place in (points, points + shift * direction)
    ]
    return {"rtd": 2 * rtd_of_authors(*clouds)}


def run(config: Config, rng: np.random.Generator) -> StudyResult:
    setting: Setting = config.setting
    chosen = directions(RANDOM, rng)
    plan = [(SHIFT, setting.images)]
    plan += [(shift, setting.sweep_images) for shift in setting.shifts]
    config.parts.expect(len(plan) * len(chosen))
    rows = []
    with sprites(config.data) as data:
        for shift, count in plan:
            found = {}
            generators = rng.spawn(len(chosen))
            for (name, way), own in zip(chosen.items(), generators, strict=True):
                key, given = f"{name}-{shift}-{count}", (data, way, shift, count, own)
                found[name] = float(config.parts.keep(key, divergence, *given)["rtd"])
            rows.append({"shift": shift, "images": count, **found, **summary(found)})
        strips = strip_table(data, chosen)
    columns = table_of(rows)
    values = {name: column[0] for name, column in columns.items()}
    values |= margins(columns) | {"dsprites": float(config.data is not None)}
    tables = {"table1": table1(values), "shifts": columns, "strips": strips}
    return StudyResult(values=values, tables=tables)


def summary(found: Mapping[str, float]) -> dict[str, float]:
    """Mean and standard deviation (divided by n) over the random directions."""
    random = [value for name, value in found.items() if name.startswith("random")]
    return {"random_mean": float(np.mean(random)), "random_sd": float(np.std(random))}


def margins(columns: Mapping[str, list[float]]) -> dict[str, float]:
    """Each axis above two deviations below the random mean, in units of this mean.

    The largest and the smallest over all shifts.
    """
    mean, sd = (np.array(columns[f"random_{name}"]) for name in ("mean", "sd"))
    found: dict[str, float] = {}
    for k in range(1, len(NAMES) + 1):
        above = (np.array(columns[f"axis_{k}"]) - (mean - 2 * sd)) / mean
        found |= {f"most_{k}": float(above.max()), f"least_{k}": float(above.min())}
    return found


def table1(values: Mapping[str, float]) -> dict[str, list[Any]]:
    """Our values next to the table of the paper."""
    printed = published("rtd", "table 1")
    return {
        "direction": [*NAMES, "random, mean", "random, sd"],
        "ours": [values[name] for name in (*printed, "random_sd")],
        "published": [*printed.values(), SPREAD],
    }


def strip_table(data: Any, chosen: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Images along each axis and the first random direction, as hexadecimal bits."""
    return table_of(
        {"direction": name, "step": step, "pixels": np.packbits(image).tobytes().hex()}
        for name in [*list(chosen)[:5], "random_1"]
        for step, image in enumerate(strip(data, chosen[name]))
    )


def draw(result: StudyResult) -> Figures:
    return {
        "strips": draw_strips(result.frame("strips")),
        "directions": draw_directions(
            result.frame("shifts"), published("rtd", "table 1")
        ),
    }


STUDY = described("rtd/disentanglement", run, draw, Setting, version=4)
