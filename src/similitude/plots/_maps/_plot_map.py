"""A map of representations: near points are similar."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._base._printable import figure_text
from ...engine import Results
from ...engine.text import claimed_range
from ...errors import InvalidInput
from .._canvas import COLORS, MARKERS, canvas
from .._heatmap import between, kind_of, only_measure, symmetric
from .._names import layers_of_models
from ._mds import metric_mds
from ._names_on_map import draw_point_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["map_distances", "plot_map"]

MAX_NAMES = 36  # of more layers, only the first and the last of each model are named


def plot_map(
    results: Results, measure: str | None = None, *, ax: "Axes | None" = None
) -> "Axes":
    r"""Plot representations as points in the plane; similar ones are near each other.

    The points are found by metric multidimensional scaling. The title states the
    stress. With a stress below about 0.1 the map is faithful; above 0.2 it is not:

    .. math:: \Big( \sum_{i<j} (\delta_{ij} - d_{ij})^2 \Big/ \sum_{i<j}
              \delta_{ij}^2 \Big)^{1/2}

    where :math:`\delta` are the distances of the representations and d those on the
    map. Layers of one model have one color and are connected in their order. Of more
    than 36 layers, only the first and the last of each model are named.

    Parameters
    ----------
    results
        The result of `similitude.compare` or `Results.load`.
    measure
        Label of the measure, one of `results.measures`. Optional if there is only one.
        The distances are the scores of a distance, or the largest possible score
        minus the score of a similarity. Undefined pairs are left out.
    ax
        Axes to draw on; by default the current axes of pyplot.

    Returns
    -------
    matplotlib Axes
    """
    measure = only_measure(results, measure)
    table, what = map_distances(results, measure)
    if len(table) < 3:
        raise InvalidInput(
            f"a map needs three or more representations; got {len(table)}."
        )
    points, stress = metric_mds(table)
    ax = canvas(ax, (6.0, 5.0))
    layers = layers_of_models(results)
    groups: dict[str, list[int]] = {}
    for place, name in enumerate(results.names):
        groups.setdefault(layers[name][0] if layers else "", []).append(place)
    for i, (model, places) in enumerate(groups.items()):
        style: dict[str, Any] = {
            "color": COLORS[i % len(COLORS)],
            "marker": MARKERS[(i + i // len(COLORS)) % len(MARKERS)],
        }
        lines = "-" if layers else "none"
        label = figure_text(model) if layers else "_"
        ax.plot(*points[places].T, ls=lines, lw=0.8, ms=5, label=label, **style)
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.12)
    ax.set(xticks=[], yticks=[])
    missing = int(np.isnan(table).sum() - len(table)) // 2
    left_out = f"; undefined pairs left out: {missing}" if missing else ""
    ax.set_title(
        f"{figure_text(what, 60)}: stress {stress:.2f}{left_out}", fontsize="medium"
    )
    names = [layers[name][1] if layers else name for name in results.names]
    if layers and len(names) > MAX_NAMES:
        ends = {
            place for places in groups.values() for place in (places[0], places[-1])
        }
        names = [name if place in ends else "" for place, name in enumerate(names)]
    if len(groups) > 1:
        ax.legend(
            frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0)
        )
    paths = [points[places] for places in groups.values()] if layers else []
    draw_point_names(ax, points, [figure_text(name, 20) for name in names], paths)
    return ax


def map_distances(results: Results, measure: str) -> tuple[np.ndarray, str]:
    """Symmetric distances with NaN on the diagonal, and their name."""
    table = symmetric(between(results, measure))
    alone = np.flatnonzero(np.isnan(table).all(axis=0))
    if alone.size:
        raise InvalidInput(
            f"{results.names[alone[0]]} has no {measure} score with any other "
            f"representation, so it has no place on a map; compare without it."
        )
    if kind_of(results, measure) != "similarity":
        return table, measure
    high = claimed_range(results.rows, measure)[1]
    if not math.isfinite(high):
        raise InvalidInput(
            f"{measure} is a similarity without a largest value, so it does not give "
            f"distances; choose another measure."
        )
    return np.maximum(high - table, 0.0), f"{high:g} - {measure}"
