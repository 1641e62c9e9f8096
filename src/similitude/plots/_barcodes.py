"""Plots of barcodes: bars, persistence diagrams and Betti curves."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidInput
from ..topology import Barcode
from ._canvas import COLORS, MARKERS, image_canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_barcode", "plot_betti_curve", "plot_diagram"]


def plot_barcode(
    barcodes: Barcode | Sequence[Barcode], *, ax: "Axes | None" = None
) -> "Axes":
    """Plot each bar as a line from birth to death, sorted by degree, then by birth.

    Infinite bars end in an arrowhead at the right-hand side.

    Parameters
    ----------
    barcodes
        One barcode, or a sequence as returned by `topology.r_cross_barcode`.
    ax
        Axes to draw on; by default the current axes of pyplot if they are empty,
        otherwise a new figure.

    Returns
    -------
    matplotlib Axes
    """
    listed, ax, edge = _begin(barcodes, ax)
    below = 0
    for bars in listed:
        color, height = _style(bars)[0], below + np.arange(len(bars))
        ends = np.minimum(bars.deaths, edge)
        ax.hlines(height, bars.births, ends, color=color, label=_label(bars))
        infinite = np.isinf(bars.deaths)
        heads = (ends[infinite], height[infinite], ">")
        for line in ax.plot(*heads, color=color, ms=4, clip_on=False):
            line.set_in_layout(False)  # an unclipped line makes the layout add margins
        below += len(bars)
    room = -0.02 * max(below, 1) - 0.5, 1.02 * max(below, 1) - 0.5
    ax.set(xlim=(0.0, edge), ylim=room, yticks=[], xlabel="scale", ylabel="bars")
    return _finish(ax, listed, "best")


def plot_diagram(
    barcodes: Barcode | Sequence[Barcode], *, ax: "Axes | None" = None
) -> "Axes":
    """Plot each bar as a point (birth, death); long bars are far above the diagonal.

    Infinite bars are on a dashed line at the top.

    Parameters
    ----------
    barcodes
        One barcode, or a sequence as returned by `topology.r_cross_barcode`.
    ax
        Axes to draw on; by default the current axes of pyplot if they are empty,
        otherwise a new figure.

    Returns
    -------
    matplotlib Axes
    """
    listed, ax, edge = _begin(barcodes, ax)
    ax.plot([0, edge], [0, edge], color="0.6", linewidth=0.8, zorder=0)
    top = edge
    if any(np.isinf(bars.deaths).any() for bars in listed):
        top = 1.05 * edge
        ax.axhline(edge, color="0.6", linewidth=0.8, linestyle="--", zorder=0)
        ax.annotate("∞", (0.0, edge), (3, 2), textcoords="offset points", color="0.4")
    for bars in listed:
        color, marker = _style(bars)
        ax.scatter(
            bars.births,
            np.minimum(bars.deaths, edge),
            s=14,
            marker=marker,
            color=color,
            linewidths=0,
            alpha=0.8,
            label=_label(bars),
        )
    ax.set(xlim=(-0.02 * edge, edge), ylim=(-0.02 * edge, top), aspect="equal")
    ax.set(xlabel="birth", ylabel="death")
    return _finish(ax, listed, "lower right")  # no points are below the diagonal


def plot_betti_curve(
    barcodes: Barcode | Sequence[Barcode], *, ax: "Axes | None" = None
) -> "Axes":
    """Plot the number of bars alive at each scale: the rank of homology.

    Parameters
    ----------
    barcodes
        One barcode, or a sequence as returned by `topology.r_cross_barcode`.
    ax
        Axes to draw on; by default the current axes of pyplot if they are empty,
        otherwise a new figure.

    Returns
    -------
    matplotlib Axes
    """
    listed, ax, edge = _begin(barcodes, ax)
    from matplotlib.ticker import MaxNLocator

    for bars in listed:
        scale, alive = betti_curve(bars)
        ax.step(
            np.append(scale, edge),
            np.append(alive, alive[-1]),
            where="post",
            color=_style(bars)[0],
            label=_label(bars),
        )
    top = 1.05 * max(1, *(betti_curve(b)[1].max() for b in listed))
    ax.set(xlim=(0.0, edge), ylim=(0.0, top), xlabel="scale", ylabel="bars alive")
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    return _finish(ax, listed, "upper right")


def betti_curve(bars: Barcode) -> tuple[np.ndarray, np.ndarray]:
    """The scales, from 0, where the number of bars alive changes, and the numbers."""
    deaths = bars.deaths[np.isfinite(bars.deaths)]
    scale = np.unique(np.concatenate([[0.0], bars.births, deaths]))
    born = np.searchsorted(np.sort(bars.births), scale, side="right")
    dead = np.searchsorted(np.sort(deaths), scale, side="right")
    return scale, born - dead


def _begin(
    barcodes: Barcode | Sequence[Barcode], ax: "Axes | None"
) -> tuple[list[Barcode], "Axes", float]:
    """List of barcodes, axes to draw on, and right edge of the plot."""
    listed = [barcodes] if isinstance(barcodes, Barcode) else list(barcodes)
    if not listed or not all(isinstance(bars, Barcode) for bars in listed):
        kinds = ", ".join(sorted({type(bars).__name__ for bars in listed})) or "none"
        raise InvalidInput(
            f"barcodes must be one Barcode or a sequence of them; got {kinds}."
        )
    return listed, image_canvas(ax, (5.0, 3.6)), _right_edge(listed)


def _right_edge(listed: list[Barcode]) -> float:
    """A scale slightly above the last finite birth or death."""
    values = np.concatenate([v for bars in listed for v in (bars.births, bars.deaths)])
    last = float(np.max(values, where=np.isfinite(values), initial=0.0))
    return 1.05 * last if last > 0 else 1.0


def _style(bars: Barcode) -> tuple[str, str]:
    """One color and marker per degree."""
    return COLORS[bars.degree % len(COLORS)], MARKERS[bars.degree % len(MARKERS)]


def _label(bars: Barcode) -> str:
    if len(bars) == 0:
        return "_"  # matplotlib omits such labels from the legend
    count = "1 bar" if len(bars) == 1 else f"{len(bars)} bars"
    return f"$H_{{{bars.degree}}}$, {count}"


def _finish(ax: "Axes", listed: list[Barcode], where: Any) -> "Axes":
    """Add a legend of the degrees that have bars, or the text "no bars"."""
    ax.spines[["top", "right"]].set_visible(False)
    if any(len(bars) for bars in listed):
        ax.legend(frameon=False, fontsize="small", loc=where)
    else:
        ax.text(0.5, 0.4, "no bars", transform=ax.transAxes, ha="center")
    return ax
