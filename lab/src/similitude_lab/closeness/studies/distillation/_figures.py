"""Closeness of students to their teacher, by the loss of the distillation."""

from collections.abc import Mapping

import numpy as np

from similitude.plots import COLORS, MARKERS, new_figure

from ....study import Figure, Frame, mean_interval
from ....study.panels import intervals

PANELS = {
    "m_cca_f": "$m_{CCA}$ of embeddings (no unit)",
    "d_logit": "logit distance (logits)",
    "accuracy": "accuracy on test points (share)",
}


def draw_students(table: Frame, names: Mapping[str, str]) -> Figure:
    """One gray line per student seed; mean and interval over teachers."""
    figure = new_figure(9.5, 3.4)
    places = np.arange(len(names))
    panels = figure.subplots(1, 3)
    for panel, (score, label) in zip(panels, PANELS.items(), strict=True):
        by_loss = [table.where(loss=kind) for kind in names]
        lines = np.array([own[score] for own in by_loss])
        panel.plot(places, lines, color="0.75", lw=0.8, zorder=1)
        looks = zip(COLORS, MARKERS, strict=True)
        for place, own, (color, marker) in zip(places, by_loss, looks, strict=False):
            values = own[score]
            panel.plot([place] * len(values), values, marker, color=color, ms=4)
            teachers = np.unique(own["teacher"])
            found = mean_interval(
                [own.where(teacher=t)[score].mean() for t in teachers]
            )
            look = {"fmt": marker, "color": color, "capsize": 4}
            intervals(panel, place + 0.2, *found[:3], **look)
        panel.set_xticks(places, names.values())
        panel.set_xlim(-0.4, len(names) - 0.5)
        panel.set_xlabel("loss of the distillation")
        panel.set_ylabel(label)
    return figure
