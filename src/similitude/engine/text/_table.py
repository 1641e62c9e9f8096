"""Results as a text table with notes."""

from collections.abc import Sequence

from .._rows import Row
from ._columns import one_measure, one_pair
from ._overview import extremes, matrix
from ._reading import footnotes

# Up to 10 rows are listed, up to 30 representations are a matrix, then extremes only.
_LISTED, _IN_A_MATRIX = 10, 30


def render(rows: Sequence[Row], notes: Sequence[str], width: int = 80) -> str:
    """Render a table. One pair: one line per measure. Several pairs: one section each.

    With several pairs, each measure has its own section: one line per pair, or a
    matrix. Scores of different measures are not comparable.
    """
    pairs = dict.fromkeys((row.a, row.b) for row in rows)
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    if len(pairs) == 1:
        parts = [one_pair(rows, width)]
    else:
        labels = dict.fromkeys(row.label for row in rows)
        reference = len(pairs) < len(names)  # all pairs share one representation
        by_label = [[row for row in rows if row.label == label] for label in labels]
        parts = [_section(part, names, width, reference=reference) for part in by_label]
    foot = footnotes(rows, notes, width)
    return "\n\n".join("\n".join(part) for part in [*parts, foot] if part)


def _section(
    rows: Sequence[Row], names: Sequence[str], width: int, *, reference: bool
) -> list[str]:
    compared = {name for row in rows for name in (row.a, row.b)}
    if len(rows) <= _LISTED or (reference and len(rows) <= _IN_A_MATRIX):
        return one_measure(rows, width)
    if len(compared) <= _IN_A_MATRIX and not reference:
        return matrix(rows, [name for name in names if name in compared], width)
    return extremes(rows, width)
