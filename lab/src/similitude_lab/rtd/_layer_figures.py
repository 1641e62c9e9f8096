"""Scores of layers against layers, before and after training."""

from typing import Any

import numpy as np

from similitude.plots import new_figure

from ..study import Figure, Frame
from ..study.panels import heat_map

TITLES = {"within": "one network", "between": "different seeds"}


def draw_layers(table: Any) -> Figure:
    """One row of panels per measure; darker cells are more similar."""
    frame = Frame(table)
    measures, states = frame.unique("measure"), frame.unique("state")
    panels_of = [(state, kind) for state in states for kind in TITLES]
    figure = new_figure(2.4 * len(panels_of), 2.5 * len(measures))
    panels = figure.subplots(len(measures), len(panels_of), squeeze=False)
    for row, measure in zip(panels, measures, strict=True):
        top = frame.where(measure=measure)["score"].max()
        look: dict[str, Any] = {"text": ".1f", "cmap": "Blues_r"}
        look["white_below"] = np.nextafter(0.6 * top, np.inf)
        if measure == "cka":
            look = {"text": ".2f", "cmap": "Blues", "white_above": 0.6 * top}
        for panel, (state, kind) in zip(row, panels_of, strict=True):
            own = frame.where(measure=measure, state=state, kind=kind)
            depth = own["a"].max()
            scores = own["score"].reshape(depth, depth)
            heat_map(panel, scores, size=8, vmin=0, vmax=top, **look)
            panel.set_title(f"{measure.upper()}, {state},\n{TITLES[kind]}", fontsize=9)
            panel.set_xlabel("layer", fontsize=8)
    return figure
