"""Figures of the disentanglement study: strips of images, and RTD by direction."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from similitude.plots import COLORS, MARKERS

from ...study import Figure
from ...study.panels import subplots
from ._slices import NAMES


def draw_strips(table: Any) -> Figure:
    """One row of images per direction; the direction grows from left to right."""
    names = list(dict.fromkeys(table["direction"]))
    images = [
        np.unpackbits(np.frombuffer(bytes.fromhex(pixels), np.uint8)).reshape(64, 64)
        for pixels in table["pixels"]
    ]
    across = len(images) // len(names)
    size = (0.75 * across + 1.0, 0.8 * len(names))
    figure, panels = subplots(len(names), across, figsize=size)
    for row in range(len(names)):
        for panel, image in zip(panels[row], images[row * across :], strict=False):
            panel.imshow(image, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
            panel.set(xticks=[], yticks=[])
        label = NAMES[row] if row < len(NAMES) else "random"
        panels[row, 0].set_ylabel(label, rotation=0, ha="right", va="center")
    return figure


def draw_directions(table: Any, published: Mapping[str, float]) -> Figure:
    """RTD of each direction beside table 1, and relative to random directions."""
    figure, (left, right) = subplots(1, 2, figsize=(9.0, 3.4))
    names = list(published)
    places = np.arange(len(names))
    ours = [table[name][0] for name in names]
    left.bar(places - 0.2, ours, 0.4, color=COLORS[0], label="ours")
    left.bar(places + 0.2, published.values(), 0.4, color=COLORS[4], label="published")
    limit = np.array(table["random_mean"]) - 2 * np.array(table["random_sd"])
    left.axhline(limit[0], color=COLORS[0], ls="--", lw=1)
    left.text(1.4, limit[0], "ours: random - 2 sd", ha="left", va="bottom")
    left.set_xticks(places, [*NAMES, "random"], rotation=20)
    left.set(ylabel="RTD, sum of both directions", title="table 1")
    left.legend()
    order = np.argsort(table["shift"])
    for at, name in enumerate(names[:-1]):
        ratio = np.asarray(table[name]) / np.asarray(table["random_mean"])
        shift = np.asarray(table["shift"])[order]
        style = {"color": COLORS[at], "marker": MARKERS[at], "ms": 8 - at}
        right.plot(shift, ratio[order], label=NAMES[at], **style)
    right.plot(
        np.asarray(table["shift"])[order],
        (limit / table["random_mean"])[order],
        color="0.5",
        ls="--",
        label="random - 2 sd",
    )
    right.set(xlabel="shift (length of an axis = 1)", ylabel="RTD / mean over random")
    right.set_title("other shifts")
    right.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure
