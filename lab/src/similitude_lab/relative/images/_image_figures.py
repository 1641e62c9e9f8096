"""Stitched accuracies: tables of colors by architecture, and means by transform."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from similitude.plots import COLORS, MARKERS, new_figure

from ...study import Figure

Columns = Mapping[str, np.ndarray]


def _arrays(table: Any) -> Columns:
    return {name: np.asarray(column) for name, column in table.items()}


def draw_architectures(
    table: Any, transforms: tuple[str, ...], names: tuple[str, ...]
) -> Figure:
    """One panel per transform: encoders in rows, decoders in columns."""
    columns = _arrays(table)
    figure = new_figure(9.5, 5.2)
    panels = figure.subplots(2, 4, sharex=True, sharey=True)
    for panel, transform in zip(panels.flat, transforms, strict=True):
        means = np.full((len(names), len(names)), np.nan)
        for i, encoder in enumerate(names):
            for j, decoder in enumerate(names):
                chosen = (columns["transform"] == transform) & (
                    columns["kind"] == "stitched"
                )
                chosen &= (columns["encoder"] == encoder) & (
                    columns["decoder"] == decoder
                )
                means[i, j] = columns["mean"][chosen][0]
                shown = "–" if np.isnan(means[i, j]) else f"{means[i, j]:.0f}"
                ink = "white" if means[i, j] <= 55 else "black"  # also undefined
                panel.text(j, i, shown, ha="center", va="center", color=ink)
        panel.set_facecolor("white")
        image = panel.imshow(means, cmap="cividis", vmin=0, vmax=100)
        panel.set_title(transform.replace("_", " "), fontsize=10)
        panel.set_xticks(range(len(names)), names)
        panel.set_yticks(range(len(names)), names)
    for panel in panels[:, 0]:
        panel.set_ylabel("encoder")
    for panel in panels[1]:
        panel.set_xlabel("decoder")
    figure.colorbar(image, ax=panels, label="accuracy of stitched networks (%)")
    return figure


def draw_transforms(tables: Mapping[str, Any], transforms: tuple[str, ...]) -> Figure:
    """Accuracy by transform: own and stitched; trained and pretrained encoders."""
    kinds = [name for name in ("architectures", "pretrained") if name in tables]
    figure = new_figure(4.7 * len(kinds), 4.2)
    panels = figure.subplots(1, len(kinds), sharey=True, squeeze=False)[0]
    titles = {"architectures": "trained encoders", "pretrained": "pretrained encoders"}
    places = np.arange(len(transforms))
    for panel, kind in zip(panels, kinds, strict=True):
        columns = _arrays(tables[kind])
        for state, color, marker, shift in (
            ("own", COLORS[0], MARKERS[0], 0.15),
            ("stitched", COLORS[1], MARKERS[1], -0.15),
        ):
            for place, transform in zip(places, transforms, strict=True):
                chosen = columns["transform"] == transform
                every = columns["mean"][chosen & (columns["kind"] == state)]
                cells = every[np.isfinite(every)]
                label = f"{state} (cells and mean)" if place == places[-1] else None
                if len(cells):
                    at = place + shift
                    panel.plot(
                        cells, [at] * len(cells), marker, color=color, ms=4, alpha=0.45
                    )
                    if len(cells) == len(every):
                        panel.plot(cells.mean(), at, "|", color=color, ms=14, mew=2)
                    panel.plot([], [], marker, color=color, label=label)
                elif state == "stitched":
                    panel.text(
                        50,
                        place + shift,
                        "undefined",
                        va="center",
                        ha="center",
                        fontsize=8,
                        color="0.4",
                    )
        panel.set_title(titles[kind], fontsize=10)
        panel.set_xlabel("accuracy (%)")
        panel.set_xlim(0, 100)
        panel.set_yticks(places, [name.replace("_", " ") for name in transforms])
    panels[0].invert_yaxis()
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, fontsize=8, loc="outside lower center", ncols=2)
    return figure
