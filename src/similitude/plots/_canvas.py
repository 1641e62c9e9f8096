"""Figures, axes and the data behind plots."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import InvalidInput, require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, ACCENT = "#002347", "#FF5003"
#: Colors for color-blind readers (Okabe and Ito).
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
#: Markers for prints without color.
MARKERS = ("o", "^", "s", "D", "v", "P", "X")


class Drawn(NamedTuple):
    """A figure of several panels and its data: ``axes, data = drawn``.

    `data` has one array per column, all of the same length. It is sufficient to draw
    the plot again.
    """

    axes: np.ndarray  # of Axes
    data: Mapping[str, np.ndarray]


def pyplot() -> Any:
    return require("matplotlib.pyplot", feature="similitude.plots", extra="plot")


def figure(width: float = 5.0, height: float = 3.6) -> "Figure":
    """A new figure of pyplot, which notebooks show below their cell."""
    return pyplot().figure(figsize=(width, height), layout="constrained")


def new_figure(width: float, height: float) -> "Figure":
    """A figure that pyplot does not know about: it opens no window, and needs no close.

    Parameters
    ----------
    width, height
        Size in inches.

    Returns
    -------
    matplotlib Figure
        ``figure.savefig(path)`` writes it to a file.
    """
    module = require("matplotlib.figure", feature="similitude.plots", extra="plot")
    return module.Figure(figsize=(width, height), layout="constrained")


def canvas(ax: "Axes | None", size: tuple[float, float] = (5.0, 3.6)) -> "Axes":
    """The given axes; else the current axes of pyplot; else those of a new figure."""
    if ax is not None:
        return ax
    if not pyplot().get_fignums():
        return figure(*size).subplots()
    current = pyplot().gcf()
    if not current.axes and current.get_layout_engine() is None:
        current.set_layout_engine("constrained")  # makes room for names
    return pyplot().gca()


def image_canvas(ax: "Axes | None", size: tuple[float, float]) -> "Axes":
    """As `canvas`, but a new figure if the current axes have data already."""
    if ax is None and pyplot().get_fignums():
        current = pyplot().gcf()
        if current.axes and current.gca().has_data():
            return figure(*size).subplots()
    return canvas(ax, size)


def by_column(names: Sequence[str], rows: Sequence[Any]) -> dict[str, np.ndarray]:
    """Turn a list of rows into one array per named column."""
    parts = zip(*rows, strict=True)
    return {name: np.array(part) for name, part in zip(names, parts, strict=True)}


def column(name: str, values: Any) -> np.ndarray:
    """Check and convert finite numbers, one per point."""
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        raise InvalidInput(
            f"{name} must be a 1-d array of finite numbers, one per point; got shape "
            f"{values.shape}."
        )
    return values
