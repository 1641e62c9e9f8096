"""All pairs under one measure, as a matrix."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine import Results
from ..errors import InvalidInput
from ._canvas import INK, Drawn, figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_matrix"]

NAMED = 60  # beyond this many, names could not be read
WRITTEN = 16  # and beyond this many, neither could numbers
TESTED = 0.05  # the false discovery rate below which a pair differs from chance


def plot_matrix(
    results: Results,
    measure: str | None = None,
    *,
    value: str = "score",
    axes: "Axes | None" = None,
) -> Drawn:
    """Scores of all pairs, in the order in which representations were given.

    Darker is more alike, for similarities and distances. Hatched: undefined, or not
    compared. A cross marks pairs that do not differ from random pairing of rows after
    Benjamini-Hochberg (q >= 0.05); without permutations there is none.

    Parameters
    ----------
    results
        What `similitude.compare` returned, or `Results.load` read.
    measure
        Its label, one of `results.measures`; may be left out if there is only one.
    value
        "score", "calibrated", "p", "q", "low" or "high", as of `Results.matrix`.
    axes
        Where to draw; by default on a figure of its own, as large as names need.

    Returns
    -------
    Drawn
        Axes, and the columns ``a``, ``b``, ``value`` and ``q``, NaN where none is.
    """
    if measure is None:
        if len(results.measures) != 1:
            raise InvalidInput(
                f"measure must be one of {', '.join(results.measures)}; got None."
            )
        measure = results.measures[0]
    table = results.matrix(measure, value)
    q = results.matrix(measure, "q")
    if axes is None:
        side = 2.2 + min(0.32 * len(table), 12.0)
        axes = figure(side + 1.0, side).subplots()
    kind = next(row.kind for row in results.rows if row.label == measure)
    # A calibrated score is 1 for the same, whatever it was before.
    rises = value == "calibrated" or (kind == "similarity" and value not in ("p", "q"))
    image = axes.imshow(
        np.ma.masked_invalid(table), cmap="cividis_r" if rises else "cividis"
    )
    axes.patch.set(hatch="////", edgecolor="#999999", facecolor="white")
    _names(axes, results.names)
    _marks(axes, table, q, image)
    label = measure if value == "score" else f"{value} of {measure}"
    axes.figure.colorbar(image, ax=axes, shrink=0.8, label=f"{label} ({kind})")
    i, j = np.indices(table.shape)
    names = np.array(results.names)
    columns = {"a": names[i], "b": names[j], "value": table, "q": q}
    return Drawn(axes, {name: part.ravel() for name, part in columns.items()})


def _names(axes: Any, names: tuple[str, ...]) -> None:
    shown = names if len(names) <= NAMED else ()
    places = range(len(shown))
    axes.set_xticks(places, shown, rotation=90, fontsize=7)
    axes.set_yticks(places, shown, fontsize=7)
    if not shown:
        axes.set(xlabel=f"{len(names)} representations", ylabel="in the same order")


def _marks(axes: Any, table: np.ndarray, q: np.ndarray, image: Any) -> None:
    """Numbers where there is room, and crosses where chance would do as well."""
    y, x = np.nonzero(q >= TESTED)
    axes.scatter(x, y, marker="x", s=14, color="white", linewidths=1.8)
    axes.scatter(x, y, marker="x", s=12, color=INK, linewidths=0.8)
    if len(table) > WRITTEN:
        return
    for (i, j), number in np.ndenumerate(table):
        if np.isfinite(number) and not q[i, j] >= TESTED:
            red, green, blue, _ = image.cmap(image.norm(number))
            light = 0.3 * red + 0.59 * green + 0.11 * blue > 0.5
            ink = "black" if light else "white"
            axes.text(
                j, i, f"{number:.2g}", ha="center", va="center", fontsize=6, color=ink
            )
