"""Accuracy of both arms for each split, and the paired differences."""

import numpy as np

from similitude.plots import COLORS, MARKERS, new_figure

from ...study import Figure, Frame, paired_interval
from ...study.panels import intervals


def draw_differences(table: Frame, arms: tuple[str, ...]) -> Figure:
    """Left: accuracies, one line per split. Right: mean differences with intervals."""
    tasks = table.unique("data", "labels")
    names = [f"{name.replace('_', '-')}\n{labels} labels" for name, labels in tasks]
    figure = new_figure(9.0, 3.8)
    scores, gains = figure.subplots(1, 2, gridspec_kw={"width_ratios": [3, 2]})
    for at, (name, labels) in enumerate(tasks):
        own = table.where(data=name, labels=labels)
        both = [own.where(arm=arm)["accuracy"] for arm in arms]
        ends = (at - 0.18, at + 0.18)
        scores.plot(ends, np.array(both), color="0.75", lw=0.8, zorder=1)
        for k, (place, values) in enumerate(zip(ends, both, strict=True)):
            look = {"color": COLORS[k], "marker": MARKERS[k], "ls": "", "ms": 5}
            label = arms[k].replace("_", "-") if at == 0 else None
            scores.plot([place] * len(values), values, label=label, **look)
        gain = paired_interval(both[1], both[0])
        intervals(gains, at, *gain[:3], fmt="s", color=COLORS[2], capsize=4)
    scores.set_ylabel("accuracy on test images (%)")
    scores.legend(fontsize=8)
    gains.axhline(0, color="0.5", lw=0.8)
    gains.set_ylabel("densified minus cross-entropy (points)")
    for panel in (scores, gains):
        panel.set_xticks(range(len(tasks)), names, fontsize=8)
        panel.set_xlim(-0.5, len(tasks) - 0.5)
    return figure
