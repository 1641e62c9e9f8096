"""Block x block tables of dissimilarities: means over seeds."""

from collections.abc import Mapping

from similitude.plots import new_figure

from ...study import Figure, Frame
from ...study.panels import heat_map

NETWORKS = {"resnet20": "ResNet-20", "vgg11": "VGG-11"}


def draw_blocks(table: Frame, measures: Mapping[str, str]) -> Figure:
    """One row of panels per network; darker cells are more similar."""
    figure = new_figure(3.9 * len(measures), 7.2)
    panels = figure.subplots(len(NETWORKS), len(measures))
    for row, (network, title) in zip(panels, NETWORKS.items(), strict=True):
        for panel, (measure, words) in zip(row, measures.items(), strict=True):
            own = table.where(network=network, measure=measure)
            count = own["a"].max()
            scores = own["score"].reshape(-1, count, count).mean(axis=0)
            image = heat_map(
                panel,
                scores,
                text=".0f" if measure == "rtd" else ".2f",
                white_below=0.4 * scores.max(),
                size=7,
                cmap="Blues_r",
                vmin=0,
                vmax=scores.max(),
            )
            panel.set_title(f"{title}: {words}", fontsize=9)
            panel.set(xlabel="block", ylabel="block")
            figure.colorbar(image, ax=panel, shrink=0.8)
    return figure
