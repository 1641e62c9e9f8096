"""Figures of the map of architectures: the plane, and all pairs."""

from typing import Any

from similitude.plots import COLORS

from ...study import Figure
from ...study.panels import subplots


def draw_map(table: Any, stress: float) -> Figure:
    """One point per architecture; the color is the logarithm of its perplexity."""
    figure, panel = subplots(figsize=(5.4, 4.2))
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
    figure, (left, right) = subplots(1, 2, figsize=(8.0, 3.4))
    apart = table["perplexity_difference"]
    error = table["standard_error"]
    left.errorbar(apart, table["rtd"], error, fmt="o", color=COLORS[0], ms=3, lw=0.8)
    left.set(ylabel="RTD, sum of both directions")
    right.plot(apart, [1 - value for value in table["cka"]], "o", color=COLORS[1], ms=3)
    right.set(ylabel="1 - CKA")
    for panel in (left, right):
        panel.set(xlabel="difference of log-perplexities (nats)")
    return figure
