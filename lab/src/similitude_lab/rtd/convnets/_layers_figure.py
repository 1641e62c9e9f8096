"""Figures of pairs of networks, and of blocks of networks."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from similitude.plots import COLORS

from ...study import Figure, Frame
from ...study.panels import heat_map, subplots
from ._representations import TITLES

NETWORKS = {"resnet20": "ResNet-20", "vgg11": "VGG-11"}


def draw_blocks(table: Frame, measures: Mapping[str, str]) -> Figure:
    """One row of panels per network; darker cells are more similar."""
    size = (3.9 * len(measures), 7.2)
    figure, panels = subplots(len(NETWORKS), len(measures), figsize=size)
    for row, (network, title) in zip(panels, NETWORKS.items(), strict=True):
        for panel, (measure, words) in zip(row, measures.items(), strict=True):
            own = table.where(network=network, measure=measure)
            count = own["a"].max()
            scores = own["score"].reshape(-1, count, count).mean(axis=0)
            top = scores.max()
            look: Any = {"text": ".0f" if measure == "rtd" else ".2f", "size": 7}
            look |= {"cmap": "Blues_r", "vmin": 0, "vmax": top}
            image = heat_map(panel, scores, white_below=0.4 * top, **look)
            panel.set_title(f"{title}: {words}", fontsize=9)
            panel.set(xlabel="block", ylabel="block")
            figure.colorbar(image, ax=panel, shrink=0.8)
    return figure


LABELS = {"classical": "classical\n(seeds)", "fge": "FGE\n(cycles)"}


def draw_ensembles(
    pairs: Frame,
    published: Mapping[str, float],
    spreads: Mapping[str, tuple[float, float]],
) -> Figure:
    """One panel per dissimilarity: pairs, mean and sd, published mean and sd."""
    figure, panels = subplots(1, len(TITLES), figsize=(9.0, 3.7))
    for panel, (name, title) in zip(panels, TITLES.items(), strict=True):
        means = []
        for at, ensemble in enumerate(LABELS):
            scores = pairs.where(ensemble=ensemble)[name]
            means.append(scores.mean())
            spread = np.linspace(-0.08, 0.08, len(scores))
            panel.plot(at + spread, scores, ".", color=COLORS[at], alpha=0.6)
            ours = means[-1], scores.std(ddof=1)
            theirs = published[f"{name}_{ensemble}"], spreads[name][at]
            panel.errorbar(at - 0.2, *ours, fmt="o", color=COLORS[at], capsize=4)
            panel.errorbar(at + 0.25, *theirs, fmt="D", color="gray", capsize=4)
        relative = float((means[0] - means[1]) / means[0])
        panel.set_title(
            f"{title}\nrelative difference {relative:.1%}\n"
            f"(published {published[f'{name}_relative']:.1%})",
            fontsize=9,
        )
        panel.set_xticks(range(len(LABELS)), list(LABELS.values()))
        panel.set(xlim=(-0.5, 1.5), ylabel=title)
        panel.set_ylim(bottom=0)
    figure.supxlabel(
        "dots: pairs; circles: their mean ± sd; gray diamonds: published mean ± sd",
        fontsize=9,
    )
    return figure
