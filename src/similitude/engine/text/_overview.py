"""Summary of very many pairs: quartiles, and the most and least similar pairs."""

from collections.abc import Mapping, Sequence

from ..._printable import shortened
from .._rows import Row
from ._models import between_models
from ._numbers import numbers
from ._stacked import GAP, wrapped
from ._summary import summary
from ._verdict import in_order, layer_verdict

_EXTREMES = 3  # pairs of each kind if they fit side by side, one fewer otherwise


def overview(by_label: Mapping[str, Sequence[Row]], width: int) -> list[list[str]]:
    """The quartiles of all measures, and the extreme pairs of each measure."""
    between = {label: between_models(rows) for label, rows in by_label.items()}
    count = max(map(len, between.values()))
    some_within = any(len(between[label]) < len(by_label[label]) for label in by_label)
    which = "pairs of different models" if some_within else "pairs"
    table = [f"Scores of {count:,} {which}", *summary(by_label, width, spread=True)]
    verdicts = [
        f"{label}: {text}"
        for label, rows in by_label.items()
        if (text := layer_verdict(rows))
    ]
    return [table, *_extremes(by_label, width), wrapped(verdicts, width)]


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
    ordered = in_order(between_models(rows))
    count = min(count, len(ordered) // 2)
    first, last = ordered[:count], ordered[len(ordered) - count :][::-1]
    texts = numbers([row.score for row in [*first, *last]])
    names = [
        f"{shortened(row.a, longest)} - {shortened(row.b, longest)}"
        for row in [*first, *last]
    ]
    ready = [f"{text}  {name}" for text, name in zip(texts, names, strict=True)]
    return ready[:count], ready[count:]
