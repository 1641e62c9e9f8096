"""The results of all measures in all grounding tests, as one table of colors."""

from typing import Any

import numpy as np

from similitude.plots import new_figure

from ..study import Figure


def draw_tests(table: Any, tests: tuple[str, ...]) -> Figure:
    """One row per measure, best mean first; one column per test; gray is undefined."""
    names = np.array(table["measure"])
    results = np.array([table[test] for test in tests], dtype=float).T
    order = np.argsort(-np.nan_to_num(results, nan=-1.0).mean(axis=1), kind="stable")
    figure = new_figure(8.4, 1.6 + 0.2 * len(names))
    panel = figure.subplots()
    panel.set_facecolor("0.85")
    image = panel.imshow(results[order], cmap="PuOr", vmin=-1, vmax=1, aspect="auto")
    for row, values in enumerate(results[order]):
        for column, value in enumerate(values):
            text = f"{value:.2f}" if np.isfinite(value) else "–"
            ink = "white" if abs(value) > 0.7 else "black"
            panel.text(
                column, row, text, ha="center", va="center", fontsize=7, color=ink
            )
    panel.set_yticks(np.arange(len(names)), names[order], fontsize=8)
    labels = [test.replace("_", "\n") for test in tests]
    panel.set_xticks(np.arange(len(tests)), labels, fontsize=8)
    panel.xaxis.tick_top()
    figure.colorbar(image, label="correlation, average precision or share", shrink=0.4)
    return figure
