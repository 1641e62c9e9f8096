"""Results as text: what was found, how sure it is, and how to read it."""

from collections.abc import Sequence

from .._rows import Row
from ._columns import one_measure, one_pair
from ._overview import extremes, matrix
from ._reading import footnotes

# What a reader takes in: lines under each other, then a matrix, then its extremes.
_LISTED, _IN_A_MATRIX = 10, 30


def render(rows: Sequence[Row], notes: Sequence[str], width: int = 80) -> str:
    """One pair: a line a measure. Several: a line a pair, or a matrix, a measure.

    Scores of different measures are not of one scale, so that what stands under each
    other is of one measure wherever there is more than one pair.
    """
    pairs = dict.fromkeys((row.a, row.b) for row in rows)
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    if len(pairs) == 1:
        parts = [one_pair(rows, width)]
    else:
        labels = dict.fromkeys(row.label for row in rows)
        star = len(pairs) < len(names)  # with a reference, pairs are one list
        parts = [
            _part([row for row in rows if row.label == label], names, width, star=star)
            for label in labels
        ]
    foot = footnotes(rows, notes, width)
    return "\n\n".join("\n".join(part) for part in [*parts, foot] if part)


def _part(
    rows: Sequence[Row], names: Sequence[str], width: int, *, star: bool
) -> list[str]:
    concerned = {name for row in rows for name in (row.a, row.b)}
    if len(rows) <= _LISTED or (star and len(rows) <= _IN_A_MATRIX):
        return one_measure(rows, width)
    if len(concerned) <= _IN_A_MATRIX and not star:
        return matrix(rows, [name for name in names if name in concerned], width)
    return extremes(rows, width)
