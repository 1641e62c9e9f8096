"""Figures of the disentanglement study: strips of images, and RTD by direction."""

from collections.abc import Mapping

import numpy as np

from similitude.plots import COLORS, MARKERS

from ...study import Figure, Frame
from ...study.panels import subplots
from ._slices import NAMES


def draw_strips(table: Frame) -> Figure:
    """One row of images per direction; the direction grows from left to right."""
    labels = [*NAMES, "random"]
    across = len(table["pixels"]) // len(labels)
    size = (0.75 * across + 1.0, 0.8 * len(labels))
    figure, panels = subplots(len(labels), across, figsize=size)
    for panel, pixels in zip(panels.flat, table["pixels"].tolist(), strict=True):
        bits = np.unpackbits(np.frombuffer(bytes.fromhex(pixels), np.uint8))
        look = {"cmap": "gray", "vmin": 0, "vmax": 1, "interpolation": "nearest"}
        panel.imshow(bits.reshape(64, 64), **look)
        panel.set(xticks=[], yticks=[])
    for panel, label in zip(panels[:, 0], labels, strict=True):
        panel.set_ylabel(label, rotation=0, ha="right", va="center")
    return figure


def draw_directions(table: Frame, published: Mapping[str, float]) -> Figure:
    """RTD of each direction next to table 1, and relative to random directions."""
    figure, (left, right) = subplots(1, 2, figsize=(9.0, 3.4))
    names = list(published)
    places = np.arange(len(names))
    ours = [table[name][0] for name in names]
    left.bar(places - 0.2, ours, 0.4, color=COLORS[0], label="ours")
    left.bar(places + 0.2, published.values(), 0.4, color=COLORS[4], label="published")
    limit = table["random_mean"] - 2 * table["random_sd"]
    left.axhline(limit[0], color=COLORS[0], ls="--", lw=1)
    left.text(1.4, limit[0], "ours: random - 2 sd", ha="left", va="bottom")
    left.set_xticks(places, [*NAMES, "random"], rotation=20)
    left.set(ylabel="RTD, sum of both directions", title="table 1")
    left.legend()
    order = np.argsort(table["shift"])
    shift = table["shift"][order]
    for at, name in enumerate(names[:-1]):
        ratio = table[name] / table["random_mean"]
        style = {"color": COLORS[at], "marker": MARKERS[at], "ms": 8 - at}
        right.plot(shift, ratio[order], label=NAMES[at], **style)
    ratio = limit / table["random_mean"]
    right.plot(shift, ratio[order], color="0.5", ls="--", label="random - 2 sd")
    right.set(xlabel="shift (length of an axis = 1)", ylabel="RTD / mean over random")
    right.set_title("other shifts")
    right.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure
