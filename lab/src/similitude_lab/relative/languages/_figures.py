"""Figures of the language table: accuracies, and paired differences."""

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from similitude.plots import COLORS, MARKERS

from ...study import Figure, Frame
from ...study.panels import intervals, subplots


def _panels(networks: list[str]) -> "tuple[Figure, list[Any]]":
    """One panel per network, two in a row."""
    rows = -(-len(networks) // 2)
    shared = {"sharex": True, "sharey": True, "squeeze": False}
    figure, grid = subplots(rows, 2, figsize=(9.6, 4.0 * rows), **shared)
    for panel in grid.flat[len(networks) :]:
        panel.remove()
    return figure, list(grid.flat[: len(networks)])


def draw_accuracies(table: Frame, values: Mapping[str, float]) -> Figure:
    """Accuracy of each transform; filled markers are decoders at home.

    `values` have the share of the most frequent class, as ``majority_ngrams``.
    """
    networks, transforms = table.unique("network"), table.unique("transform")
    figure, panels = _panels(networks)
    for panel, network in zip(panels, networks, strict=True):
        own = table.where(network=network, metric="accuracy")
        pairs = itertools.product(own.unique("decoder"), repeat=2)
        for at, (decoder, encoder) in enumerate(pairs):
            here = own.where(decoder=decoder, encoder=encoder)
            panel.errorbar(
                here["mean"],
                _rows(transforms, here["transform"], (1.5 - at) * 0.17),
                xerr=np.nan_to_num(here["sd"]),
                **_look(at),
                markerfacecolor=COLORS[at] if decoder == encoder else "white",
                label=f"decoder {decoder}, encoder {encoder}",
            )
        line = {"color": "gray", "lw": 0.8, "ls": ":"}
        majority = values[f"majority_{network}"]
        panel.axvline(majority, **line, label="most frequent class")
        _name_rows(panel, transforms)
        panel.set(title=network, xlabel="accuracy (%), mean ± sd over seeds")
        panel.legend(fontsize=7, loc="center", bbox_to_anchor=(0.33, 0.52))
    return figure


def draw_differences(table: Frame) -> Figure:
    """Paired differences of accuracy in stitched cells, with intervals over seeds."""
    networks, names = table.unique("network"), table.unique("difference")
    figure, panels = _panels(networks)
    for panel, network in zip(panels, networks, strict=True):
        own = table.where(network=network, metric="accuracy")
        places = [
            (decoder, encoder)
            for decoder, encoder in own.unique("decoder", "encoder")
            if decoder != encoder or decoder == "stitched"
        ]
        for at, (decoder, encoder) in enumerate(places):
            here = own.where(decoder=decoder, encoder=encoder)
            pooled = decoder == "stitched"
            label = f"decoder {decoder}, encoder {encoder}"
            look = _look(at) | ({"color": COLORS[6]} if pooled else {})
            intervals(
                panel,
                _rows(names, here["difference"], (1 - at) * 0.2),
                *(here[name] for name in ("mean", "low", "high")),
                along="x",
                capsize=2,
                label="mean of both" if pooled else label,
                **look,
            )
        panel.axvline(0, color="gray", lw=0.8)
        _name_rows(panel, names)
        panel.set(title=network, xlabel="difference of accuracy (points), 95 % CI")
        panel.legend(fontsize=7, loc="center right", bbox_to_anchor=(1.0, 0.6))
    return figure


def _look(at: int) -> dict[str, Any]:
    return {"fmt": MARKERS[at], "ms": 5, "lw": 1, "color": COLORS[at]}


def _rows(names: list[str], shown: np.ndarray, shift: float) -> list[float]:
    """The first name is at the top."""
    return [len(names) - names.index(name) + shift for name in shown.tolist()]


def _name_rows(panel: Any, names: list[str]) -> None:
    labels = [name.replace("_", " ") for name in names]
    panel.set_yticks(range(len(names), 0, -1), labels)


def draw_sweep(table: Frame) -> Figure:
    """Points gained by densification against beta, with intervals over seeds."""
    networks = table.unique("network")
    count = len(networks)
    size = (4.2 * count + 0.6, 3.6)
    figure, (panels,) = subplots(1, count, figsize=size, sharey=True, squeeze=False)
    for panel, network in zip(panels, networks, strict=True):
        own = table.where(network=network)
        for at, cells in enumerate(("stitched", "home")):
            here = own.where(cells=cells)
            look = {"fmt": MARKERS[at], "color": COLORS[at], "capsize": 3}
            label = "stitched" if cells == "stitched" else "own decoder"
            limits = (here[name] for name in ("mean", "low", "high"))
            shifted = here["beta"] * (1 + 0.03 * at)
            intervals(panel, shifted, *limits, label=label, **look)
        suggested = own.where(suggested=True)["beta"][0]
        panel.axvline(suggested, color="gray", lw=0.8, ls=":", label="suggested")
        panel.axhline(0, color="gray", lw=0.8)
        tried = np.unique(own["beta"])
        panel.set(title=network, xlabel="beta (distance, no unit)", xscale="log")
        panel.set_xticks(tried, [f"{beta:.2g}" for beta in tried])
        panel.set_xticks([], minor=True)
        panel.set_xlim(0.7 * tried[0], 1.5 * tried[-1])
        panel.legend(fontsize=8)
    panels[0].set_ylabel("densified - robust (points), 95 % CI")
    return figure
