"""Accuracy of both arms for each split, and the paired differences."""

from typing import Any

import numpy as np

from similitude.plots import COLORS, MARKERS, new_figure

from ...study import Figure, paired_interval


def draw_differences(table: Any, arms: tuple[str, ...]) -> Figure:
    """Left: accuracies, one line per split. Right: mean differences with intervals."""
    columns = {name: np.asarray(column) for name, column in table.items()}
    tasks = list(
        dict.fromkeys(
            zip(columns["data"].tolist(), columns["labels"].tolist(), strict=True)
        )
    )
    names = [f"{name.replace('_', '-')}\n{labels} labels" for name, labels in tasks]
    figure = new_figure(9.0, 3.8)
    scores, gains = figure.subplots(1, 2, gridspec_kw={"width_ratios": [3, 2]})
    for at, (name, labels) in enumerate(tasks):
        chosen = (columns["data"] == name) & (columns["labels"] == labels)
        both = [columns["accuracy"][chosen & (columns["arm"] == arm)] for arm in arms]
        ends = (at - 0.18, at + 0.18)
        scores.plot(ends, np.array(both), color="0.75", lw=0.8, zorder=1)
        for place, values, color, marker, arm in zip(
            ends, both, COLORS, MARKERS, arms, strict=False
        ):
            scores.plot(
                [place] * len(values),
                values,
                marker,
                color=color,
                ms=5,
                label=arm.replace("_", "-") if at == 0 else None,
            )
        gain = paired_interval(both[1], both[0])
        limits = [[gain.mean - gain.low], [gain.high - gain.mean]]
        gains.errorbar(at, gain.mean, yerr=limits, fmt="s", color=COLORS[2], capsize=4)
    scores.set_ylabel("accuracy on test images (%)")
    scores.legend(fontsize=8)
    gains.axhline(0, color="0.5", lw=0.8)
    gains.set_ylabel("densified minus cross-entropy (points)")
    for panel in (scores, gains):
        panel.set_xticks(range(len(tasks)), names, fontsize=8)
        panel.set_xlim(-0.5, len(tasks) - 0.5)
    return figure
