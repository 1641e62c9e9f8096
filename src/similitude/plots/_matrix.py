"""Matrix plot of all pairs under one measure."""

from typing import TYPE_CHECKING, Any

import numpy as np

from .._printable import figure_text
from ..engine import Results
from ..errors import InvalidInput
from ._canvas import INK, Drawn, figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_matrix"]

MAX_NAMES = 60  # more names would not be readable
MAX_NUMBERS = 16  # for larger matrices, numbers would not be readable
FDR_LEVEL = 0.05  # pairs with q below this differ from chance


def plot_matrix(
    results: Results,
    measure: str | None = None,
    *,
    value: str = "score",
    axes: "Axes | None" = None,
) -> Drawn:
    """Plot the scores of all pairs, in the order in which representations were given.

    Darker is more similar, for similarities and distances. Hatched pairs are undefined
    or were not compared. A cross marks pairs that do not differ from random pairing of
    rows after Benjamini-Hochberg (q >= 0.05). Without a permutation test there are no
    crosses.

    Parameters
    ----------
    results
        The result of `similitude.compare` or `Results.load`.
    measure
        Label of the measure, one of `results.measures`. Optional if there is only one.
    value
        "score", "calibrated", "p", "q", "low", "high" or the name of a baseline, as
        for `Results.matrix`.
    axes
        Axes to draw on; by default a new figure, sized for the names.

    Returns
    -------
    Drawn
        The Axes, and the columns ``a``, ``b``, ``value`` and ``q``. Missing values are
        NaN.
    """
    if measure is None:
        if len(results.measures) != 1:
            raise InvalidInput(
                f"measure=None, but there are {len(results.measures)} measures; choose "
                f"one of {', '.join(results.measures)}."
            )
        measure = results.measures[0]
    table = results.matrix(measure, value)
    q = results.matrix(measure, "q")
    if axes is None:
        side = 2.2 + min(0.32 * len(table), 12.0)
        axes = figure(side + 1.0, side).subplots()
    kind = next(row.kind for row in results.rows if row.label == measure)
    # A calibrated score is a similarity, also for distances.
    larger_is_closer = value == "calibrated" or (
        kind == "similarity" and value not in ("p", "q")
    )
    image = axes.imshow(
        np.ma.masked_invalid(table),
        cmap="cividis_r" if larger_is_closer else "cividis",
    )
    axes.patch.set(hatch="////", edgecolor="#999999", facecolor="white")
    _draw_names(axes, results.names)
    _draw_marks(axes, table, q, image)
    label = figure_text(measure if value == "score" else f"{value} of {measure}")
    axes.figure.colorbar(image, ax=axes, shrink=0.8, label=f"{label} ({kind})")
    i, j = np.indices(table.shape)
    names = np.array(results.names)
    columns = {"a": names[i], "b": names[j], "value": table, "q": q}
    return Drawn(axes, {name: part.ravel() for name, part in columns.items()})


def _draw_names(axes: Any, names: tuple[str, ...]) -> None:
    shown = [figure_text(name) for name in names] if len(names) <= MAX_NAMES else []
    places = range(len(shown))
    axes.set_xticks(places, shown, rotation=90, fontsize=7)
    axes.set_yticks(places, shown, fontsize=7)
    if not shown:
        axes.set(xlabel=f"{len(names)} representations", ylabel="in the same order")


def _draw_marks(axes: Any, table: np.ndarray, q: np.ndarray, image: Any) -> None:
    """Draw crosses on pairs at chance, and numbers on the others of small matrices."""
    y, x = np.nonzero(q >= FDR_LEVEL)
    axes.scatter(x, y, marker="x", s=14, color="white", linewidths=1.8)
    axes.scatter(x, y, marker="x", s=12, color=INK, linewidths=0.8)
    if len(table) > MAX_NUMBERS:
        return
    for (i, j), number in np.ndenumerate(table):
        if np.isfinite(number) and not q[i, j] >= FDR_LEVEL:
            red, green, blue, _ = image.cmap(image.norm(number))
            light = 0.3 * red + 0.59 * green + 0.11 * blue > 0.5
            ink = "black" if light else "white"
            axes.text(
                j, i, f"{number:.2g}", ha="center", va="center", fontsize=6, color=ink
            )
