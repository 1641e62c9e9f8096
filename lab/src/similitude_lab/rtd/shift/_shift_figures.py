"""Figure of the curves of all shifts."""

from similitude.plots import new_figure

from ...study import Figure, Frame
from ..curves._curve_figures import draw_panels
from ._image_transformations import SHIFTS


def draw_curves(table: Frame) -> Figure:
    """One panel per shift, from the original images to the strongest shift."""
    figure = new_figure(11.5, 5.6)
    panels = figure.subplots(2, 4, sharey=True)
    titles = {name: name for name in SHIFTS}
    draw_panels(figure, panels.ravel(), table, ("shift", "level"), titles)
    for panel, shift in zip(panels.ravel(), SHIFTS.values(), strict=True):
        panel.set_xlabel(shift.label, fontsize=9)
    for panel in panels[:, 0]:
        panel.set_ylabel("share of the maximum")
    return figure
