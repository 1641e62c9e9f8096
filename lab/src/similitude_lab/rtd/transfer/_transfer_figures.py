"""Figure of the curves of fine-tuning."""

from ...study import Figure, Frame
from ...study.panels import subplots
from ..curves._curve_figures import draw_panels

#: Images and the epoch they are compared with.
TITLES = {
    "source": "source, to the last epoch",
    "target": "target, to the last epoch",
    "source_from_first": "source, to epoch 0",
}


def draw_epochs(table: Frame) -> Figure:
    """One panel per data set: all curves by epoch."""
    figure, panels = subplots(1, len(TITLES), figsize=(11.5, 3.6), sharey=True)
    draw_panels(figure, panels, table, ("images", "epoch"), TITLES)
    for panel in panels:
        panel.set(xlabel="epoch of fine-tuning")
        panel.xaxis.get_major_locator().set_params(integer=True)
    panels[0].set_ylabel("share of the maximum")
    return figure
