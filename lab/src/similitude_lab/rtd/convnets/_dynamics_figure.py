"""Scaled curves over the epochs, and their correlations with the disagreement."""

from collections.abc import Mapping
from typing import Any

from similitude.plots import COLORS

from ...study import Figure, Frame
from ...study.panels import curve_with_band, intervals, subplots
from ..curves._correlations import KINDS
from ._representations import TITLES

NETWORKS = {"vgg11": "VGG-11", "resnet20": "ResNet-20"}
#: Line and marker of each curve.
STYLES = {"rtd": ("-", "o"), "cka": ("--", "s"), "disagreement": (":", "^")}


def draw_dynamics(
    curves: Frame, table: Frame, published: Mapping[str, float]
) -> Figure:
    """One panel per network, and one with the correlations of all."""
    figure, panels = subplots(1, 3, figsize=(12.0, 3.9), width_ratios=(1, 1, 0.9))
    for panel, (network, title) in zip(panels, NETWORKS.items(), strict=False):
        _draw_curves(panel, curves.where(network=network))
        panel.set_title(f"{title}: each epoch against the last")
    panels[0].legend(fontsize=9)
    _draw_correlations(panels[2], table, published)
    return figure


def _draw_curves(panel: Any, own: Frame) -> None:
    """Curves divided by their maximum: means over seeds, and lowest to highest seed."""
    epochs = own.unique("epoch")
    for color, (name, title) in zip(COLORS, TITLES.items(), strict=False):
        scores = own[name].reshape(-1, len(epochs))
        line, marker = STYLES[name]
        look: Any = {"color": color, "ls": line, "marker": marker, "label": title}
        scaled = scores / scores.max(axis=1, keepdims=True)
        curve_with_band(panel, epochs, scaled, ms=4, **look)
    panel.set(xlabel="epoch", ylabel="dissimilarity / its maximum", ylim=(0, 1.05))
    panel.xaxis.get_major_locator().set_params(integer=True)


def _draw_correlations(
    panel: Any, table: Frame, published: Mapping[str, float]
) -> None:
    """Means with 95 % intervals over seeds; the published numbers are gray bars."""
    places = [(network, kind) for network in NETWORKS for kind in KINDS]
    for at, (network, kind) in enumerate(places):
        for x, color, name in (
            (at - 0.15, COLORS[0], "rtd"),
            (at + 0.15, COLORS[1], "cka"),
        ):
            row = table.where(network=network, kind=kind, dissimilarity=name)
            label = TITLES[name] if at == 0 else None
            limits = (row[column] for column in ("mean", "low", "high"))
            look = {"color": color, "fmt": STYLES[name][1], "label": label}
            intervals(panel, x, *limits, capsize=3, **look)
            if kind == "pearson":
                value = published[f"{name}_{network}"]
                note = "published" if at == 0 and name == "rtd" else None
                ends = [x - 0.12, x + 0.12], [value, value]
                panel.plot(*ends, color="gray", lw=2, label=note)
    labels = [f"{NETWORKS[network]}\n{kind.capitalize()}" for network, kind in places]
    panel.set_xticks(range(len(labels)), labels, fontsize=8)
    panel.set(ylabel="correlation with disagreement")
    panel.set_title("mean and 95 % interval over seeds")
    panel.set_ylim(top=1.02)
    panel.legend(fontsize=8, loc="lower center", bbox_to_anchor=(0.4, 0.0))
