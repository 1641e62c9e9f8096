"""Plot of the embeddings and unembeddings of two-dimensional models."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from similitude.errors import InvalidInput
from similitude.inputs import SoftmaxModel
from similitude.plots import Drawn, figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_representations"]

MAX_COLORS = 12  # more labels share colors and do not get a legend


def plot_representations(
    *models: SoftmaxModel,
    colors: Any = None,
    names: Sequence[str] | None = None,
    label_names: Sequence[str] | None = None,
) -> Drawn:
    """Plot the embeddings f(x) and unembeddings g(y) of two-dimensional models.

    There is one row of two panels per model. Colors are shared; axis limits are not,
    since representations of two models are only comparable up to (A f, A^-T g + b).

    Parameters
    ----------
    models
        `SoftmaxModel` with M = 2 and the same labels.
    colors
        One label per input, which sets the color of its embedding in all models. By
        default the prediction of each model.
    names
        Names of the models, for titles.
    label_names
        Names of the labels, for the legend.

    Returns
    -------
    Drawn
        An array of Axes, one row per model: embeddings, unembeddings. The data has the
        columns ``model``, ``side`` ("f" or "g"), ``x``, ``y`` and ``label``.

    Examples
    --------
    >>> from similitude_lab.challenges import workshop_models
    >>> models = workshop_models(0)
    >>> axes, data = plot_representations(models.prime, models.star)
    >>> axes.shape, data["x"].size
    ((2, 2), 8008)
    """
    _check(models, names, label_names)
    names = names or [f"model {i + 1}" for i in range(len(models))]
    panels = figure(8.0, 3.6 * len(models)).subplots(len(models), 2, squeeze=False)
    table: dict[str, list[np.ndarray]] = {
        key: [] for key in ("model", "side", "x", "y", "label")
    }
    for i, model in enumerate(models):
        labels = model.predictions() if colors is None else _per_input(colors, model)
        sides = (("f", model.f, labels), ("g", model.g[model.labels], model.labels))
        for panel, (side, points, classes) in zip(panels[i], sides, strict=True):
            _scatter(panel, points, classes, size=5 if side == "f" else 150)
            kind = "embeddings f" if side == "f" else "unembeddings g"
            panel.set_title(f"{names[i]}: {kind}", fontsize="medium")
            count = len(classes)
            rows = (np.full(count, i), np.full(count, side), *points.T, classes)
            for key, values in zip(table, rows, strict=True):
                table[key].append(values)
        if len(model.labels) <= MAX_COLORS:
            _legend(panels[i, 1], model.labels, label_names)
    return Drawn(panels, {key: np.concatenate(v) for key, v in table.items()})


def _scatter(axes: "Axes", points: np.ndarray, labels: np.ndarray, size: float) -> None:
    axes.scatter(
        points[:, 0],
        points[:, 1],
        s=size,
        c=[_color(label) for label in labels],
        linewidths=0,
    )
    axes.axhline(0.0, color="0.85", linewidth=0.6, zorder=0)
    axes.axvline(0.0, color="0.85", linewidth=0.6, zorder=0)
    # A softmax of inner products depends on angles; an equal aspect preserves them.
    axes.set_aspect("equal", adjustable="datalim")


def _color(label: int) -> Any:
    """The color of one label, the same in every panel."""
    from matplotlib import colormaps

    return colormaps["Paired"](int(label) % MAX_COLORS)


def _legend(axes: "Axes", labels: np.ndarray, names: Sequence[str] | None) -> None:
    for label in labels:
        name = str(label) if names is None else names[label]
        axes.scatter([], [], s=40, color=_color(label), linewidths=0, label=name)
    axes.legend(
        title="label",
        frameon=False,
        fontsize="small",
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
    )


def _per_input(colors: Any, model: SoftmaxModel) -> np.ndarray:
    labels = np.asarray(colors)
    if labels.shape != (model.n,) or labels.dtype.kind not in "iu":
        raise InvalidInput(
            f"colors must be one integer label per input, {model.n} in all; got shape "
            f"{labels.shape} and dtype {labels.dtype}."
        )
    return labels


def _check(
    models: tuple[SoftmaxModel, ...],
    names: Sequence[str] | None,
    label_names: Sequence[str] | None,
) -> None:
    if not models:
        raise InvalidInput("models is empty; give one SoftmaxModel or more.")
    for model in models:
        if not isinstance(model, SoftmaxModel):
            raise InvalidInput(
                f"models must be SoftmaxModels; got {type(model).__name__}."
            )
        if model.dimension != 2:
            raise InvalidInput(
                f"models must have M = 2 dimensions to be plotted; got "
                f"{model.dimension}. Project it first, or compare it by a measure."
            )
    if names is not None and len(names) != len(models):
        raise InvalidInput(
            f"names has {len(names)} entries for {len(models)} models; give one each."
        )
    labels = models[0].g.shape[0]
    if any(model.g.shape[0] != labels for model in models):
        raise InvalidInput(
            "models must have the same labels; their numbers of labels differ."
        )
    if label_names is not None and len(label_names) != labels:
        raise InvalidInput(
            f"label_names has {len(label_names)} entries for {labels} labels; give one "
            f"each."
        )
