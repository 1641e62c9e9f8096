"""Colors and markers that color-blind readers can distinguish."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from similitude.errors import InvalidInput
from similitude.plots import MARKERS, column

from ...study import Axes

# Okabe and Ito, for lines and groups of points.
GROUPS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
# Paul Tol's muted scheme, for classes.
CLASSES = (
    "#332288",
    "#88CCEE",
    "#44AA99",
    "#117733",
    "#999933",
    "#DDCC77",
    "#CC6677",
    "#882255",
    "#AA4499",
    "#777777",
)
CLASS_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")


def group_style(index: int) -> tuple[str, str]:
    """Color and marker of a group; both repeat after seven."""
    return GROUPS[index % len(GROUPS)], MARKERS[index % len(MARKERS)]


def class_style(index: int) -> tuple[str, str]:
    """Color and marker of a class; beyond ten classes, the pairs do not repeat."""
    size = len(CLASSES)
    return CLASSES[index % size], CLASS_MARKERS[(index + index // size) % size]


def draw_classes(
    ax: Axes,
    points: np.ndarray,
    labels: np.ndarray,
    names: Sequence[str] | None,
    *,
    size: float,
) -> None:
    """Draw points in the style of their class, and name the classes for a legend."""
    shown = np.unique(labels).tolist()
    for label in range(len(names)) if names is not None else shown:
        color, marker = class_style(label)
        name = str(label) if names is None else names[label]
        chosen = points[labels == label]
        style: dict[str, Any] = {"color": color, "marker": marker, "linewidths": 0}
        # Thousands of points are a small image in a PDF file.
        x, y = chosen.T
        ax.scatter(x, y, s=size, rasterized=len(chosen) > 100, **style)
        ax.scatter([], [], s=max(size, 40), label=name, **style)
    ax.axhline(0.0, color="0.85", linewidth=0.6, zorder=0)
    ax.axvline(0.0, color="0.85", linewidth=0.6, zorder=0)


def list_classes(ax: Axes, title: str | None = None) -> None:
    """A legend next to the axes."""
    place: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
    ax.legend(title=title, frameon=False, fontsize="small", **place)


def same_length(**columns: Any) -> list[np.ndarray]:
    """The columns as numbers, one of each per pair of models."""
    found = {name: column(name, values) for name, values in columns.items()}
    if len({values.size for values in found.values()}) > 1:
        sizes = [f"{name} has {values.size} numbers" for name, values in found.items()]
        raise InvalidInput(f"{', '.join(sizes)}; give one of each per pair of models.")
    return list(found.values())
