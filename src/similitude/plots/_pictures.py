"""One picture of all measures of some results, in a file."""

import io
import math
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..engine import Results
from ..errors import InvalidInput
from ..store import write_atomically
from ._canvas import new_figure
from ._layers import plot_layers
from ._matrix import MAX_NAMES, plot_matrix
from ._names import layers_of_models

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_results", "save_results"]

ACROSS = 3  # panels in one line


def plot_results(
    results: Results, measure: str | None = None, **options: Any
) -> "Axes":
    """Plot one measure: layers against layers for two models, otherwise all pairs.

    Parameters
    ----------
    results
        The result of `similitude.compare` or `Results.load`.
    measure
        Label of the measure, one of `results.measures`. Optional if there is only one.
    options
        Options of `plot_matrix` and `plot_layers`: value, vmin, vmax, cmap, ax.

    Returns
    -------
    matplotlib Axes
    """
    draw = plot_layers if _two_models(results) else plot_matrix
    return draw(results, measure, **options)


def save_results(results: Results, path: str | Path, *, colors: str = "range") -> None:
    """Write a picture with one panel per measure; the suffix is the format.

    The scores of untrained twins are in a second panel on the right, in the same
    colors.

    Parameters
    ----------
    results
        The result of `similitude.compare` or `Results.load`.
    path
        The file, such as ``scores.png`` or ``scores.pdf``.
    colors
        "range": colors span the range of the measure. "data": of the shown scores.
    """
    measures = results.measures
    if not measures:
        raise InvalidInput("there are no rows to plot; compare two representations.")
    if colors not in ("range", "data"):
        raise InvalidInput(f"colors={colors!r}; choose 'range' or 'data'.")
    values = ("score", *({"untrained"} & {*results.baselines}))
    shown = [(measure, value) for measure in measures for value in values]
    across = min(ACROSS, len(shown)) if len(values) == 1 else 2
    down = math.ceil(len(shown) / across)
    count = min(len(results.names), MAX_NAMES)
    side = 2.0 + max(0.17, 0.34 - 0.005 * count) * count
    # Not a figure of pyplot: a command must not open a window.
    figure = new_figure((side + 1.2) * across, side * down)
    panels = figure.subplots(down, across, squeeze=False).ravel()
    for panel, (measure, value) in zip(panels, shown, strict=False):
        low, high = _ends(results, measure) if colors == "data" else (None, None)
        plot_results(results, measure, value=value, vmin=low, vmax=high, ax=panel)
    for panel in panels[len(shown) :]:
        panel.remove()
    save_picture(figure, path)


def save_picture(figure: Any, path: str | Path) -> None:
    """Write a figure to a file at once; a link is replaced, not followed."""
    content = io.BytesIO()
    try:
        figure.savefig(content, format=Path(path).suffix[1:] or None, dpi=150)
    except ValueError as error:
        raise InvalidInput(f"{path}: {error}") from error
    write_atomically(path, lambda file: file.write(content.getvalue()))


def _ends(results: Results, measure: str) -> tuple[float, float]:
    """The extremes of the scores in all panels of a measure."""
    apart = _two_models(results)
    found = [
        value
        for row in results.rows
        if row.label == measure and not (apart and row.a_model == row.b_model)
        for value in (row.score, row.baselines.get("untrained"))
        if value is not None and math.isfinite(value)
    ]
    return (min(found), max(found)) if found else (0.0, 1.0)


def _two_models(results: Results) -> bool:
    """Whether the representations are layers of two models."""
    layers = Counter(model for model, _ in layers_of_models(results).values())
    return len(layers) == 2 and max(layers.values()) > 1
