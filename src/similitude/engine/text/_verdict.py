"""The verdict below a grid: one sentence about the most different layers or pairs."""

from collections.abc import Sequence

import numpy as np

from .._rows import Row
from ._models import between_models, models_of
from ._numbers import number


def verdict(rows: Sequence[Row]) -> str:
    """The layer that differs most between models, or the most extreme pairs.

    `rows` are rows of one measure.
    """
    return layer_verdict(rows) or _extreme_pairs(between_models(in_order(rows)))


def layer_verdict(rows: Sequence[Row]) -> str:
    """The layer that differs most between models; empty if they do not share layers."""
    scored = in_order(rows)
    if not scored:
        return ""
    between = between_models(scored)
    by_layer: dict[str, list[Row]] = {}
    for row in between:
        if row.a_layer is not None and row.a_layer == row.b_layer:
            by_layer.setdefault(row.a_layer, []).append(row)
    if len(by_layer) < 2:
        return ""
    sign = _sign(scored)
    means = {layer: sign * _mean(found) for layer, found in by_layer.items()}
    worst, best = min(means, key=means.__getitem__), max(means.values())
    models = [model.name for model in models_of(between)]
    where = f"{models[0]} and {models[1]}" if len(models) == 2 else "models"
    if number(means[worst]) == number(best):
        return f"All layers are equally similar between {where}: {number(abs(best))}."
    chosen = by_layer[worst]
    count = f" (mean of {len(chosen)} pairs)" if len(chosen) > 1 else ""
    score = number(_mean(chosen))
    return f"{worst} differs most between {where}: {score}{count}{_beside(chosen)}."


def in_order(rows: Sequence[Row]) -> list[Row]:
    """The rows with a score, from the most to the least similar pair."""
    scored = [row for row in rows if row.score is not None]
    sign = _sign(scored) if scored else 1.0
    return sorted(scored, key=lambda row: -sign * (row.score or 0.0))


def _extreme_pairs(rows: Sequence[Row]) -> str:
    """The most and the least similar of rows that are ordered by similarity."""
    if len(rows) < 2:
        return ""
    first, last = rows[0], rows[-1]
    texts = [
        f"{title}: {row.a} - {row.b}, {number(row.score)}{_beside([row])}"
        for title, row in (("Most similar", first), ("Least similar", last))
    ]
    return f"{texts[0]}. {texts[1]}."


def _beside(rows: Sequence[Row]) -> str:
    """The mean of each baseline of these rows."""
    texts = []
    for name in dict.fromkeys(name for row in rows for name in row.baselines):
        found = [row.baselines[name] for row in rows if name in row.baselines]
        texts.append(f"; {name} {number(float(np.mean(found)))}")
    return "".join(texts)


def _sign(rows: Sequence[Row]) -> float:
    return 1.0 if rows[0].kind == "similarity" else -1.0


def _mean(rows: Sequence[Row]) -> float:
    return float(np.mean([row.score for row in rows if row.score is not None]))
