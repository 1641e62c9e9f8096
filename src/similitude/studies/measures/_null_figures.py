"""The bias map: one small heat map of scores of noise for each measure."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .._figure import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ACROSS = 6  # panels per row


def draw_maps(table: Any, *, similarities: bool) -> "Figure":
    """Mean scores of independent noise over rows and columns, with their numbers.

    Similarities share one color scale: 1 is the score of a representation with itself.
    Each distance has its own scale, because their units differ.
    """
    columns = {name: np.asarray(column) for name, column in table.items()}
    chosen = (columns["kind"] == "similarity") == similarities
    names = list(dict.fromkeys(columns["measure"][chosen].tolist()))
    rows, cols = np.unique(columns["rows"]), np.unique(columns["columns"])
    down = math.ceil(len(names) / ACROSS)
    figure = new_figure(2.1 * ACROSS, 0.5 + (0.65 + 0.22 * len(rows)) * down)
    panels = figure.subplots(
        down, ACROSS, sharex=True, sharey=True, squeeze=False
    ).ravel()
    image = None
    for panel, name in zip(panels, names, strict=False):
        here = columns["measure"] == name
        grid = np.full((len(rows), len(cols)), np.nan)
        where = (
            np.searchsorted(rows, columns["rows"][here]),
            np.searchsorted(cols, columns["columns"][here]),
        )
        grid[where] = columns["mean"][here]
        image = _panel(panel, grid, similarities=similarities)
        panel.set_title(name.replace("_", " "), fontsize=8)
        panel.set_xticks(range(len(cols)), [str(d) for d in cols], fontsize=7)
        panel.set_yticks(range(len(rows)), [str(n) for n in rows], fontsize=7)
    for panel in panels[len(names) :]:
        panel.set_axis_off()
    figure.supxlabel("columns d", fontsize=9)
    figure.supylabel("rows n", fontsize=9)
    if similarities and image is not None:
        bar = figure.colorbar(image, ax=panels.tolist(), shrink=0.4, pad=0.01)
        bar.set_label("mean score of independent noise (1: the same)", fontsize=8)
    return figure


def _panel(panel: "Axes", grid: np.ndarray, *, similarities: bool) -> Any:
    """A heat map with its numbers; cells without a score are hatched."""
    scale = {"cmap": "RdBu_r", "vmin": -1.0, "vmax": 1.0}
    if not similarities:
        top = np.nanmax(grid) if np.isfinite(grid).any() else 1.0
        scale = {"cmap": "Oranges", "vmin": 0.0, "vmax": 1.6 * max(top, 1e-12)}
    panel.set_facecolor("white")
    image = panel.imshow(grid, aspect="auto", origin="lower", **scale)  # type: ignore[arg-type]
    if np.isnan(grid).any():
        panel.patch.set(hatch="////", edgecolor="#999999")
    for (y, x), value in np.ndenumerate(grid):
        if np.isfinite(value):
            dark = similarities and abs(value) > 0.6
            color = "white" if dark else "black"
            text = _number(value)
            panel.text(x, y, text, ha="center", va="center", fontsize=6, color=color)
    return image


def _number(value: float) -> str:
    if abs(value) >= 1000:
        return f"{value:.0e}".replace("e+0", "e")
    return f"{value:.2g}" if abs(value) < 100 else f"{value:.0f}"
