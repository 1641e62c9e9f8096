"""Plots of points in two dimensions: embeddings of a model, and the radial data."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from similitude.errors import InvalidInput
from similitude.inputs import SoftmaxModel
from similitude.plots import canvas
from similitude.plugins import check_one_of

from ...study import Axes
from ._style import draw_classes, list_classes

__all__ = ["plot_embeddings", "plot_radial_data"]

MOST = 12  # more labels do not get a legend


def plot_embeddings(
    model: SoftmaxModel,
    *,
    side: Literal["f", "g"] = "f",
    colors: Any = None,
    names: Sequence[str] | None = None,
    title: str | None = None,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Plot the embeddings f(x) or the unembeddings g(y) of a two-dimensional model.

    Parameters
    ----------
    model
        `SoftmaxModel` with M = 2.
    side
        ``"f"``: embeddings. ``"g"``: unembeddings.
    colors
        One label per input, for the color of its embedding. By default the prediction.
    names
        Names of the labels, for the legend.
    title
        Title of the axes.
    legend
        Whether to list the labels next to the axes.
    ax
        Axes to draw on; by default the current axes of pyplot.

    Returns
    -------
    matplotlib Axes
    """
    check_one_of("side", side, ("f", "g"))
    check_planar(model, "names", names)
    points = model.f if side == "f" else model.g[model.labels]
    if side == "g":
        labels = model.labels
    else:
        labels = model.predictions() if colors is None else np.asarray(colors)
    if labels.shape != (len(points),) or labels.dtype.kind not in "iu":
        raise InvalidInput(
            f"colors must be one integer label per input, {len(points)} in all; got "
            f"shape {labels.shape} and dtype {labels.dtype}."
        )
    ax = canvas(ax)
    draw_classes(ax, points, labels, names, size=4 if side == "f" else 110)
    # A softmax of inner products depends on angles; an equal aspect preserves them.
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel(f"${side}_1$ (no unit)")
    ax.set_ylabel(f"${side}_2$ (no unit)")
    if title is not None:
        ax.set_title(title, fontsize="medium")
    if legend:
        list_classes(ax, "predicted" if side == "f" and colors is None else "label")
    return ax


def plot_sides(
    panels: Sequence[Axes],
    model: SoftmaxModel,
    title: str,
    *,
    colors: Any = None,
    names: Sequence[str] | None = None,
) -> None:
    """Plot embeddings on one panel and unembeddings, with the legend, on another."""
    f, g = panels
    shared: dict[str, Any] = {"colors": colors, "names": names}
    plot_embeddings(model, **shared, title=f"{title}: embeddings f", legend=False, ax=f)
    shared |= {"side": "g", "legend": len(model.labels) <= MOST}
    plot_embeddings(model, **shared, title=f"{title}: unembeddings g", ax=g)


def check_planar(
    model: SoftmaxModel, argument: str, names: Sequence[str] | None
) -> None:
    """Raise an error if a model is not in the plane, or its labels lack names."""
    if model.dimension != 2:
        raise InvalidInput(
            f"the model has M = {model.dimension} dimensions; this plot needs M = 2. "
            f"Project it first, or compare it by a measure."
        )
    labels = model.g.shape[0]
    if names is not None and len(names) != labels:
        raise InvalidInput(
            f"{argument} has {len(names)} entries for {labels} labels; give one each."
        )


def plot_radial_data(points: Any, labels: Any, *, ax: Axes | None = None) -> Axes:
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
