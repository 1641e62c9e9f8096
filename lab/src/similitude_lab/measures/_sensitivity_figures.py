"""Figures of tests of all measures: deletion curves, and tables of colors."""

from typing import Any

import numpy as np

from similitude.plots import COLORS, MARKERS

from ..study import Figure, Frame
from ..study.panels import heat_map, subplots

LABELS = {"sensitivity": "lost accuracy", "specificity": "depth"}


def draw_measures(table: Frame) -> Figure:
    """Both rank correlations of each measure; the best measures are at the top."""
    total = table["sensitivity"] + table["specificity"]
    order = np.argsort(np.nan_to_num(total, nan=-3.0))
    figure, panel = subplots(figsize=(7.0, 0.9 + 0.2 * len(order)))
    places = np.arange(len(order))
    for at, (name, label) in enumerate(LABELS.items()):
        style = {"color": COLORS[at], "marker": MARKERS[at], "ls": "none"}
        panel.plot(table[name][order], places, label=f"{name} ({label})", **style)
    panel.axvline(0, color="0.5", lw=0.8)
    panel.set_yticks(places, table["measure"][order], fontsize=8)
    panel.set(xlabel="Spearman correlation with the score", xlim=(-1.05, 1.05))
    panel.grid(axis="y", lw=0.3)
    panel.margins(y=0.02)
    panel.legend(loc="upper center", bbox_to_anchor=(0.5, 1.05), ncols=2, frameon=False)
    return figure


def draw_deletions(table: Frame, names: tuple[str, ...], units: int) -> Figure:
    """Accuracy of a probe, and scores, against the share of deleted components."""
    figure, (left, right) = subplots(1, 2, figsize=(8.0, 3.4))
    share = 1 - table["kept"] / units
    left.plot(share, table["accuracy"], "o-", color=COLORS[0], ms=4)
    left.set(ylabel="accuracy of a linear probe", ylim=(0, 1))
    for at, name in enumerate(names):
        curve = table[name]
        curve = curve + 1 if curve.max() <= 0 else curve  # similarities: 1 - score
        style = {"color": COLORS[at], "marker": MARKERS[at], "ms": 4}
        right.plot(share, curve, label=name, **style)
    right.set(ylabel="score (similarities: 1 - score)")
    right.legend()
    for panel in (left, right):
        panel.set(xlabel="share of deleted components")
    return figure


def draw_tests(table: Frame, tests: tuple[str, ...]) -> Figure:
    """One row per measure, best mean first; one column per test; gray is undefined."""
    names = table["measure"]
    results = np.array([table[test] for test in tests], dtype=float).T
    order = np.argsort(-np.nan_to_num(results, nan=-1.0).mean(axis=1), kind="stable")
    figure, panel = subplots(figsize=(8.4, 1.6 + 0.2 * len(names)))
    panel.set_facecolor("0.85")
    labels = [test.replace("_", "\n") for test in tests]
    shown = results[order], names[order], labels
    look: dict[str, Any] = {"cmap": "PuOr", "vmin": -1, "vmax": 1, "aspect": "auto"}
    image = heat_map(panel, *shown, white_above=0.7, white_below=-0.7, size=7, **look)
    panel.tick_params(labelsize=8)
    panel.xaxis.tick_top()
    figure.colorbar(image, label="correlation, average precision or share", shrink=0.4)
    return figure
