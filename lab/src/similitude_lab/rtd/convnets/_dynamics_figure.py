"""Scaled curves over the epochs, and their correlations with the disagreement."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from similitude.plots import COLORS, new_figure

from ...study import Figure
from ._representations import TITLES

NETWORKS = {"vgg11": "VGG-11", "resnet20": "ResNet-20"}
STYLES = {"rtd": "o-", "cka": "s--", "disagreement": "^:"}


def draw_dynamics(
    curves: Any, correlations: Any, published: Mapping[str, Mapping[str, float]]
) -> Figure:
    """One panel per network, and one with the correlations of all."""
    columns = {name: np.asarray(values) for name, values in curves.items()}
    figure = new_figure(12.0, 3.9)
    panels = figure.subplots(1, 3, width_ratios=(1, 1, 0.9))
    for panel, (network, title) in zip(panels, NETWORKS.items(), strict=False):
        _draw_curves(panel, columns, network)
        panel.set_title(f"{title}: each epoch against the last")
    panels[0].legend(fontsize=9)
    _draw_correlations(panels[2], correlations, published)
    return figure


def _draw_curves(panel: Any, columns: Mapping[str, np.ndarray], network: str) -> None:
    """Curves divided by their maximum: means over seeds, and lowest to highest seed."""
    here = columns["network"] == network
    epochs = np.unique(columns["epoch"][here])
    for color, (name, title) in zip(COLORS, TITLES.items(), strict=False):
        scores = columns[name][here].reshape(-1, len(epochs))
        scaled = scores / scores.max(axis=1, keepdims=True)
        panel.plot(
            epochs,
            scaled.mean(axis=0),
            STYLES[name],
            color=color,
            label=title,
            markersize=4,
        )
        low, high = scaled.min(axis=0), scaled.max(axis=0)
        panel.fill_between(epochs, low, high, color=color, alpha=0.2, lw=0)
    panel.set(xlabel="epoch", ylabel="dissimilarity / its maximum", ylim=(0, 1.05))
    panel.xaxis.get_major_locator().set_params(integer=True)


def _draw_correlations(
    panel: Any, table: Any, published: Mapping[str, Mapping[str, float]]
) -> None:
    """Means with 95 % intervals over seeds; the published numbers are gray bars."""
    rows = [
        dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)
    ]
    labels = []
    for at, (network, kind) in enumerate(
        (network, kind) for network in NETWORKS for kind in ("pearson", "spearman")
    ):
        labels.append(f"{NETWORKS[network]}\n{kind.capitalize()}")
        for offset, color, name in (
            (-0.15, COLORS[0], "rtd"),
            (0.15, COLORS[1], "cka"),
        ):
            (row,) = (
                row
                for row in rows
                if (row["network"], row["kind"], row["dissimilarity"])
                == (network, kind, name)
            )
            error = np.nan_to_num(
                [[row["mean"] - row["low"]], [row["high"] - row["mean"]]]
            )
            look: dict[str, Any] = {
                "color": color,
                "fmt": STYLES[name][0],
                "capsize": 3,
            }
            if at == 0:
                look["label"] = TITLES[name]
            panel.errorbar([at + offset], [row["mean"]], yerr=error, **look)
            if kind == "pearson":
                x, value = at + offset, published[network][name]
                note = "published" if at == 0 and name == "rtd" else None
                panel.plot(
                    [x - 0.12, x + 0.12], [value, value], color="gray", lw=2, label=note
                )
    panel.set_xticks(range(len(labels)), labels, fontsize=8)
    panel.set(ylabel="correlation with disagreement")
    panel.set_title("mean and 95 % interval over seeds")
    panel.set_ylim(top=1.02)
    panel.legend(fontsize=8, loc="lower center", bbox_to_anchor=(0.4, 0.0))
