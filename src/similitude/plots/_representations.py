"""Embeddings and unembeddings of models in the plane."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidInput
from ..inputs import SoftmaxModel
from ._canvas import Drawn, figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_representations"]

MANY = 12  # labels: more have no colors of their own, and no legend


def plot_representations(
    *models: SoftmaxModel,
    colors: Any = None,
    names: Sequence[str] | None = None,
    label_names: Sequence[str] | None = None,
) -> Drawn:
    """Embeddings f(x) and unembeddings g(y) of two-dimensional models.

    One row of two panels for each model. The panels of one side share nothing but
    their colors: representations of two models are comparable up to (A f, A^-T g + b)
    only.

    Parameters
    ----------
    models
        `SoftmaxModel` with M = 2, of the same labels.
    colors
        A label for each input to color its embedding by, the same for all models; by
        default the prediction of each model.
    names
        Of the models, for titles.
    label_names
        Of the labels, for the legend.

    Returns
    -------
    Drawn
        An array of Axes, one row a model: embeddings, unembeddings. The data has the
        columns ``model``, ``side`` ("f" or "g"), ``x``, ``y`` and ``label``.

    Examples
    --------
    >>> from similitude.identifiability.constructions import workshop_models
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
        for panel, (side, points, of) in zip(panels[i], sides, strict=True):
            _scatter(panel, points, of, size=5 if side == "f" else 150)
            kind = "embeddings f" if side == "f" else "unembeddings g"
            panel.set_title(f"{names[i]}: {kind}", fontsize="medium")
            rows = (np.full(len(of), i), np.full(len(of), side), *points.T, of)
            for key, values in zip(table, rows, strict=True):
                table[key].append(values)
        if len(model.labels) <= MANY:
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
    # Angles are what a softmax of inner products sees: they have to look right.
    axes.set_aspect("equal", adjustable="datalim")


def _color(label: int) -> Any:
    """Of one label, the same in every panel."""
    from matplotlib import colormaps

    return colormaps["Paired"](int(label) % MANY)


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
            f"colors must be a label for each of {model.n} inputs, integers; got "
            f"shape {labels.shape} and dtype {labels.dtype}."
        )
    return labels


def _check(
    models: tuple[SoftmaxModel, ...],
    names: Sequence[str] | None,
    label_names: Sequence[str] | None,
) -> None:
    if not models:
        raise InvalidInput("plot_representations needs one SoftmaxModel or more.")
    for model in models:
        if not isinstance(model, SoftmaxModel):
            raise InvalidInput(
                f"models must be SoftmaxModels; got {type(model).__name__}."
            )
        if model.dimension != 2:
            raise InvalidInput(
                f"a plane shows M = 2 dimensions; this model has {model.dimension}. "
                f"Project it first, or compare it with a number."
            )
    if names is not None and len(names) != len(models):
        raise InvalidInput(f"there are {len(models)} models and {len(names)} names.")
    labels = models[0].g.shape[0]
    if any(model.g.shape[0] != labels for model in models):
        raise InvalidInput(
            "models must be of the same labels; their numbers of labels differ."
        )
    if label_names is not None and len(label_names) != labels:
        raise InvalidInput(
            f"there are {labels} labels and {len(label_names)} label_names."
        )
