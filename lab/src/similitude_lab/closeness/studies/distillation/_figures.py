"""Closeness of students to their teacher, by the loss of the distillation."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from similitude.plots import COLORS, MARKERS, new_figure

from ....study import Figure, mean_interval

PANELS = {
    "m_cca_f": "$m_{CCA}$ of embeddings (no unit)",
    "d_logit": "logit distance (logits)",
    "accuracy": "accuracy on test points (share)",
}


def draw_students(table: Any, names: Mapping[str, str]) -> Figure:
    """One gray line per student seed; mean and interval over teachers."""
    columns = {name: np.asarray(column) for name, column in table.items()}
    figure = new_figure(9.5, 3.4)
    places = np.arange(len(names))
    for panel, (score, label) in zip(
        figure.subplots(1, 3), PANELS.items(), strict=True
    ):
        by_loss = [columns[score][columns["loss"] == kind] for kind in names]
        panel.plot(places, np.array(by_loss), color="0.75", lw=0.8, zorder=1)
        for place, values, color, marker in zip(
            places, by_loss, COLORS, MARKERS, strict=False
        ):
            panel.plot([place] * len(values), values, marker, color=color, ms=4)
            teacher = columns["teacher"][columns["loss"] == next(iter(names))]
            means = [values[teacher == t].mean() for t in np.unique(teacher)]
            found = mean_interval(means)
            limits = [[found.mean - found.low], [found.high - found.mean]]
            panel.errorbar(
                place + 0.2, found.mean, yerr=limits, fmt=marker, color=color, capsize=4
            )
        panel.set_xticks(places, names.values())
        panel.set_xlim(-0.4, len(names) - 0.5)
        panel.set_xlabel("loss of the distillation")
        panel.set_ylabel(label)
    return figure
