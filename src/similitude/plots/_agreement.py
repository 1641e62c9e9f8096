"""Plot of the agreement of neighborhoods by their size."""

from typing import TYPE_CHECKING

from .._base._printable import figure_text
from ..engine import Results
from ..errors import InvalidInput
from ._canvas import COLORS, INK, canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_agreement"]


def plot_agreement(found: Results, *, ax: "Axes | None" = None) -> "Axes":
    """Plot the agreement of neighborhoods from local to global, one line per pair.

    Parameters
    ----------
    found
        Results of a measure whose details have this curve:
        ``sim.compare(reps, "neighbor_agreement")``.
    ax
        Axes to draw on; by default the current axes of pyplot.

    Returns
    -------
    matplotlib Axes
    """
    rows = [row for row in found.rows if "agreement" in row.details]
    if not rows:
        raise InvalidInput(
            "these results have no agreement of neighborhoods by size. Compare with "
            "the measure that help(similitude.plots.plot_agreement) names."
        )
    ax = canvas(ax)
    ax.axhline(0.0, color=INK, linestyle=":", label="chance")
    for number, row in enumerate(rows):
        curve = row.details["k"], row.details["agreement"]
        label, color = figure_text(f"{row.a} / {row.b}"), COLORS[number % len(COLORS)]
        ax.plot(*curve, label=label, color=color, marker=".")
    ax.set_xscale("log")
    ax.set_xlabel("neighbors k, from local to global")
    ax.set_ylabel("agreement: 0 is chance, 1 the same")
    ax.legend()
    return ax
