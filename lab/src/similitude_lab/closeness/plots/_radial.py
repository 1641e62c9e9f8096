"""Plot of the radial classification data."""

from typing import TYPE_CHECKING, Any

import numpy as np

from similitude.errors import InvalidInput
from similitude.plots import canvas

from ._style import draw_classes, list_classes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_radial_data"]


def plot_radial_data(points: Any, labels: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Plot two-dimensional inputs with the colors of their classes.

    Parameters
    ----------
    points
        n x 2 inputs, as of `similitude_lab.closeness.data.radial_classification`.
    labels
        One class per input, numbered from 0.
    ax
        Axes to draw on; by default the current axes of pyplot.

    Returns
    -------
    matplotlib Axes
    """
    points, labels = np.asarray(points), np.asarray(labels)
    if points.ndim != 2 or points.shape[1] != 2 or labels.shape != (len(points),):
        raise InvalidInput(
            f"points must be n x 2 and labels one integer per point; got shapes "
            f"{points.shape} and {labels.shape}."
        )
    ax = canvas(ax)
    draw_classes(ax, points, labels, None, size=4)
    ax.set_aspect("equal")
    ax.set_xlabel("$x_1$ (no unit)")
    ax.set_ylabel("$x_2$ (no unit)")
    list_classes(ax, "class")
    return ax
