"""Plot of the embeddings and unembeddings of two-dimensional models."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from similitude.errors import InvalidInput
from similitude.inputs import SoftmaxModel
from similitude.plots import Drawn, figure

from ._embeddings import check_planar, plot_sides

__all__ = ["plot_representations"]

COLUMNS = ("model", "side", "x", "y", "label")


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
    rows = []
    for i, model in enumerate(models):
        labels = model.predictions() if colors is None else np.asarray(colors)
        plot_sides(panels[i], model, names[i], colors=labels, names=label_names)
        for side, points, classes in (
            ("f", model.f, labels),
            ("g", model.g[model.labels], model.labels),
        ):
            count = len(classes)
            rows.append((np.full(count, i), np.full(count, side), *points.T, classes))
    columns = map(np.concatenate, zip(*rows, strict=True))
    return Drawn(panels, dict(zip(COLUMNS, columns, strict=True)))


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
        check_planar(model, "label_names", label_names)
    if names is not None and len(names) != len(models):
        raise InvalidInput(
            f"names has {len(names)} entries for {len(models)} models; give one each."
        )
    if len({model.g.shape[0] for model in models}) > 1:
        raise InvalidInput(
            "models must have the same labels; their numbers of labels differ."
        )
