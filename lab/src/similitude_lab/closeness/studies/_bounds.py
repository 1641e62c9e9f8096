"""Both bounds on the distance of representations, counted over pairs of models."""

from collections.abc import Mapping
from typing import Any, Final, Literal

import numpy as np
from scipy import stats

from similitude.plots import new_figure

from ...study import Figure
from ..plots import plot_term_bound

DIMENSION = 2  # M, the dimension of the representations

#: Term of d_LLV, its column, and the column of the distance that it bounds.
TERMS: Final[tuple[tuple[Literal["d_LLV", "t1", "t2"], str, str], ...]] = (
    ("d_LLV", "d_llv", "d_fg"),
    ("t1", "t1", "d_f"),
    ("t2", "t2", "d_g"),
)
ROUNDING = 1e-9


def bound_values(table: Mapping[str, Any]) -> dict[str, float]:
    """Violations of the published bound 2 M d and of 2 d², and the least slack."""
    column = {name: np.asarray(values) for name, values in table.items()}
    published = 2 * DIMENSION * column["d_llv"] - column["d_fg"]
    square = np.concatenate([2 * column[t] ** 2 - column[d] for _, t, d in TERMS])
    swapped = column["d_f"] > 2 * column["t2"] ** 2 + ROUNDING
    return {
        "pairs": float(len(published)),
        "violations_published": float((published < -ROUNDING).sum()),
        "violations_square": float((square < -ROUNDING).sum()),
        "violations_swapped": float(swapped.sum()),
        "least_slack_published": float(published.min()),
        "least_slack_square": float(square.min()),
        "rank_correlation": float(
            stats.spearmanr(column["d_llv"], column["d_fg"]).statistic
        ),
    }


def draw_bounds(
    table: Mapping[str, np.ndarray], groups: str, name: str, *, all_pairs: bool = False
) -> Figure:
    """Each term against its bound. By default only pairs below 0.25 are drawn."""
    figure = new_figure(12.0, 4.2)
    for panel, (which, x, y) in zip(figure.subplots(1, 3), TERMS, strict=True):
        plot_term_bound(
            table[x],
            table[y],
            dimension=DIMENSION,
            which=which,
            groups=table[groups],
            group_name=name,
            largest=float(table[x].max()) * 1.01 if all_pairs else None,
            ax=panel,
        )
    return figure
