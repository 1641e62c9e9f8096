"""Figures, axes and the data behind plots."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import InvalidInput, require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, ACCENT = "#002347", "#FF5003"


class Drawn(NamedTuple):
    """A plot and its data: ``axes, data = plot_h()``.

    `data` has one array per column, all of the same length. It is sufficient to draw
    the plot again.
    """

    axes: Any  # Axes, or an array of them
    data: Mapping[str, np.ndarray]


def figure(width: float = 5.0, height: float = 3.6) -> "Figure":
    """A figure that pyplot does not know about, so it does not have to be closed."""
    module = require("matplotlib.figure", feature="similitude.plots", extra="plot")
    return module.Figure(figsize=(width, height), layout="constrained")


def canvas(axes: "Axes | None") -> "Axes":
    """The given axes, or the axes of a new figure if None."""
    return figure().subplots() if axes is None else axes


def by_column(names: Sequence[str], rows: Sequence[tuple]) -> dict[str, np.ndarray]:
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
