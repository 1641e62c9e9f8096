"""Figures of the studies on images: stitched accuracies, and accuracies of splits."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from similitude.plots import COLORS, MARKERS

from ...study import Figure, Frame, paired_interval
from ...study.panels import heat_map, intervals, subplots
from ._encoders import ARCHITECTURES, TRANSFORMS
from ._few_labels import ARMS

TITLES = {"architectures": "trained encoders", "pretrained": "pretrained encoders"}


def draw_architectures(table: Frame) -> Figure:
    """One panel per transform: encoders in rows, decoders in columns."""
    figure, panels = subplots(2, 4, figsize=(9.5, 5.2), sharex=True, sharey=True)
    look: dict[str, Any] = {"cmap": "cividis", "vmin": 0, "vmax": 100, "text": ".0f"}
    look["white_below"] = np.nextafter(55, 100)
    for panel, transform in zip(panels.flat, TRANSFORMS, strict=True):
        own = table.where(transform=transform, kind="stitched")
        means = own["mean"].reshape(len(ARCHITECTURES), -1)
        panel.set_facecolor("white")
        image = heat_map(panel, means, ARCHITECTURES, ARCHITECTURES, **look)
        panel.set_title(transform.replace("_", " "), fontsize=10)
    for panel in panels[:, 0]:
        panel.set_ylabel("encoder")
    for panel in panels[1]:
        panel.set_xlabel("decoder")
    figure.colorbar(image, ax=panels, label="accuracy of stitched networks (%)")
    return figure


def draw_transforms(tables: Mapping[str, Frame]) -> Figure:
    """Accuracy by transform: own and stitched; trained and pretrained encoders."""
    kinds = [name for name in TITLES if name in tables]
    count = len(kinds)
    size = (4.7 * count, 4.2)
    figure, (panels,) = subplots(1, count, figsize=size, sharey=True, squeeze=False)
    for panel, kind in zip(panels, kinds, strict=True):
        for k, (state, shift) in enumerate((("own", 0.15), ("stitched", -0.15))):
            color, marker = COLORS[k], MARKERS[k]
            for place, transform in enumerate(TRANSFORMS):
                every = tables[kind].where(transform=transform, kind=state)["mean"]
                cells = every[np.isfinite(every)]
                at = place + shift
                dots = {"color": color, "ms": 4, "alpha": 0.45}
                panel.plot(cells, [at] * len(cells), marker, **dots)
                if len(cells) == len(every):
                    panel.plot(cells.mean(), at, "|", color=color, ms=14, mew=2)
                elif not len(cells) and state == "stitched":
                    look = {"va": "center", "ha": "center", "color": "0.4"}
                    panel.text(50, at, "undefined", fontsize=8, **look)
            label = f"{state} (cells and mean)"
            panel.plot([], [], marker, color=color, label=label)
        panel.set_title(TITLES[kind], fontsize=10)
        panel.set(xlabel="accuracy (%)", xlim=(0, 100))
        names = [name.replace("_", " ") for name in TRANSFORMS]
        panel.set_yticks(range(len(names)), names)
    panels[0].invert_yaxis()
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, fontsize=8, loc="outside lower center", ncols=2)
    return figure


def draw_differences(table: Frame) -> Figure:
    """Left: accuracies, one line per split. Right: mean differences with intervals."""
    tasks = table.unique("data", "labels")
    names = [f"{name.replace('_', '-')}\n{labels} labels" for name, labels in tasks]
    figure, (scores, gains) = subplots(1, 2, figsize=(9.0, 3.8), width_ratios=(3, 2))
    for at, (name, labels) in enumerate(tasks):
        own = table.where(data=name, labels=labels)
        both = [own.where(arm=arm)["accuracy"] for arm in ARMS]
        ends = (at - 0.18, at + 0.18)
        scores.plot(ends, np.array(both), color="0.75", lw=0.8, zorder=1)
        for k, (place, values) in enumerate(zip(ends, both, strict=True)):
            look = {"color": COLORS[k], "marker": MARKERS[k], "ls": "", "ms": 5}
            label = ARMS[k].replace("_", "-") if at == 0 else None
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
