"""Dissimilarities of all pairs of both ensembles, beside the published means."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from similitude.plots import COLORS, new_figure

from ...study import Figure
from ._representations import TITLES

LABELS = {"classical": "classical\n(4 seeds)", "fge": "FGE\n(4 cycles)"}


def draw_ensembles(pairs: Any, published: Mapping[str, Sequence[float]]) -> Figure:
    """One panel per dissimilarity: pairs, mean and sd, published mean and sd."""
    columns = {name: np.asarray(values) for name, values in pairs.items()}
    figure = new_figure(9.0, 3.7)
    for panel, (name, title) in zip(
        figure.subplots(1, len(TITLES)), TITLES.items(), strict=True
    ):
        for at, ensemble in enumerate(LABELS):
            scores = columns[name][columns["ensemble"] == ensemble]
            spread = np.linspace(-0.08, 0.08, len(scores))
            panel.plot(at + spread, scores, ".", color=COLORS[at], alpha=0.6)
            panel.errorbar(
                [at - 0.2],
                [scores.mean()],
                yerr=[scores.std(ddof=1)],
                fmt="o",
                color=COLORS[at],
                capsize=4,
            )
            mean, sd = published[name][2 * at : 2 * at + 2]
            look: dict[str, Any] = {"fmt": "D", "color": "gray", "capsize": 4}
            panel.errorbar([at + 0.25], [mean], yerr=[sd], **look)
        relative = _relative(columns, name)
        panel.set_title(
            f"{title}\nrelative difference {relative:.1%}\n"
            f"(published {published[name][-1]:.1%})",
            fontsize=9,
        )
        panel.set_xticks(range(len(LABELS)), list(LABELS.values()))
        panel.set(xlim=(-0.5, 1.5), ylabel=title)
        panel.set_ylim(bottom=0)
    figure.supxlabel(
        "dots: pairs; circles: their mean ± sd; gray diamonds: published mean ± sd",
        fontsize=9,
    )
    return figure


def _relative(columns: Mapping[str, np.ndarray], name: str) -> float:
    classical, fge = (
        columns[name][columns["ensemble"] == ensemble].mean() for ensemble in LABELS
    )
    return float((classical - fge) / classical)
