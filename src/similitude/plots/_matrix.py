"""Matrix plot of all pairs under one measure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import scipy

from ..engine import Results
from ..errors import InvalidInput
from ._canvas import image_canvas
from ._heatmap import (
    Shown,
    between,
    cell_size,
    draw_heatmap,
    kind_of,
    only_measure,
    symmetric,
)
from ._names import draw_names, layers_of_models

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_matrix"]

MAX_NAMES = 60  # more names would not be readable


def plot_matrix(
    results: Results,
    measure: str | None = None,
    *,
    value: str = "score",
    order: Literal["given", "cluster"] | Sequence[str] = "given",
    vmin: float | None = None,
    vmax: float | None = None,
    cmap: Any = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Plot the scores of all pairs.

    Darker is more similar, for similarities and distances. Hatched pairs are undefined
    or were not compared. A cross marks pairs that do not differ from random pairing of
    rows after Benjamini-Hochberg (q >= 0.05). Without a permutation test there are no
    crosses. If the representations are layers of several models, brackets show the
    models.

    Parameters
    ----------
    results
        The result of `similitude.compare` or `Results.load`.
    measure
        Label of the measure, one of `results.measures`. Optional if there is only one.
    value
        "score", "calibrated", "p", "q", "low", "high" or the name of a baseline, as for
        `Results.matrix`.
    order
        "given": as passed to `compare`. "cluster": similar representations next to
        each other, by average linkage. Or a list of names; others are left out.
    vmin, vmax
        Ends of the color scale; by default the range of the measure, which starts at 0
        unless a value is below 0. Infinite ends are replaced by the largest value.
    cmap
        Colormap of matplotlib; by default one for color-blind readers.
    ax
        Axes to draw on; by default the current axes of pyplot if they are empty,
        otherwise a new figure, sized for the names.

    Returns
    -------
    matplotlib Axes
    """
    measure = only_measure(results, measure)
    table = between(results, measure, value)
    q = between(results, measure, "q")
    places = _places(results, measure, order)
    names = [results.names[place] for place in places]
    table, q = (matrix[np.ix_(places, places)] for matrix in (table, q))
    side = 2.0 + max(0.17, 0.34 - 0.005 * len(names)) * min(len(names), MAX_NAMES)
    ax = image_canvas(ax, (side + 1.2, side))
    draw_heatmap(
        ax, results, Shown(measure, value, table, q), limits=(vmin, vmax), cmap=cmap
    )
    if len(names) > MAX_NAMES:
        ax.set(xticks=[], yticks=[])
        ax.set(xlabel=f"{len(names)} representations", ylabel="in the same order")
        return ax
    models = layers_of_models(results)
    size = cell_size(ax, table.shape)
    for axis in ("x", "y"):
        draw_names(ax, axis, names, models, cell=size)
    return ax


def _places(results: Results, measure: str, order: Any) -> list[int]:
    """Places of the shown representations in `results.names`."""
    names = results.names
    if isinstance(order, str):
        if order not in ("given", "cluster"):
            raise InvalidInput(
                f"order={order!r}; choose 'given', 'cluster' or a list of names."
            )
        return (
            _clustered(results, measure) if order == "cluster" else [*range(len(names))]
        )
    unknown = [name for name in order if name not in names]
    if unknown or len(set(order)) != len(order) or not order:
        what = (
            f"{unknown[0]!r} is not compared" if unknown else "names must be distinct"
        )
        raise InvalidInput(f"order: {what}; choose from {', '.join(names)}.")
    return [names.index(name) for name in order]


def _clustered(results: Results, measure: str) -> list[int]:
    """The leaves of the tree of average linkage, in the best order."""
    table = between(results, measure)
    distance = -table if kind_of(results, measure) == "similarity" else table
    distance = symmetric(distance)
    if len(table) < 3 or np.isnan(distance).all():
        return [*range(len(table))]
    known = distance[np.isfinite(distance)]
    # A pair without a score counts as the least similar.
    distance = np.where(np.isfinite(distance), distance, known.max()) - known.min()
    np.fill_diagonal(distance, 0.0)
    pairs = distance[np.triu_indices(len(table), 1)]
    hierarchy = scipy.cluster.hierarchy
    tree = hierarchy.linkage(pairs, "average", optimal_ordering=True)
    return hierarchy.leaves_list(tree).tolist()
