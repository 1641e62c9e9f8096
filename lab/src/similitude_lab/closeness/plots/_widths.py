"""Plot of mean distances against the width of the networks."""

from typing import TYPE_CHECKING, Any

import numpy as np

from similitude.plots import canvas

from ._style import group_style, same_length

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_width_means"]


def plot_width_means(
    widths: Any,
    distances: Any,
    *,
    groups: Any = None,
    group_name: str = "classes",
    label: str = "distance (no unit)",
    ax: "Axes | None" = None,
) -> "Axes":
    """Plot the mean distance for each width, with a band of one standard deviation.

    Parameters
    ----------
    widths, distances
        One number of each per pair of models.
    groups
        One value per pair, such as the number of classes; each has its own line.
    group_name
        Name of the groups in the legend.
    label
        Name of the distance, for the axis.
    ax
        Axes to draw on; by default the current axes of pyplot.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> ax = plot_width_means([16, 16, 32, 32], [0.5, 0.7, 0.2, 0.4], label="d")
    >>> [round(float(y), 3) for y in ax.lines[-1].get_ydata()]
    [0.6, 0.3]
    """
    kinds = np.zeros(np.size(widths)) if groups is None else groups
    x, y, kinds = same_length(widths=widths, distances=distances, groups=kinds)
    ax = canvas(ax)
    for index, kind in enumerate(np.unique(kinds).tolist()):
        color, marker = group_style(index)
        own = np.unique(x[kinds == kind])
        values = [y[(kinds == kind) & (x == width)] for width in own]
        means = np.array([v.mean() for v in values])
        spread = np.array([v.std() for v in values])
        name = None if groups is None else f"{kind:g} {group_name}"
        ax.plot(own, means, color=color, marker=marker, linewidth=2, label=name)
        low, high = means - spread, means + spread
        ax.fill_between(own, low, high, color=color, alpha=0.2, linewidth=0)
    ticks = np.unique(x)
    ax.set_xscale("log", base=2)
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.set_xlabel("width of hidden layers (units)")
    ax.set_ylabel(label)
    ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]))
    if groups is not None:
        ax.legend(frameon=False, fontsize="small")
    return ax
