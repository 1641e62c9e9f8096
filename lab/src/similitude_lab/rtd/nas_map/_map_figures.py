"""Figures of the map of architectures: the plane, and all pairs."""

from typing import Any

from similitude.plots import COLORS, new_figure

from ...study import Figure


def draw_map(table: Any, stress: float) -> Figure:
    """One point per architecture; the color is the logarithm of its perplexity."""
    figure = new_figure(5.4, 4.2)
    panel = figure.subplots()
    dots = panel.scatter(
        table["x"], table["y"], c=table["log_perplexity"], cmap="viridis", s=60
    )
    figure.colorbar(dots, label="log-perplexity (nats)")
    panel.set_aspect("equal", adjustable="datalim")
    panel.margins(0.12)
    panel.set(
        xticks=[], yticks=[], title=f"RTD of word embeddings: stress {stress:.2f}"
    )
    return figure


def draw_pairs(table: Any) -> Figure:
    """RTD and 1 - CKA of each pair against the difference of log-perplexities."""
    figure = new_figure(8.0, 3.4)
    left, right = figure.subplots(1, 2)
    apart = table["perplexity_difference"]
    error = table["standard_error"]
    left.errorbar(apart, table["rtd"], error, fmt="o", color=COLORS[0], ms=3, lw=0.8)
    left.set(ylabel="RTD, sum of both directions")
    right.plot(apart, [1 - value for value in table["cka"]], "o", color=COLORS[1], ms=3)
    right.set(ylabel="1 - CKA")
    for panel in (left, right):
        panel.set(xlabel="difference of log-perplexities (nats)")
    return figure
