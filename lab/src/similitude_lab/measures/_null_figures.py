"""The bias map: one small heat map of scores of noise for each measure."""

import math
from typing import Any

import numpy as np

from similitude.plots import new_figure

from ..study import Figure

ACROSS = 6  # maps per line
GAP = 1.0  # between two maps, in cells


def draw_maps(table: Any, *, similarities: bool) -> Figure:
    """Mean scores of independent noise over rows and columns, with their numbers.

    Similarities share one color scale: 1 is the score of a representation with itself.
    Each distance has its own scale, because their units differ.
    """
    data = {name: np.asarray(column) for name, column in table.items()}
    chosen = (data["kind"] == "similarity") == similarities
    names = list(dict.fromkeys(data["measure"][chosen].tolist()))
    rows, columns = np.unique(data["rows"]), np.unique(data["columns"])
    across, down = min(ACROSS, len(names)), math.ceil(len(names) / ACROSS)
    wide, high = len(columns) + GAP, len(rows) + 1.5 * GAP
    figure = new_figure(0.42 * wide * across + 1.0, 0.2 * high * down + 0.8)
    # One panel holds all maps: matplotlib needs a minute for 50 panels with ticks.
    panel = figure.subplots()
    style: dict[str, Any] = {"cmap": "RdBu_r", "vmin": -1.0, "vmax": 1.0}
    if not similarities:
        style = {"cmap": "Oranges", "vmin": 0.0, "vmax": 1.6}
    for at, name in enumerate(names):
        left, top = (at % across) * wide, (at // across) * high
        grid = _grid(data, name, rows, columns)
        _draw_map(panel, grid, (left, top), name, style)
    middle_x = np.arange(len(columns)) + 0.5
    middle_y = np.arange(len(rows)) + 0.5
    panel.set_xticks(
        np.concatenate([middle_x + i * wide for i in range(across)]),
        [str(d) for d in columns] * across,
        fontsize=6,
    )
    panel.set_yticks(
        np.concatenate([middle_y + i * high for i in range(down)]),
        [str(n) for n in rows[::-1]] * down,
        fontsize=6,
    )
    panel.set(xlim=(-0.3, across * wide - GAP + 0.3), ylim=(down * high, -1.3))
    panel.set(xlabel="columns d", ylabel="rows n")
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)
    if similarities:
        bar = figure.colorbar(panel.collections[0], ax=panel, shrink=0.5, pad=0.01)
        bar.set_label("mean score of independent noise (1: the same)", fontsize=8)
    return figure


def _grid(data: Any, name: str, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The mean scores of a measure; the most rows come first."""
    here = data["measure"] == name
    grid = np.full((len(rows), len(columns)), np.nan)
    where = (
        np.searchsorted(rows, data["rows"][here]),
        np.searchsorted(columns, data["columns"][here]),
    )
    grid[where] = data["mean"][here]
    return grid[::-1]


def _draw_map(
    panel: Any,
    grid: np.ndarray,
    corner: tuple[float, float],
    name: str,
    style: dict[str, Any],
) -> None:
    """A heat map with its numbers; a dash marks cells without a score."""
    left, top = corner
    similarities = style["vmin"] < 0
    shown = grid
    if not similarities and np.isfinite(grid).any():
        shown = grid / max(np.nanmax(grid), 1e-12)
    n, d = grid.shape
    edges = left + np.arange(d + 1), top + np.arange(n + 1)
    panel.pcolormesh(*edges, np.ma.masked_invalid(shown), **style)
    title = name.replace("_", " ")
    panel.text(left + d / 2, top - 0.2, title, ha="center", va="bottom", fontsize=7)
    for (y, x), value in np.ndenumerate(grid):
        dark = similarities and abs(value) > 0.6
        panel.text(
            left + x + 0.5,
            top + y + 0.5,
            _number(value),
            ha="center",
            va="center",
            fontsize=5.5,
            color="white" if dark else "black",
        )


def _number(value: float) -> str:
    if not np.isfinite(value):
        return "–"
    if abs(value) >= 1000:
        return f"{value:.0e}".replace("e+0", "e")
    if abs(value) < 0.005:
        return "0"
    return f"{value:.2g}" if abs(value) < 100 else f"{value:.0f}"
