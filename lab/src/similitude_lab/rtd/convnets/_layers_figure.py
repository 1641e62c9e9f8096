"""Block x block tables of dissimilarities: means over seeds."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from similitude.plots import new_figure

from ...study import Figure

NETWORKS = {"resnet20": "ResNet-20", "vgg11": "VGG-11"}


def draw_blocks(table: Any, measures: Mapping[str, str]) -> Figure:
    """One row of panels per network; darker cells are more similar."""
    columns = {name: np.asarray(values) for name, values in table.items()}
    figure = new_figure(3.9 * len(measures), 7.2)
    panels = figure.subplots(len(NETWORKS), len(measures))
    for row, (network, title) in zip(panels, NETWORKS.items(), strict=True):
        for panel, (measure, words) in zip(row, measures.items(), strict=True):
            here = (columns["network"] == network) & (columns["measure"] == measure)
            count = columns["a"][here].max()
            scores = columns["score"][here].reshape(-1, count, count).mean(axis=0)
            image = panel.imshow(scores, cmap="Blues_r", vmin=0, vmax=scores.max())
            for (i, j), value in np.ndenumerate(scores):
                ink = "white" if value < 0.4 * scores.max() else "black"
                text = f"{value:.0f}" if measure == "rtd" else f"{value:.2f}"
                panel.text(j, i, text, ha="center", va="center", fontsize=7, color=ink)
            numbers = np.arange(count)
            panel.set_xticks(numbers, numbers + 1)
            panel.set_yticks(numbers, numbers + 1)
            panel.set_title(f"{title}: {words}", fontsize=9)
            panel.set(xlabel="block", ylabel="block")
            figure.colorbar(image, ax=panel, shrink=0.8)
    return figure
