"""The results of all measures in all grounding tests, as one table of colors."""

from typing import Any

import numpy as np

from similitude.plots import new_figure

from ..study import Figure
from ..study.panels import heat_map


def draw_tests(table: Any, tests: tuple[str, ...]) -> Figure:
    """One row per measure, best mean first; one column per test; gray is undefined."""
    names = np.array(table["measure"])
    results = np.array([table[test] for test in tests], dtype=float).T
    order = np.argsort(-np.nan_to_num(results, nan=-1.0).mean(axis=1), kind="stable")
    figure = new_figure(8.4, 1.6 + 0.2 * len(names))
    panel = figure.subplots()
    panel.set_facecolor("0.85")
    labels = [test.replace("_", "\n") for test in tests]
    shown = results[order], names[order], labels
    look: dict[str, Any] = {"cmap": "PuOr", "vmin": -1, "vmax": 1, "aspect": "auto"}
    image = heat_map(panel, *shown, white_above=0.7, white_below=-0.7, size=7, **look)
    panel.tick_params(labelsize=8)
    panel.xaxis.tick_top()
    figure.colorbar(image, label="correlation, average precision or share", shrink=0.4)
    return figure
