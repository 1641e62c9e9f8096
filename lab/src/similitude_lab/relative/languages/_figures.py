"""Figures of the language table: accuracies, and paired differences."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from similitude.plots import COLORS, MARKERS, new_figure

from ...study import Figure


def _arrays(table: Mapping[str, Any], **wanted: str) -> dict[str, np.ndarray]:
    columns = {name: np.asarray(column) for name, column in table.items()}
    chosen = np.ones(len(columns["metric"]), dtype=bool)
    for name, value in wanted.items():
        chosen &= columns[name] == value
    return {name: column[chosen] for name, column in columns.items()}


def _in_order(values: Any) -> list[str]:
    return list(dict.fromkeys(np.asarray(values).tolist()))


def _panels(networks: list[str]) -> "tuple[Figure, list[Any]]":
    """One panel per network, two in a row."""
    rows = -(-len(networks) // 2)
    figure = new_figure(9.6, 4.0 * rows)
    grid = figure.subplots(rows, 2, sharey=True, sharex=True, squeeze=False).ravel()
    for panel in grid[len(networks) :]:
        panel.remove()
    return figure, list(grid[: len(networks)])


def draw_accuracies(table: Mapping[str, Any], majority: Mapping[str, float]) -> Figure:
    """Accuracy of each transform; filled markers are decoders at home."""
    networks = _in_order(table["network"])
    transforms = _in_order(table["transform"])
    figure, panels = _panels(networks)
    for panel, network in zip(panels, networks, strict=True):
        own = _arrays(table, network=network, metric="accuracy")
        languages = _in_order(own["decoder"])
        pairs = [(decoder, encoder) for decoder in languages for encoder in languages]
        for at, (decoder, encoder) in enumerate(pairs):
            here = (own["decoder"] == decoder) & (own["encoder"] == encoder)
            y = [len(transforms) - transforms.index(t) + (1.5 - at) * 0.17
                 for t in own["transform"][here]]  # fmt: skip
            home = decoder == encoder
            panel.errorbar(
                own["mean"][here],
                y,
                xerr=np.nan_to_num(own["sd"][here]),
                fmt=MARKERS[at],
                ms=5,
                lw=1,
                color=COLORS[at],
                markerfacecolor=COLORS[at] if home else "white",
                label=f"decoder {decoder}, encoder {encoder}",
            )
        line = {"color": "gray", "lw": 0.8, "ls": ":"}
        panel.axvline(majority[network], **line, label="most frequent class")
        panel.set_yticks(
            range(len(transforms), 0, -1), [t.replace("_", " ") for t in transforms]
        )
        panel.set(title=network, xlabel="accuracy (%), mean ± sd over seeds")
        panel.legend(fontsize=7, loc="center", bbox_to_anchor=(0.33, 0.52))
    return figure


def draw_differences(table: Mapping[str, Any]) -> Figure:
    """Paired differences of accuracy in stitched cells, with intervals over seeds."""
    networks = _in_order(table["network"])
    names = _in_order(table["difference"])
    figure, panels = _panels(networks)
    for panel, network in zip(panels, networks, strict=True):
        own = _arrays(table, network=network, metric="accuracy")
        crossed = (own["decoder"] != own["encoder"]) | (own["decoder"] == "stitched")
        places = zip(own["decoder"][crossed], own["encoder"][crossed], strict=True)
        for at, (decoder, encoder) in enumerate(dict.fromkeys(places)):
            here = (own["decoder"] == decoder) & (own["encoder"] == encoder)
            mean, low, high = (own[name][here] for name in ("mean", "low", "high"))
            y = [len(names) - names.index(n) + (1 - at) * 0.2
                 for n in own["difference"][here]]  # fmt: skip
            label = f"decoder {decoder}, encoder {encoder}"
            pooled = decoder == "stitched"
            panel.errorbar(
                mean,
                y,
                xerr=np.nan_to_num(np.stack([mean - low, high - mean])),
                fmt=MARKERS[at],
                ms=5,
                lw=1,
                capsize=2,
                color=COLORS[6] if pooled else COLORS[at],
                label="mean of both" if pooled else label,
            )
        panel.axvline(0, color="gray", lw=0.8)
        labels = [n.replace("_", " ") for n in names]
        panel.set_yticks(range(len(names), 0, -1), labels)
        panel.set(title=network, xlabel="difference of accuracy (points), 95 % CI")
        panel.legend(fontsize=7, loc="center right", bbox_to_anchor=(1.0, 0.6))
    return figure


def draw_sweep(table: Mapping[str, Any]) -> Figure:
    """Points gained by densification against beta, with intervals over seeds."""
    networks = _in_order(table["network"])
    figure = new_figure(4.2 * len(networks) + 0.6, 3.6)
    panels = figure.subplots(1, len(networks), sharey=True, squeeze=False)
    columns = {name: np.asarray(column) for name, column in table.items()}
    for panel, network in zip(panels[0], networks, strict=True):
        for at, cells in enumerate(("stitched", "home")):
            here = (columns["network"] == network) & (columns["cells"] == cells)
            mean, low, high = (columns[name][here] for name in ("mean", "low", "high"))
            label = "stitched" if cells == "stitched" else "own decoder"
            panel.errorbar(
                columns["beta"][here] * (1 + 0.03 * at),
                mean,
                yerr=np.nan_to_num(np.stack([mean - low, high - mean])),
                fmt=MARKERS[at],
                capsize=3,
                color=COLORS[at],
                label=label,
            )
            suggested = columns["beta"][here][columns["suggested"][here].astype(bool)]
        panel.axvline(suggested[0], color="gray", lw=0.8, ls=":", label="suggested")
        panel.axhline(0, color="gray", lw=0.8)
        tried = np.unique(columns["beta"][columns["network"] == network])
        panel.set(title=network, xlabel="beta (distance, no unit)", xscale="log")
        panel.set_xticks(tried, [f"{beta:.2g}" for beta in tried])
        panel.set_xticks([], minor=True)
        panel.set_xlim(0.7 * tried[0], 1.5 * tried[-1])
        panel.legend(fontsize=8)
    panels[0, 0].set_ylabel("densified - robust (points), 95 % CI")
    return figure
