"""The picture of the demo, which is also that of the README."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import similitude as sim


def draw(found: sim.Results, path: Path) -> None:
    """Equal layers of different networks, trained and untrained; legible on a phone."""
    rows = [
        row
        for row in found.rows
        if row.label == "cka" and row.a_layer == row.b_layer and row.score is not None
    ]
    layers = list(dict.fromkeys(row.a_layer for row in rows))
    with plt.rc_context({"font.size": 15}):
        figure, axis = plt.subplots(figsize=(8, 4.6), layout="constrained")
        for name, color, mark in (
            ("trained", "#0072b2", "o"),
            ("untrained", "#d55e00", "s"),
        ):
            scores = [
                [
                    row.score if name == "trained" else row.baselines["untrained"]
                    for row in rows
                    if row.a_layer == layer
                ]
                for layer in layers
            ]
            for place, values in enumerate(scores):
                spread = np.linspace(-0.12, 0.12, len(values))
                axis.plot(
                    place + spread, values, mark, color=color, alpha=0.3, markersize=6
                )
            means = [float(np.mean(values)) for values in scores]
            axis.plot(means, f"-{mark}", color=color, linewidth=3, markersize=9)
            axis.annotate(
                name,
                (len(layers) - 1, means[-1]),
                xytext=(26, 0),
                textcoords="offset points",
                color=color,
                va="center",
            )
        axis.set_xticks(range(len(layers)), layers)
        axis.set_xlim(-0.3, len(layers) - 0.15)
        axis.set_ylim(0, 1.02)
        axis.set_ylabel("CKA")
        axis.set_title(
            f"Equal layers of {_count(found)} networks: one point per pair", fontsize=15
        )
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(axis="y", alpha=0.3)
        figure.savefig(path, dpi=100)
        plt.close(figure)


def _count(found: sim.Results) -> int:
    return len({row.a_model for row in found.rows} | {r.b_model for r in found.rows})
