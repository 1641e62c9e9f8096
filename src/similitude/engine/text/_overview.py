"""Summary of very many pairs: quartiles, and the most and least similar pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..._base._printable import shortened, wrapped_lines
from ..._base._table import GAP, Column, table
from .._findings import LayerFact, comparable, layer_facts
from .._rows import Row
from ._numbers import numbers
from ._summary import summary, which_pairs
from ._verdict import change, in_order, layer_verdict, most

_LAYERS = 6  # at most this many are listed
_EXTREMES = 3  # pairs of each kind if they fit side by side, one fewer otherwise


def overview(by_label: Mapping[str, Sequence[Row]], width: int) -> list[list[str]]:
    """The quartiles of all measures, and the extreme pairs of each measure."""
    table = [
        f"Scores of {which_pairs(by_label)}",
        *summary(by_label, width, spread=True),
    ]
    layers: list[str] = []  # all layers under the first measure
    others: list[str] = []
    for label, rows in by_label.items():
        facts = layer_facts(rows)
        if facts and facts[0].gain is not None and not layers:
            layers = _layer_table(label, facts, width)
        elif facts:
            others += wrapped_lines([f"{label}: {layer_verdict(rows)}"], width)
    findings = [section for section in (layers, others) if section]
    return [*findings, table, *_extremes(by_label, width)]


def _layer_table(label: str, facts: Sequence[LayerFact], width: int) -> list[str]:
    """Score, baseline and their difference, the layer with the largest gain first."""
    shown = [*facts[: _LAYERS - 1], facts[-1]] if len(facts) > _LAYERS else facts
    columns = [
        Column("", [shortened(fact.layer, 30) for fact in shown], left=True),
        Column("score", numbers([fact.score for fact in shown])),
        Column(str(facts[0].baseline), numbers([fact.base for fact in shown])),
        Column("difference", [change(fact) for fact in shown]),
        Column("pairs", [str(len(fact.rows)) for fact in shown]),
    ]
    title = f"{label} by layer, mean over pairs of different models: {most(facts)}"
    lines = table(columns, width)
    if len(facts) > _LAYERS:
        lines.insert(-1, f"... {len(facts) - _LAYERS} more layers")
    return [*wrapped_lines([title], width), *lines]


def _extremes(by_label: Mapping[str, Sequence[Row]], width: int) -> list[list[str]]:
    by_label = {shortened(label, 30): rows for label, rows in by_label.items()}
    first, most, least = _ends_of_all(by_label, _EXTREMES, 200)
    beside = table([first, replace(most, least=most.width + 2), least])
    if max(map(len, beside)) <= width:
        return [beside]
    longest = (width - first.width - len(GAP) - 14) // 2
    first, most, least = _ends_of_all(by_label, _EXTREMES - 1, longest)
    return [
        [
            f"{side.heading.capitalize()} pairs",
            *table([first, replace(side, heading="")]),
        ]
        for side in (most, least)
    ]


def _ends_of_all(
    by_label: Mapping[str, Sequence[Row]], count: int, longest: int
) -> list[Column]:
    """The labels, and the most and the least similar pairs of each."""
    ends = {label: _ends(rows, count, longest) for label, rows in by_label.items()}
    labels = [
        "" if i else label
        for label, (most, _) in ends.items()
        for i in range(len(most))
    ]
    sides = [[text for pair in ends.values() for text in pair[i]] for i in (0, 1)]
    heads = ("", "most similar", "least similar")
    columns = zip(heads, (labels, *sides), strict=True)
    return [Column(head, cells, left=True) for head, cells in columns]


def _ends(rows: Sequence[Row], count: int, longest: int) -> tuple[list[str], list[str]]:
    """The most and the least similar pairs, each with its score."""
    ordered = in_order(comparable(rows))
    count = min(count, len(ordered) // 2)
    first, last = ordered[:count], ordered[len(ordered) - count :][::-1]
    texts = numbers([row.score for row in [*first, *last]])
    names = [
        f"{shortened(row.a, longest)} - {shortened(row.b, longest)}"
        for row in [*first, *last]
    ]
    ready = [f"{text}  {name}" for text, name in zip(texts, names, strict=True)]
    return ready[:count], ready[count:]
