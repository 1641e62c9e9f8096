"""One picture of all measures of some results, in a file."""

import math
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from ..engine import Results
from ..errors import InvalidInput
from ._canvas import new_figure
from ._layers import plot_layers
from ._matrix import MAX_NAMES, plot_matrix
from ._names import models_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_results", "save_results"]

ACROSS = 3  # panels in one line


def plot_results(
    results: Results, measure: str | None = None, *, ax: "Axes | None" = None
) -> "Axes":
    """Plot one measure: layers against layers for two models, otherwise all pairs.

    Parameters
    ----------
    results
        The result of `similitude.compare` or `Results.load`.
    measure
        Label of the measure, one of `results.measures`. Optional if there is only one.
    ax
        Axes to draw on, as in `plot_matrix`.

    Returns
    -------
    matplotlib Axes
    """
    draw = plot_layers if _two_models(results) else plot_matrix
    return draw(results, measure, ax=ax)


def save_results(results: Results, path: str | Path) -> None:
    """Write a picture with one panel per measure; the suffix is the format.

    Parameters
    ----------
    results
        The result of `similitude.compare` or `Results.load`.
    path
        The file, such as ``scores.png`` or ``scores.pdf``.
    """
    measures = results.measures
    if not measures:
        raise InvalidInput("there are no rows to plot; compare two representations.")
    across = min(ACROSS, len(measures))
    down = math.ceil(len(measures) / across)
    count = min(len(results.names), MAX_NAMES)
    side = 2.0 + max(0.17, 0.34 - 0.005 * count) * count
    # Not a figure of pyplot: a command must not open a window.
    figure = new_figure((side + 1.2) * across, side * down)
    panels = figure.subplots(down, across, squeeze=False).ravel()
    for panel, measure in zip(panels, measures, strict=False):
        plot_results(results, measure, ax=panel)
    for panel in panels[len(measures) :]:
        panel.remove()
    try:
        figure.savefig(path, dpi=150)
    except ValueError as error:
        raise InvalidInput(f"{path}: {error}") from error


def _two_models(results: Results) -> bool:
    """Whether the representations are layers of two models."""
    layers = Counter(model for model, _ in models_of(results).values())
    return len(layers) == 2 and max(layers.values()) > 1
