"""Names of representations along an axis, with brackets around models."""

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._base._printable import figure_text
from ..engine import Results
from ..engine.text import models_and_layers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Models = dict[str, tuple[str, str]]


def layers_of_models(results: Results) -> Models:
    """The model and the layer of each representation, if all have both."""
    found = models_and_layers(results.rows)
    known = {
        name: (model, layer)
        for name, (model, layer) in found.items()
        if model is not None and layer is not None
    }
    return known if len(known) == len(found) else {}


def draw_names(
    ax: "Axes", axis: str, names: Sequence[str], models: Models, *, cell: float
) -> None:
    """Draw one name per cell of `cell` points, or every second name if they are small.

    If names are layers of several models, in runs, the ticks show the layers, and
    brackets show the models.
    """
    runs = _runs(names, models)
    labels = [figure_text(models[name][1] if runs else name) for name in names]
    size = min(8.0, max(3.5, 0.8 * cell))
    step = max(1, math.ceil(1.15 * size / cell))
    places = range(0, len(names), step)
    shown = [labels[place] for place in places]
    if axis == "x":
        ax.set_xticks(places, shown, rotation=90, fontsize=size)
    else:
        ax.set_yticks(places, shown, fontsize=size)
    (ax.xaxis if axis == "x" else ax.yaxis).set_tick_params(length=2.0, pad=2.0)
    if not runs:
        return
    pad = 8.0 + max(text_width(label, size) for label in shown)
    size = min(8.0, size + 1.0)
    along = all(
        text_width(figure_text(model), size) < (stop - start + 1) * cell
        for model, start, stop in runs
    )
    style = {"fontsize": size, "rotation": 0 if along == (axis == "x") else 90}
    for run in runs:
        _bracket(ax, axis, run, pad)
        _model_name(ax, axis, run, pad=pad, style=style)
        if run[1]:
            line = ax.axvline if axis == "x" else ax.axhline
            line(run[1] - 0.5, color="white", linewidth=1.2)


def text_width(text: str, size: float) -> float:
    """The width of a text in points."""
    from matplotlib.textpath import TextPath

    return float(TextPath((0, 0), text, size=size, usetex=False).get_extents().width)


def _runs(names: Sequence[str], models: Models) -> list[tuple[str, int, int]]:
    """Model, first place and last place; empty unless each model is one run."""
    if not models:
        return []
    keys = [models[name][0] for name in names]
    runs, place = [], 0
    for model, group in itertools.groupby(keys):
        count = len(list(group))
        runs.append((model, place, place + count - 1))
        place += count
    one_run_each = len(runs) == len(set(keys))
    return runs if one_run_each and 1 < len(runs) < len(names) else []


def _moved(ax: "Axes", axis: str, points: float) -> Any:
    """Coordinates: data along the axis, and `points` outside of the axes."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    inch = -points / 72
    if axis == "x":
        base = blended_transform_factory(ax.transData, ax.transAxes)
        return base + ScaledTranslation(0, inch, ax.figure.dpi_scale_trans)
    base = blended_transform_factory(ax.transAxes, ax.transData)
    return base + ScaledTranslation(inch, 0, ax.figure.dpi_scale_trans)


def _bracket(ax: "Axes", axis: str, run: tuple[str, int, int], pad: float) -> None:
    from matplotlib.lines import Line2D

    _, start, stop = run
    along, across = [start - 0.35, stop + 0.35], [0.0, 0.0]
    x, y = (along, across) if axis == "x" else (across, along)
    line = Line2D(x, y, color="0.3", linewidth=1.0, markersize=3.0)
    # The ends are small ticks that point to the cells: TICKUP, TICKRIGHT.
    line.set_marker(2 if axis == "x" else 1)
    line.set(transform=_moved(ax, axis, pad), clip_on=False)
    ax.add_artist(line)


def _model_name(
    ax: "Axes", axis: str, run: tuple[str, int, int], *, pad: float, style: Any
) -> None:
    model, start, stop = run
    middle, moved = (start + stop) / 2, _moved(ax, axis, pad + 4.0)
    x, y = (middle, 0.0) if axis == "x" else (0.0, middle)
    ha, va = ("center", "top") if axis == "x" else ("right", "center")
    ax.text(x, y, figure_text(model), ha=ha, va=va, transform=moved, **style)
