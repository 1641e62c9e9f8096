"""Figures of curves that are scaled to 1, and of their correlations."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from similitude.plots import COLORS, MARKERS, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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


def draw_scaled(panel: "Axes", x: Any, seeds: Mapping[str, np.ndarray]) -> None:
    """Curves divided by their maximum; the band is the range over seeds.

    `seeds` has each curve as seeds x points.
    """
    for name, style in STYLES.items():
        values = np.asarray(seeds[name], dtype=float)
        with np.errstate(invalid="ignore"):
            scaled = values / np.nanmax(values, axis=1, keepdims=True)
        panel.plot(x, scaled.mean(axis=0), label=NAMES[name], ms=3.5, lw=1.3, **style)
        if len(scaled) > 1:
            low, high = scaled.min(axis=0), scaled.max(axis=0)
            panel.fill_between(x, low, high, color=style["color"], alpha=0.15, lw=0)
    panel.set_ylim(-0.04, 1.06)


def draw_correlations(
    table: Mapping[str, Any],
    published: Mapping[str, Mapping[str, tuple[float, float]]],
    titles: Mapping[str, str],
) -> "Figure":
    """Pearson correlations of both measures by experiment, one panel per target.

    `published` has RTD and 1 - CKA of the paper, by target and experiment.
    """
    rows = list(zip(table["experiment"], table["target"], table["kind"], strict=True))
    names = list(dict.fromkeys(table["experiment"]))
    figure = new_figure(8.6, 1.7 + 0.36 * len(names))
    panels = figure.subplots(1, len(TARGETS), sharey=True)
    for panel, (target, title) in zip(panels, TARGETS.items(), strict=True):
        for k, measure in enumerate(("rtd", "cka")):
            style = {"color": COLORS[k], "marker": MARKERS[k]}
            for at, name in enumerate(names):
                y = at + (0.16 if k else -0.16)
                row = rows.index((name, target, "pearson"))
                ends = table[f"{measure}_low"][row], table[f"{measure}_high"][row]
                panel.plot(ends, (y, y), color=style["color"], lw=1.2)
                label = NAMES[measure] if at == 0 else None
                panel.plot(table[measure][row], y, ls="", ms=6, label=label, **style)
                if name in published.get(target, {}):
                    label = f"{NAMES[measure]}, published" if at == 0 else None
                    panel.plot(
                        published[target][name][k], y, ls="", ms=6, mfc="none",
                        label=label, **style,
                    )  # fmt: skip
        panel.set(title=title, xlabel="Pearson correlation")
        panel.grid(axis="x", alpha=0.3)
        left, _ = panel.get_xlim()  # an interval may reach beyond 1
        panel.set_xlim(max(left, -1.05), 1.02)
    panels[0].set_yticks(range(len(names)), [titles.get(n, n) for n in names])
    panels[0].set_ylim(len(names) - 0.5, -0.5)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)
    return figure
