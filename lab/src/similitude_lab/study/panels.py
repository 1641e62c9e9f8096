"""Panels that recur in the figures of studies."""

from typing import Any

import numpy as np

from similitude.plots import new_figure

from ._study import Figure


def subplots(
    rows: int = 1, columns: int = 1, *, figsize: tuple[float, float], **options: Any
) -> tuple[Figure, Any]:
    """A figure of this size in inches, and its panels, as matplotlib's `subplots`.

    `options` are those of `Figure.subplots`.
    """
    figure = new_figure(*figsize)
    return figure, figure.subplots(rows, columns, **options)


def heat_map(
    panel: Any,
    values: np.ndarray,
    rows: Any = None,
    columns: Any = None,
    *,
    text: str = ".2f",
    white_above: float = np.inf,
    white_below: float = -np.inf,
    size: float | None = None,
    **look: Any,
) -> Any:
    """A table as colors with its numbers, which are white on dark cells.

    By default rows and columns are numbered from 1. NaN is a dash. Returns the
    image.
    """
    image = panel.imshow(values, **look)
    for (i, j), value in np.ndenumerate(values):
        ink = "white" if value > white_above or value < white_below else "black"
        place = {"ha": "center", "va": "center", "fontsize": size, "color": ink}
        panel.text(j, i, "–" if np.isnan(value) else f"{value:{text}}", **place)
    for set_ticks, length, names in (
        (panel.set_yticks, values.shape[0], rows),
        (panel.set_xticks, values.shape[1], columns),
    ):
        ticks = np.arange(length)
        set_ticks(ticks, ticks + 1 if names is None else names)
    return image


def curve_with_band(
    panel: Any, x: Any, seeds: np.ndarray, *, alpha: float = 0.2, **look: Any
) -> None:
    """The mean over seeds, and a band from the lowest to the highest seed."""
    panel.plot(x, seeds.mean(axis=0), **look)
    low, high = seeds.min(axis=0), seeds.max(axis=0)
    panel.fill_between(x, low, high, color=look["color"], alpha=alpha, lw=0)


def intervals(
    panel: Any,
    at: Any,
    mean: Any,
    low: Any,
    high: Any,
    *,
    along: Any = "y",
    **look: Any,
) -> None:
    """Means with their intervals, along one axis; an interval of NaN is not drawn."""
    mean, low, high = (np.atleast_1d(value) for value in (mean, low, high))
    error = np.nan_to_num(np.stack([mean - low, high - mean]))
    at = np.atleast_1d(at)
    places = (at, mean) if along == "y" else (mean, at)
    panel.errorbar(*places, **{f"{along}err": error}, **look)


def barcode(panel: Any, births: np.ndarray, deaths: np.ndarray, **look: Any) -> None:
    """Bars of one barcode, the longest on top."""
    order = np.argsort(deaths - births, kind="stable")
    panel.hlines(np.arange(len(order)), births[order], deaths[order], **look)
    panel.set(yticks=[])


def outside_legend(figure: Figure, panel: Any) -> None:
    """One legend above all panels, with the entries of one of them."""
    entries = panel.get_legend_handles_labels()
    figure.legend(*entries, loc="outside upper center", ncols=4, frameon=False)
