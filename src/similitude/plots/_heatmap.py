"""An image of scores: limits of the colors, marks of pairs at chance, numbers."""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base._printable import figure_text
from ..engine import Results
from ..engine.text import claimed_range
from ..errors import InvalidInput
from ._canvas import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FDR_LEVEL = 0.05  # pairs with q below this differ from chance
LEAST_CELL = 15.0  # points; numbers do not fit into smaller cells
_NOT_SCORES = ("null_sd", "n", "d_a", "d_b", "seconds")


class Shown(NamedTuple):
    """The values to draw, and the q-values of the pairs."""

    measure: str
    value: str
    table: np.ndarray
    q: np.ndarray


def only_measure(results: Results, measure: str | None) -> str:
    """The given measure, or the only one of the results."""
    if measure is not None:
        return measure
    if len(results.measures) != 1:
        raise InvalidInput(
            f"measure=None, but there are {len(results.measures)} measures; choose "
            f"one of {', '.join(results.measures)}."
        )
    return results.measures[0]


def kind_of(results: Results, measure: str) -> str:
    return next(row.kind for row in results.rows if row.label == measure)


def between(results: Results, measure: str, value: str = "score") -> np.ndarray:
    """One value for all pairs of different representations; NaN on the diagonal."""
    table = np.array(results.matrix(measure, value))
    np.fill_diagonal(table, np.nan)
    return table


def symmetric(table: np.ndarray) -> np.ndarray:
    """The mean of both directions; if one is missing, the other."""
    both = np.stack([table, table.T])
    known = np.isfinite(both)
    total = np.where(known, both, 0.0).sum(axis=0)
    count = known.sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def color_limits(
    results: Results, measure: str, value: str, table: np.ndarray
) -> tuple[float, float]:
    """The range of the shown value, for the ends of the colors.

    Most measures reach values below 0 only by chance. A range then starts at 0 or at
    the lowest value. An infinite end is replaced by the most extreme value.
    """
    seen = table[np.isfinite(table)]
    least, most = (seen.min(), seen.max()) if seen.size else (0.0, 1.0)
    if value in _NOT_SCORES:
        low, high = -math.inf, math.inf
    elif value in ("p", "q"):
        low, high = 0.0, 1.0
    elif value == "calibrated":
        low, high = -math.inf, 1.0
    else:  # the score, another value on its scale, or a baseline
        low, high = claimed_range(results.rows, measure)
    if low < 0:
        low = min(0.0, least) if value not in _NOT_SCORES else least
    high = high if math.isfinite(high) else most
    return float(min(low, least)), float(max(high, most))


def draw_heatmap(
    ax: "Axes",
    results: Results,
    shown: Shown,
    *,
    limits: tuple[float | None, float | None],
    cmap: Any,
    **options: Any,
) -> None:
    """Draw a table with a color bar; darker is more similar by default."""
    measure, value, table, q = shown
    kind = kind_of(results, measure)
    # A calibrated score is a similarity, also for distances.
    larger_is_closer = value == "calibrated" or (
        kind == "similarity" and value not in ("p", "q")
    )
    if cmap is None:
        cmap = "cividis_r" if larger_is_closer else "cividis"
    given = zip(limits, color_limits(results, measure, value, table), strict=True)
    low, high = (own if wanted is None else wanted for wanted, own in given)
    known = np.ma.masked_invalid(table)
    image = ax.imshow(known, cmap=cmap, vmin=low, vmax=high, **options)
    ax.patch.set(hatch="////", edgecolor="#999999", facecolor="white")
    _draw_marks(ax, table, q, image)
    label = measure if value == "score" else f"{value} of {measure}"
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8)
    bar.set_label(f"{figure_text(label, 60)} ({kind})", fontsize="small")
    bar.ax.tick_params(labelsize="small")


def cell_size(ax: "Axes", shape: tuple[int, ...]) -> float:
    """The side of one cell in points, before the layout makes room for names."""
    box = ax.get_window_extent()
    points = 72 / ax.figure.dpi
    return float(points * min(box.width / shape[1], box.height / shape[0]))


def _draw_marks(ax: Any, table: np.ndarray, q: np.ndarray, image: Any) -> None:
    """Draw crosses on pairs at chance, and numbers on the others if they fit."""
    side = cell_size(ax, table.shape)
    y, x = np.nonzero(q >= FDR_LEVEL)
    size = min(3.5, side / 3)
    ax.scatter(x, y, marker="x", s=(size + 0.3) ** 2, color="white", linewidths=1.8)
    ax.scatter(x, y, marker="x", s=size**2, color=INK, linewidths=0.8)
    if side < LEAST_CELL:
        return
    known = np.abs(table[np.isfinite(table)])
    digits = "z.2f" if known.size and 0.01 < known.max() < 100 else ".2g"
    for (i, j), number in np.ndenumerate(table):
        if np.isfinite(number) and not q[i, j] >= FDR_LEVEL:
            red, green, blue, _ = image.cmap(image.norm(number))
            light = 0.3 * red + 0.59 * green + 0.11 * blue > 0.5
            ax.text(
                j,
                i,
                f"{number:{digits}}",
                ha="center",
                va="center",
                fontsize=min(7.0, side / 2.6),
                color="black" if light else "white",
            )
