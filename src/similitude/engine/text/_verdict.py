"""The verdict below a grid: one sentence about the most different layers or pairs."""

from collections.abc import Sequence

import numpy as np

from ..._base._printable import printable
from .._findings import (
    LayerFact,
    StepFact,
    between_models,
    comparable,
    layer_facts,
    sign_of,
)
from .._rows import Row
from ._models import models_of
from ._numbers import number


def verdict(rows: Sequence[Row]) -> str:
    """The layer that differs most between models, or the most extreme pairs.

    `rows` are rows of one measure.
    """
    return layer_verdict(rows) or _extreme_pairs(comparable(in_order(rows)))


def layer_verdict(rows: Sequence[Row]) -> str:
    """What training did to each layer, or the layer that differs most between models.

    Empty if models do not share layers.
    """
    facts = layer_facts(rows)
    if not facts:
        return ""
    first, last = facts[0], facts[-1]
    models = [model.name for model in models_of(between_models(rows))]
    where = f"{models[0]} and {models[1]}" if len(models) == 2 else "models"
    if first.gain is not None:
        return _beyond_baseline(facts)
    if number(first.score) == number(last.score):
        return f"All layers are equally similar between {where}: {number(last.score)}."
    count = f" (mean of {len(first.rows)} pairs)" if len(first.rows) > 1 else ""
    score = number(first.score)
    return f"{first.layer} differs most between {where}: {score}{count}."


def _beyond_baseline(facts: Sequence[LayerFact]) -> str:
    """The layers in the order of their gain over the baseline, at most four of them."""
    shown = [*facts[:3], *facts[-1:]] if len(facts) > 4 else facts
    texts = [f"{fact.layer} {change(fact)}" for fact in shown]
    if len(facts) > 4:
        texts[-1] = f"..., {texts[-1]}"
    return f"Score minus {facts[0].baseline}: {', '.join(texts)}."


def steps_in_words(label: str, facts: Sequence[StepFact]) -> str:
    """How layers approach their last checkpoint, at most three of them."""
    texts = []
    for fact in facts[:3]:
        (start, low), (end, high) = fact.path[0], fact.path[-1]
        half = f", half of the way at step {fact.half:g}" if low != high else ""
        texts.append(
            f"{printable(fact.name)} from {number(low)} (step {start:g}) to "
            f"{number(high)} (step {end:g}){half}"
        )
    return f"{label} with the last checkpoint: {'; '.join(texts)}."


def most(facts: Sequence[LayerFact]) -> str:
    """The layer with the largest gain over its baseline."""
    first = facts[0]
    if (first.gain or 0.0) <= 0:
        return f"no layer gained over {first.baseline}"
    return f"{first.layer} gained most over {first.baseline}"


def change(fact: LayerFact) -> str:
    """Score minus baseline, with its sign."""
    if fact.base is None:
        return "-"
    text = number(fact.score - fact.base)
    return text if text.startswith("-") else f"+{text}"


def in_order(rows: Sequence[Row]) -> list[Row]:
    """The rows with a score, from the most to the least similar pair."""
    scored = [row for row in rows if row.score is not None]
    sign = sign_of(scored[0]) if scored else 1.0
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
