"""Figures of curves that are scaled to 1, and of their correlations."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from similitude.plots import COLORS, MARKERS

from ...study import Figure, Frame
from ...study.panels import curve_with_band, outside_legend, subplots

NAMES = {
    "rtd": "RTD",
    "cka": "1 - CKA",
    "disagreement": "disagreement",
    "error": "error rate",
}
#: Color, marker and line of each curve.
STYLES: dict[str, dict[str, Any]] = {
    name: {"color": COLORS[k], "marker": MARKERS[k], "ls": line}
    for k, (name, line) in enumerate(zip(NAMES, ("-", "--", "-.", ":"), strict=True))
}
TARGETS = {"disagreement": "with disagreement", "error": "with the error rate"}


def draw_panels(
    figure: Figure,
    panels: Sequence[Any],
    table: Frame,
    names: tuple[str, str],
    titles: Mapping[str, str],
) -> None:
    """One panel per experiment: all curves against its points, divided by their maxima.

    The bands are ranges over seeds. `names` are the columns of experiments and points.
    """
    for panel, (experiment, title) in zip(panels, titles.items(), strict=True):
        own = table.where(**{names[0]: experiment})
        seeds = len(own.unique("seed"))
        points = own[names[1]].reshape(seeds, -1)[0]
        for name, style in STYLES.items():
            values = own[name].astype(float).reshape(seeds, -1)
            with np.errstate(invalid="ignore"):
                scaled = values / np.nanmax(values, axis=1, keepdims=True)
            look = {"label": NAMES[name], "ms": 3.5, "lw": 1.3, **style}
            curve_with_band(panel, points, scaled, alpha=0.15, **look)
        panel.set_ylim(-0.04, 1.06)
        panel.set_title(title)
        if points[0] > points[-1]:
            panel.invert_xaxis()
    outside_legend(figure, panels[0])


def draw_correlations(
    table: Mapping[str, Any],
    published: Mapping[str, float],
    titles: Mapping[str, str],
) -> Figure:
    """Pearson correlations of both measures by experiment, one panel per target.

    `published` has numbers of the paper by quantity, as ``rtd_disagreement_noise``.
    """
    frame = Frame(table).where(kind="pearson")
    names = frame.unique("experiment")
    size = (8.6, 1.7 + 0.36 * len(names))
    figure, panels = subplots(1, len(TARGETS), figsize=size, sharey=True)
    for panel, (target, title) in zip(panels, TARGETS.items(), strict=True):
        for k, measure in enumerate(("rtd", "cka")):
            style = {"color": COLORS[k], "marker": MARKERS[k], "ls": "", "ms": 6}
            for at, name in enumerate(names):
                y = at + (0.16 if k else -0.16)
                row = frame.where(experiment=name, target=target)
                ends = row[f"{measure}_low"][0], row[f"{measure}_high"][0]
                panel.plot(ends, (y, y), color=style["color"], lw=1.2)
                label = NAMES[measure] if at == 0 else None
                panel.plot(row[measure][0], y, label=label, **style)
                quantity = f"{measure}_{target}_{name}".replace("-", "_")
                if quantity in published:
                    label = f"{NAMES[measure]}, published" if at == 0 else None
                    value = published[quantity]
                    panel.plot(value, y, mfc="none", label=label, **style)
        panel.set(title=title, xlabel="Pearson correlation")
        panel.grid(axis="x", alpha=0.3)
        left, _ = panel.get_xlim()  # an interval may reach beyond 1
        panel.set_xlim(max(left, -1.05), 1.02)
    panels[0].set_yticks(range(len(names)), [titles.get(n, n) for n in names])
    panels[0].set_ylim(len(names) - 0.5, -0.5)
    outside_legend(figure, panels[0])
    return figure
