"""Figure of the curves of all shifts."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from similitude.plots import new_figure

from ...study import Figure
from ..curves._curve_figures import NAMES, draw_scaled
from ._image_transformations import SHIFTS


def draw_curves(table: Mapping[str, Any]) -> Figure:
    """One panel per shift: all curves against the level, each divided by its maximum.

    The axis runs from the original images to the strongest shift.
    """
    figure = new_figure(11.5, 5.6)
    panels = figure.subplots(2, 4, sharey=True)
    shift, seed = np.asarray(table["shift"]), np.asarray(table["seed"])
    for panel, name in zip(panels.ravel(), SHIFTS, strict=True):
        rows = [np.flatnonzero((shift == name) & (seed == s)) for s in np.unique(seed)]
        level = np.asarray(table["level"])[rows[0]]
        curves = {
            curve: np.array([np.asarray(table[curve])[own] for own in rows])
            for curve in NAMES
        }
        draw_scaled(panel, level, curves)
        panel.set_title(name)
        panel.set_xlabel(SHIFTS[name].label, fontsize=9)
        if level[0] > level[-1]:
            panel.invert_xaxis()
    for panel in panels[:, 0]:
        panel.set_ylabel("share of the maximum")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)
    return figure
