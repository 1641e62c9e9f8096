"""Figures of the phase diagram, and of the trade against the dimension."""

from typing import Any

import numpy as np

from similitude.errors import require
from similitude.plots import COLORS, new_figure

from ..study import Figure, Frame
from ._phase_plot import plot_phase


def draw_phase(table: Any) -> Figure:
    """One panel per transform and change; the axes are dimensions and anchors."""
    pyplot = require("matplotlib.pyplot", feature="figures of studies", extra="plot")
    figure: Figure = plot_phase(dict(Frame(table))).axes[0, 0].figure
    pyplot.close(figure)  # pyplot forgets it; it can still be saved
    return figure


def draw_trade(table: Any, rotation: Any) -> Figure:
    """Kept accuracy after both changes, the trade, and the loss by a rotation."""
    figure = new_figure(12.0, 3.6)
    left, right, last = figure.subplots(1, 3)
    for at, transform in enumerate(("cosine", "robust")):
        for short, style, words in (
            ("units", "o-", "units"),
            ("rotation", "s--", "rotation"),
        ):
            left.plot(
                table["d"],
                table[f"{transform}_{short}"],
                style,
                color=COLORS[at],
                label=f"{transform}, {words}",
            )
    left.set(ylabel="share of accuracy that is kept", title="after a change of ...")
    for name, color in (("gain", COLORS[2]), ("cost", COLORS[1]), ("trade", "black")):
        error = table[f"{name}_sd"]
        look: dict[str, Any] = {"color": color, "label": name, "capsize": 3}
        right.errorbar(table["d"], table[name], yerr=error, fmt="o-", **look)
    right.axhline(0, color="gray", lw=0.8)
    right.set(
        ylabel="share of accuracy", title="robust against cosine, ± sd over seeds"
    )
    lost = Frame(rotation)
    for color, spread in zip(COLORS, np.unique(lost["spread"]), strict=False):
        own = lost.where(spread=spread)
        look = {"color": color, "label": f"{spread:g}", "capsize": 3}
        last.errorbar(own["d"], own["lost"], yerr=own["lost_sd"], fmt="o-", **look)
    last.set(ylabel="points of accuracy lost", title="robust after a rotation")
    for panel in (left, right, last):
        panel.set_xscale("log", base=2)
        panel.set_xticks(table["d"], [f"{d:.0f}" for d in table["d"]])
        panel.set_xlabel("dimension d")
        panel.legend(fontsize=8)
    last.set_ylim(top=1.45 * max((lost["lost"] + lost["lost_sd"]).max(), 1.0))
    title = "sizes of units within a factor of"
    last.legend(fontsize=8, title=title, ncols=4, loc="upper center")
    return figure
