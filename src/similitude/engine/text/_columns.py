"""Lists of rows, with the statistics in columns."""

from collections.abc import Sequence
from dataclasses import replace

from ..._base._printable import wrapped_lines
from ..._base._table import Column, table
from .._rows import Row
from ._numbers import aligned, decimals, intervals, number, numbers, probability
from ._remarks import reading, remark

_MIN_TEXT_WIDTH = 40  # if less room is left, text goes below the numbers
_LONGEST_NAME = 30  # a longer name has its own line


def one_pair(rows: Sequence[Row], width: int) -> list[str]:
    """One line per measure, with the interpretation of its score."""
    first = _names("measure", [row.label for row in rows])
    columns, overflow = _columns(rows, width - first.width, one_measure=False)
    texts = _with_overflow(rows, [reading(row) for row in rows], overflow)
    title = wrapped_lines([f"{rows[0].a} - {rows[0].b}"], width)
    text = Column("interpretation", texts, least=_MIN_TEXT_WIDTH)
    return [*title, *table([first, *columns], width, text=text)]


def one_measure(rows: Sequence[Row], width: int) -> list[str]:
    """One line per pair, below the interpretation of the measure."""
    first = _names("pair", [f"{row.a} - {row.b}" for row in rows])
    columns, overflow = _columns(rows, width - first.width, one_measure=True)
    title = [f"{rows[0].label}: {rows[0].reading}"]
    texts = [remark(row) for row in rows]
    if len(set(texts)) == 1 and texts[0] and rows[0].status == "ok":
        title.append(f"({texts[0]})")  # once instead of in each row
        texts = [""] * len(texts)
    texts = _with_overflow(rows, texts, overflow)
    text = Column("", texts, least=_MIN_TEXT_WIDTH)
    return [*wrapped_lines(title, width), *table([first, *columns], width, text=text)]


def _names(heading: str, names: Sequence[str]) -> Column:
    return Column(heading, names, left=True, longest=_LONGEST_NAME)


def _columns(
    rows: Sequence[Row], room: int, *, one_measure: bool
) -> tuple[list[Column], list[Column]]:
    """The columns that fit into `room`, and the baseline columns that do not.

    Rows of one measure have the same number of decimals in all columns.
    """

    def cells_of(values: Sequence[float | None]) -> list[str]:
        return numbers(values) if one_measure else aligned([number(v) for v in values])

    found = [Column("score", cells_of([row.score for row in rows]))]
    if any("corrected" in row.details for row in rows):
        corrected = [row.details.get("corrected") for row in rows]
        found.append(Column("corrected", cells_of(corrected)))
    if any(row.low is not None for row in rows):
        places = decimals([row.score for row in rows]) if one_measure else None
        found.append(Column("95 % CI", intervals(rows, places), left=True))
    if any(row.p is not None for row in rows):
        found.append(Column("null", cells_of([row.null_mean for row in rows])))
        found.append(Column("p", aligned([probability(row) for row in rows])))
    optional = [
        Column(name, cells_of([row.baselines.get(name) for row in rows]))
        for name in dict.fromkeys(name for row in rows for name in row.baselines)
    ]
    if one_measure and any("biased" in row.details for row in rows):
        biased = [row.details.get("biased") for row in rows]
        optional.append(Column("biased", cells_of(biased)))
    room -= sum(column.width + 2 for column in found)
    overflow = []
    for column in optional:
        if column.width + 2 <= room:
            found.append(column)
            room -= column.width + 2
        elif column.heading != "biased":
            overflow.append(column)
    # In a row without a score, the reason takes the place of the empty cells.
    ok = [row.status == "ok" for row in rows]
    for i, column in enumerate(found[1:], 1):
        cells = [t if has else None for t, has in zip(column.cells, ok, strict=True)]
        found[i] = replace(column, cells=cells)
    return found, overflow


def _with_overflow(
    rows: Sequence[Row], texts: Sequence[str], overflow: Sequence[Column]
) -> list[str]:
    """The text of each row, followed by its baselines that have no column."""
    found = []
    for i, (row, text) in enumerate(zip(rows, texts, strict=True)):
        cells = [f"{c.heading} {(c.cells[i] or '').strip()}" for c in overflow]
        more = f"({', '.join(cells)})" if cells and row.status == "ok" else ""
        found.append(" ".join(filter(None, [text, more])))
    return found
