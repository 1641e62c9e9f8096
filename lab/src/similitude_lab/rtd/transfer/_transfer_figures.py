"""Figure of the curves of fine-tuning."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from similitude.plots import new_figure

from ...study import Figure
from ..curves._curve_figures import NAMES, draw_scaled

#: Images and the epoch they are compared with.
TITLES = {
    "source": "source, to the last epoch",
    "target": "target, to the last epoch",
    "source_from_first": "source, to epoch 0",
}


def draw_epochs(table: Mapping[str, Any]) -> Figure:
    """One panel per data set: all curves by epoch, each divided by its maximum."""
    figure = new_figure(11.5, 3.6)
    panels = figure.subplots(1, len(TITLES), sharey=True)
    images, seed = np.asarray(table["images"]), np.asarray(table["seed"])
    for panel, name in zip(panels, TITLES, strict=True):
        rows = [np.flatnonzero((images == name) & (seed == s)) for s in np.unique(seed)]
        curves = {
            curve: np.array([np.asarray(table[curve])[own] for own in rows])
            for curve in NAMES
        }
        draw_scaled(panel, np.asarray(table["epoch"])[rows[0]], curves)
        panel.set(title=TITLES[name], xlabel="epoch of fine-tuning")
        panel.xaxis.get_major_locator().set_params(integer=True)
    panels[0].set_ylabel("share of the maximum")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)
    return figure
