"""The bias map: one small heat map of scores of noise for each measure."""

import math
from typing import Any

import numpy as np

from ..study import Figure, Frame
from ..study.panels import subplots

ACROSS = 6  # maps per line
GAP = 1.0  # between two maps, in cells


def draw_maps(table: Any, *, similarities: bool) -> Figure:
    """Mean scores of independent noise over rows and columns, with their numbers.

    Similarities share one color scale: 1 is the score of a representation with itself.
    Each distance has its own scale, because their units differ.
    """
    data = Frame(table)
    kinds = [k for k in data.unique("kind") if (k == "similarity") == similarities]
    names = data.where(kind=kinds).unique("measure")
    rows, columns = data.unique("rows"), data.unique("columns")
    across, down = min(ACROSS, len(names)), math.ceil(len(names) / ACROSS)
    wide, high = len(columns) + GAP, len(rows) + 1.5 * GAP
    # One panel holds all maps: matplotlib needs a minute for 50 panels with ticks.
    size = (0.42 * wide * across + 1.0, 0.2 * high * down + 0.8)
    figure, panel = subplots(figsize=size)
    style: dict[str, Any] = {"cmap": "RdBu_r", "vmin": -1.0, "vmax": 1.0}
    if not similarities:
        style = {"cmap": "Oranges", "vmin": 0.0, "vmax": 1.6}
    for at, name in enumerate(names):
        left, top = (at % across) * wide, (at // across) * high
        grid = data.where(measure=name)["mean"].reshape(len(rows), len(columns))
        _draw_map(panel, grid[::-1], (left, top), name, style)  # the most rows first
    for set_ticks, sizes, repeats, step in (
        (panel.set_xticks, columns, across, wide),
        (panel.set_yticks, rows[::-1], down, high),
    ):
        places = [
            i * step + at + 0.5 for i in range(repeats) for at in range(len(sizes))
        ]
        set_ticks(places, [str(size) for size in sizes] * repeats, fontsize=6)
    panel.set(xlim=(-0.3, across * wide - GAP + 0.3), ylim=(down * high, -1.3))
    panel.set(xlabel="columns d", ylabel="rows n")
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)
    if similarities:
        bar = figure.colorbar(panel.collections[0], ax=panel, shrink=0.5, pad=0.01)
        bar.set_label("mean score of independent noise (1: the same)", fontsize=8)
    return figure


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
    place = {"ha": "center", "va": "center", "fontsize": 5.5}
    for (y, x), value in np.ndenumerate(grid):
        ink = "white" if similarities and abs(value) > 0.6 else "black"
        panel.text(left + x + 0.5, top + y + 0.5, _number(value), color=ink, **place)


def _number(value: float) -> str:
    if not np.isfinite(value):
        return "–"
    if abs(value) >= 1000:
        return f"{value:.0e}".replace("e+0", "e")
    if abs(value) < 0.005:
        return "0"
    return f"{value:.2g}" if abs(value) < 100 else f"{value:.0f}"
