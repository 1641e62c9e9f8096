"""Summary of very many pairs: quartiles, and the most and least similar pairs."""

from collections.abc import Mapping, Sequence

from ..._base._printable import shortened
from .._findings import LayerFact, comparable, layer_facts
from .._rows import Row
from ._numbers import numbers
from ._stacked import GAP, stacked, wrapped
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
            others += wrapped([f"{label}: {layer_verdict(rows)}"], width)
    findings = [section for section in (layers, others) if section]
    return [*findings, table, *_extremes(by_label, width)]


def _layer_table(label: str, facts: Sequence[LayerFact], width: int) -> list[str]:
    """Score, baseline and their difference, the layer with the largest gain first."""
    shown = [*facts[: _LAYERS - 1], facts[-1]] if len(facts) > _LAYERS else facts
    columns = {
        "score": numbers([fact.score for fact in shown]),
        str(facts[0].baseline): numbers([fact.base for fact in shown]),
        "difference": [change(fact) for fact in shown],
        "pairs": [str(len(fact.rows)) for fact in shown],
    }
    title = f"{label} by layer, mean over pairs of different models: {most(facts)}"
    lines = stacked([shortened(fact.layer, 30) for fact in shown], columns, width)
    if len(facts) > _LAYERS:
        lines.insert(-1, f"... {len(facts) - _LAYERS} more layers")
    return [*wrapped([title], width), *lines]


def _extremes(by_label: Mapping[str, Sequence[Row]], width: int) -> list[list[str]]:
    by_label = {shortened(label, 30): rows for label, rows in by_label.items()}
    start = max(map(len, by_label))
    room = width - start - len(GAP)
    side = {label: _ends(rows, _EXTREMES, 200) for label, rows in by_label.items()}
    most = max((len(text) for ends in side.values() for text in ends[0]), default=0)
    least = max((len(text) for ends in side.values() for text in ends[1]), default=0)
    if most + 2 * len(GAP) + least <= room:
        head = f"{'':<{start}}{GAP}{'most similar':<{most}}{GAP * 2}least similar"
        lines = [head]
        for label, (first, last) in side.items():
            for i, (one, two) in enumerate(zip(first, last, strict=True)):
                name = "" if i else label
                text = f"{name:<{start}}{GAP}{one:<{most}}{GAP * 2}{two}"
                lines.append(text.rstrip())
        return [lines]
    found = []
    for title, which in (("Most similar pairs", 0), ("Least similar pairs", 1)):
        lines = [title]
        for label, rows in by_label.items():
            texts = _ends(rows, _EXTREMES - 1, (room - 14) // 2)[which]
            for i, text in enumerate(texts):
                lines.append(f"{'' if i else label:<{start}}{GAP}{text}".rstrip())
        found.append(lines)
    return found


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
