"""Plot of the layers of one model against the layers of another."""

from typing import TYPE_CHECKING, Any

import numpy as np

from .._base._printable import figure_text
from ..engine import Results
from ..errors import InvalidInput, check_known
from ._canvas import image_canvas
from ._heatmap import Shown, cell_size, draw_heatmap, only_measure
from ._names import draw_names, layers_of_models

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_layers"]


def plot_layers(
    results: Results,
    measure: str | None = None,
    *,
    models: tuple[str, str] | None = None,
    value: str = "score",
    vmin: float | None = None,
    vmax: float | None = None,
    cmap: Any = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Plot the scores of all layers of one model against all layers of another.

    The first layers are at the top left, as in the text table. Colors and crosses are
    as in `plot_matrix`.

    Parameters
    ----------
    results
        The result of `similitude.compare` of ``{model: {layer: rows}}``, or
        `Results.load`.
    measure
        Label of the measure, one of `results.measures`. Optional if there is only one.
    models
        The model on the vertical axis and the model on the horizontal axis. They may
        be the same model. Optional if there are only two models.
    value
        "score", "calibrated", "p", "q", "low", "high" or the name of a baseline, as for
        `Results.matrix`.
    vmin, vmax, cmap
        Ends of the color scale and colormap, as in `plot_matrix`.
    ax
        Axes to draw on; by default the current axes of pyplot if they are empty,
        otherwise a new figure, sized for the names.

    Returns
    -------
    matplotlib Axes
    """
    measure = only_measure(results, measure)
    layers = layers_of_models(results)
    down, across = _chosen(models, list(dict.fromkeys(m for m, _ in layers.values())))
    rows, columns = (
        [i for i, name in enumerate(results.names) if layers[name][0] == model]
        for model in (down, across)
    )
    table, q = (
        results.matrix(measure, what)[np.ix_(rows, columns)] for what in (value, "q")
    )
    cell = max(0.18, 0.42 - 0.01 * max(table.shape))
    size = 2.5 + cell * len(columns), 1.4 + cell * len(rows)
    ax = image_canvas(ax, size)
    draw_heatmap(
        ax, results, Shown(measure, value, table, q), limits=(vmin, vmax), cmap=cmap
    )
    points = cell_size(ax, table.shape)
    for axis, places in (("x", columns), ("y", rows)):
        names = [layers[results.names[place]][1] for place in places]
        draw_names(ax, axis, names, {}, cell=points)
    ax.set_xlabel(figure_text(across, 40), fontsize="small")
    ax.set_ylabel(figure_text(down, 40), fontsize="small")
    return ax


def _chosen(models: tuple[str, str] | None, known: list[str]) -> tuple[str, str]:
    if not known:
        raise InvalidInput(
            "the representations are not layers of models; compare "
            "{model: {layer: rows}}, or use plot_matrix."
        )
    if models is None and len(known) <= 2:
        return known[0], known[-1]
    if models is None or len(models) != 2 or isinstance(models, str):
        raise InvalidInput(
            f"models={models!r}; give two of the models: {', '.join(known)}."
        )
    for model in models:
        check_known(model, known, f"models: {model!r} is not compared")
    return models
