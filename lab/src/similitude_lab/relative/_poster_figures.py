"""Figures of the poster's tables: accuracies, and the effect of densification."""

from typing import Any

import numpy as np

from similitude.plots import COLORS

from ..study import Figure, Frame
from ..study.panels import intervals, subplots
from ._poster_cells import LANGUAGES, METRICS, TRANSFORMS


def draw_accuracies(table: Any) -> Figure:
    """Mean accuracy and its deviation over seeds; a cross marks the printed mean."""
    figure, panel = subplots(figsize=(7.6, 3.8))
    for at, transform in enumerate(TRANSFORMS):
        own = Frame(table).where(metric="accuracy", transform=transform)
        x = np.arange(len(LANGUAGES)) + (at - 1.5) * 0.15
        mean, sd = own["mean"], own["sd"]
        style: dict[str, Any] = {"fmt": "o", "capsize": 3, "color": COLORS[at]}
        panel.errorbar(x, mean, yerr=sd, label=transform, **style)
        printed = own["printed_mean"]
        wrong = np.abs(printed - mean) > 0.005
        panel.plot(x[wrong], printed[wrong], "x", color="black", ms=7)
    panel.plot([], [], "x", color="black", label="printed, if different")
    panel.axhline(20, color="gray", lw=0.8, ls=":", label="chance")
    names = [f"decoder {d}\nencoder {e}" for d, e in LANGUAGES]
    panel.set_xticks(range(len(LANGUAGES)), names)
    panel.set(ylabel="accuracy (%), mean ± sd over seeds", ylim=(10, 70))
    panel.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def draw_differences(table: Any) -> Figure:
    """Densified minus robust with 95 % intervals, one panel per metric."""
    figure, panels = subplots(1, len(METRICS), figsize=(9.0, 3.0), sharey=True)
    names = [f"decoder {d}, encoder {e}" for d, e in LANGUAGES]
    for panel, name in zip(panels, METRICS, strict=True):
        own = Frame(table).where(metric=name)
        limits = own["difference"], own["low"], own["high"]
        y = np.arange(len(limits[0]))[::-1]
        look = {"fmt": "o", "capsize": 3, "color": COLORS[0]}
        intervals(panel, y, *limits, along="x", **look)
        panel.axvline(0, color="gray", lw=0.8)
        better = "lower is better" if name == "mae" else "higher is better"
        panel.set(title=f"{name} ({better})", xlabel="densified - robust (points)")
        panel.set_yticks(y, names)
        panel.set_ylim(-0.6, len(y) - 0.4)
    return figure
