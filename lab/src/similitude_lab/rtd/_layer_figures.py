"""Scores of layers against layers, before and after training."""

from typing import Any

import numpy as np

from similitude.plots import new_figure

from ..study import Figure

TITLES = {"within": "one network", "between": "different seeds"}


def draw_layers(table: Any) -> Figure:
    """One row of panels per measure; darker cells are more similar."""
    columns = {name: np.asarray(values) for name, values in table.items()}
    measures, states = (list(dict.fromkeys(table[n])) for n in ("measure", "state"))
    panels_of = [(state, kind) for state in states for kind in TITLES]
    figure = new_figure(2.4 * len(panels_of), 2.5 * len(measures))
    panels = figure.subplots(len(measures), len(panels_of), squeeze=False)
    for row, measure in enumerate(measures):
        own = columns["score"][columns["measure"] == measure]
        cmap = "Blues" if measure == "cka" else "Blues_r"
        for panel, (state, kind) in zip(panels[row], panels_of, strict=True):
            here = (
                (columns["measure"] == measure)
                & (columns["state"] == state)
                & (columns["kind"] == kind)
            )
            depth = columns["a"][here].max()
            scores = columns["score"][here].reshape(depth, depth)
            panel.imshow(scores, cmap=cmap, vmin=0, vmax=own.max())
            for (i, j), value in np.ndenumerate(scores):
                dark = (value > 0.6 * own.max()) == (measure == "cka")
                ink = "white" if dark else "black"
                text = f"{value:.2f}" if measure == "cka" else f"{value:.1f}"
                panel.text(j, i, text, ha="center", va="center", fontsize=8, color=ink)
            numbers = np.arange(depth)
            panel.set_xticks(numbers, numbers + 1)
            panel.set_yticks(numbers, numbers + 1)
            panel.set_title(f"{measure.upper()}, {state},\n{TITLES[kind]}", fontsize=9)
            panel.set_xlabel("layer", fontsize=8)
    return figure
