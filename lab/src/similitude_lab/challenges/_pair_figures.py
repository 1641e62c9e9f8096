"""Figures of the constructed pair: embeddings, length selection, sweep."""

from typing import Any

import numpy as np

from similitude.plots import COLORS, new_figure

from ..study import Figure

TITLES = {"prime": "model θ′", "star": "model θ*", "square": "third model"}


def draw_embeddings(table: Any) -> Figure:
    """Embeddings of the three models; one color per label."""
    figure = new_figure(9.0, 3.3)
    labels = np.asarray(table["label"])
    for panel, (name, title) in zip(figure.subplots(1, 3), TITLES.items(), strict=True):
        x, y = np.asarray(table[f"{name}_x"]), np.asarray(table[f"{name}_y"])
        for label in np.unique(labels):
            here = labels == label
            panel.plot(x[here], y[here], ".", color=COLORS[label], ms=3, label=label)
        panel.set(title=title, xlim=(-4.6, 4.6), ylim=(-4.6, 4.6), aspect="equal")
        panel.set(xlabel="$f_1$", ylabel="$f_2$")
    panel.legend(title="label", loc="upper right", markerscale=3, fontsize=8)
    return figure


def draw_lengths(table: Any) -> Figure:
    """Log-probability of the worst input against the length of unembeddings."""
    figure = new_figure(4.6, 3.3)
    panel = figure.subplots()
    panel.plot(table["length"], table["h"], color=COLORS[0])
    panel.set(xlabel="length of the unembeddings", ylabel="log-probability (nats)")
    panel.set_title("worst input of label 1")
    return figure


def draw_sweep(table: Any) -> Figure:
    """m_CCA and losses for narrower and narrower labels."""
    figure = new_figure(8.0, 3.3)
    left, right = figure.subplots(1, 2)
    divisor = np.asarray(table["divisor"])
    left.semilogx(divisor, table["m_cca"], "o-", color=COLORS[0], base=2)
    left.set(ylim=(0, 1), ylabel="m_CCA of embeddings", title="similarity")
    for column, color, name in (
        ("nll_prime", COLORS[0], "θ′"),
        ("nll_star", COLORS[1], "θ*"),
    ):
        right.loglog(divisor, table[column], "o-", color=color, label=name)
    right.set(ylabel="loss (nats)", title="loss")
    right.legend()
    for panel in (left, right):
        panel.set(xlabel="π / angle between labels", xticks=divisor)
        panel.set_xticks([], minor=True)
        panel.set_xticklabels([f"{k:.0f}" for k in divisor])
    return figure
