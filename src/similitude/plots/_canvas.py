"""Where pictures are drawn: on the axes of the caller, or on a figure of their own."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import InvalidInput, require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, ACCENT = "#002347", "#FF5003"


class Drawn(NamedTuple):
    """A picture and the table behind it: ``axes, data = plot_h()``.

    `data` has one array a column, all of one length: all that is needed to draw the
    picture again.
    """

    axes: Any  # Axes, or an array of them
    data: Mapping[str, np.ndarray]


def figure(width: float = 5.0, height: float = 3.6) -> "Figure":
    """A figure of nobody's: pyplot does not know of it, so nothing has to be closed."""
    module = require("matplotlib.figure", feature="similitude.plots", extra="plot")
    return module.Figure(figsize=(width, height), layout="constrained")


def canvas(axes: "Axes | None") -> "Axes":
    """The axes of the caller, or those of a new figure."""
    return figure().subplots() if axes is None else axes


def by_column(names: Sequence[str], rows: Sequence[tuple]) -> dict[str, np.ndarray]:
    """A table that was collected row by row, by the names of its columns."""
    parts = zip(*rows, strict=True)
    return {name: np.array(part) for name, part in zip(names, parts, strict=True)}


def column(name: str, values: Any) -> np.ndarray:
    """Finite numbers, one a point."""
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        raise InvalidInput(
            f"{name} must be one finite number for each point; got shape "
            f"{values.shape}."
        )
    return values
