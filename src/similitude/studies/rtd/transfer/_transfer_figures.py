"""Figure of the curves of fine-tuning."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from similitude.plots import new_figure

from ..curves._curve_figures import NAMES, draw_scaled

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_epochs(table: Mapping[str, Any]) -> "Figure":
    """One panel per data set: all curves by epoch, each divided by its maximum."""
    figure = new_figure(8.6, 3.6)
    panels = figure.subplots(1, 2, sharey=True)
    images, seed = np.asarray(table["images"]), np.asarray(table["seed"])
    for panel, name in zip(panels, ("source", "target"), strict=True):
        rows = [np.flatnonzero((images == name) & (seed == s)) for s in np.unique(seed)]
        curves = {
            curve: np.array([np.asarray(table[curve])[own] for own in rows])
            for curve in NAMES
        }
        draw_scaled(panel, np.asarray(table["epoch"])[rows[0]], curves)
        panel.set(title=f"{name} images", xlabel="epoch of fine-tuning")
        panel.xaxis.get_major_locator().set_params(integer=True)
    panels[0].set_ylabel("share of the maximum")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)
    return figure
