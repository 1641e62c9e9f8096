"""Figures of the point clouds and their barcodes, of layers, and of latent spaces."""

from typing import Any

import numpy as np

from similitude.plots import COLORS

from ..study import Figure, Figures, Frame, StudyResult
from ..study.panels import barcode, heat_map, subplots

NAMES = {
    "rtd": "RTD",
    "cka": "CKA",
    "svcca": "SVCCA as published",
    "svcca_singular_values": "SVCCA, mean over samples",
    "imd": "IMD, mean of runs",
    "imd_exact": "IMD, exact",
}


LABELS = {"clusters": "clusters", "rings": "equal rings"}


def draw_ranked(result: StudyResult) -> Figures:
    """The point clouds, scores and barcodes of a study that ranks clouds."""
    unit = next(iter(result.tables["scores"]))  # the first column counts it
    return {
        "clouds": draw_clouds(result.frame("clouds")),
        "curves": draw_curves(result.tables["scores"], unit),
        "barcodes": draw_barcodes(result.frame("barcodes"), unit),
    }


def draw_clouds(table: Frame) -> Figure:
    """One panel per cloud; each point keeps its color in all panels."""
    clouds = table.unique("cloud")
    size = (2.2 * len(clouds), 2.4)
    figure, (panels,) = subplots(1, len(clouds), figsize=size, squeeze=False)
    for panel, cloud in zip(panels, clouds, strict=True):
        own = table.where(cloud=cloud)
        colors = np.arange(len(own["x"]))
        panel.scatter(own["x"], own["y"], c=colors, cmap="viridis", s=3)
        panel.set(xticks=[], yticks=[], aspect="equal")
        panel.set_title("base" if cloud == clouds[0] else f"k = {cloud}")
    return figure


def draw_curves(table: Any, unit: str) -> Figure:
    """Scores against the number of clusters or rings, one panel per measure."""
    figure, panels = subplots(2, 3, figsize=(9.0, 4.2), sharex=True)
    for panel, (name, title) in zip(panels.flat, NAMES.items(), strict=True):
        panel.plot(table[unit], table[name], "o-", color=COLORS[0], ms=4)
        panel.set_title(title)
    for panel in panels[1]:
        panel.set(xlabel=f"number of {LABELS[unit]}", xticks=table[unit])
    for panel in panels[:, 0]:
        panel.set_ylabel("score")
    return figure


def draw_barcodes(table: Frame, unit: str) -> Figure:
    """Bars of both directions, one row of panels per direction, longest bars on top."""
    clouds = table.unique("cloud")
    size = (2.4 * len(clouds), 4.4)
    figure, panels = subplots(2, len(clouds), figsize=size, sharex=True, squeeze=False)
    for row, way in enumerate(("base to k", "k to base")):
        for panel, cloud in zip(panels[row], clouds, strict=True):
            own = table.where(cloud=cloud, direction=way)
            barcode(panel, own["birth"], own["death"], color=COLORS[row])
            panel.set_title(f"{way}, k = {cloud}", fontsize=9)
    for panel in panels[1]:
        panel.set_xlabel("scale")
    figure.suptitle(f"R-Cross-Barcodes of degree 1, k {unit}")
    return figure


TITLES = {"within": "one network", "between": "different seeds"}


def draw_layers(table: Frame) -> Figure:
    """One row of panels per measure; darker cells are more similar."""
    measures, states = table.unique("measure"), table.unique("state")
    columns = [(state, kind) for state in states for kind in TITLES]
    down, across = len(measures), len(columns)
    size = (2.4 * across, 2.5 * down)
    figure, panels = subplots(down, across, figsize=size, squeeze=False)
    for row, measure in zip(panels, measures, strict=True):
        top = table.where(measure=measure)["score"].max()
        look: dict[str, Any] = {"text": ".1f", "cmap": "Blues_r"}
        look["white_below"] = np.nextafter(0.6 * top, np.inf)
        if measure == "cka":
            look = {"text": ".2f", "cmap": "Blues", "white_above": 0.6 * top}
        for panel, (state, kind) in zip(row, columns, strict=True):
            own = table.where(measure=measure, state=state, kind=kind)
            depth = own["a"].max()
            scores = own["score"].reshape(depth, depth)
            heat_map(panel, scores, size=8, vmin=0, vmax=top, **look)
            panel.set_title(f"{measure.upper()}, {state},\n{TITLES[kind]}", fontsize=9)
            panel.set_xlabel("layer", fontsize=8)
    return figure
