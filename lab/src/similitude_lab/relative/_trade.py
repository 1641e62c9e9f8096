"""What a phase diagram says: losses, and the trade of the robust transform."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..study import Frame, table_of

UNITS, ROTATION = "permutation x diagonal + shift", "rotation + scale"
SHORT = {UNITS: "units", ROTATION: "rotation", "rotation + shift": "shifted_rotation"}
SHORT |= {"permutation + warp": "warp"}


def losses(table: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Largest loss of accuracy in points, for each transform and change."""
    frame, values = Frame(table), {}
    for transform, change in frame.unique("transform", "change"):
        own = frame.where(transform=transform, change=change)
        lost = np.abs(own["own"] - own["stitched"])
        worst = max(lost[np.isfinite(lost)].tolist(), default=float("nan"))
        values[f"loss_{transform}_{SHORT.get(change, change)}"] = worst
    return values


def trade(table: Mapping[str, np.ndarray]) -> dict[str, list[float]]:
    """What the robust transform gains and loses against cosines, by dimension.

    Shares of accuracy that are kept, with the most anchors: means over seeds, and
    standard deviations of gain, cost and trade. The gain is after a change of units,
    the cost is after a rotation.
    """
    by_seed = kept_by_seed(table)
    columns: dict[str, list[float]] = {"d": np.unique(table["d"]).tolist()}
    columns |= {name: values.mean(axis=1).tolist() for name, values in by_seed.items()}
    for name in ("gain", "cost", "trade"):
        columns[f"{name}_sd"] = by_seed[name].std(axis=1).tolist()
    return columns


def kept_by_seed(table: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Shares that both transforms keep, gain, cost and trade: dimensions x seeds."""
    most = Frame(table).where(k=table["k"].max())
    dims = np.unique(table["d"])
    by_seed = {}
    for transform in ("cosine", "robust"):
        for change in (UNITS, ROTATION):
            own = most.where(transform=transform, change=change)
            kept = np.array([own.where(d=d)["kept"] for d in dims])
            by_seed[f"{transform}_{SHORT[change]}"] = kept
    gain = by_seed["robust_units"] - by_seed["cosine_units"]
    cost = by_seed["cosine_rotation"] - by_seed["robust_rotation"]
    return by_seed | {"gain": gain, "cost": cost, "trade": gain - cost}


def rotation_losses(
    rotations: Mapping[float, Mapping[str, np.ndarray]],
) -> dict[str, list[Any]]:
    """Points of accuracy that the robust transform loses by a rotation."""
    rows = []
    for spread, table in rotations.items():
        robust = Frame(table).where(transform="robust")
        for d in np.unique(table["d"]).tolist():
            own = robust.where(d=d)
            lost = own["own"] - own["stitched"]
            numbers = {"lost": float(lost.mean()), "lost_sd": float(lost.std())}
            rows.append({"spread": spread, "d": d, **numbers})
    return table_of(rows)
