"""Rows under each other, with their statistics in columns."""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .._rows import Row
from ._reading import interval, number, probability, remark

_LEAST_TEXT = 24  # where less room is left, text goes below the numbers
_LONGEST_NAME = 30  # longer ones have a line of their own


@dataclass(frozen=True)
class Column:
    """A heading, and the cell of a row; shown if any row has something in it."""

    heading: str
    cell: Callable[[Row], str]
    width: int
    left: bool = False

    def format(self, text: str) -> str:
        return f"{text:<{self.width}}" if self.left else f"{text:>{self.width}}"


def _columns(
    rows: Sequence[Row], room: int, *, biased: bool
) -> tuple[list[Column], list[Column]]:
    """Those that fit into so much room, and baselines that do not."""
    found = [Column("score", lambda row: number(row.score), 7)]
    if any(row.low is not None for row in rows):
        found.append(Column("95 %", interval, 16, left=True))
    if any(row.p is not None for row in rows):
        found.append(Column("null", lambda row: number(row.null_mean), 6))
        found.append(Column("p", lambda row: probability(row.p), 6))
    more = []
    for name in dict.fromkeys(name for row in rows for name in row.baselines):

        def beside(row: Row, name: str = name) -> str:
            return number(row.baselines.get(name))

        more.append(Column(name, beside, max(6, len(name))))
    if biased and any("biased" in row.details for row in rows):
        more.append(Column("biased", lambda row: number(row.details.get("biased")), 6))
    room -= sum(column.width + 2 for column in found)
    beyond = []
    for column in more:
        if column.width + 2 <= room:
            found.append(column)
            room -= column.width + 2
        elif column.heading != "biased":
            beyond.append(column)
    return found, beyond


def _with_beyond(row: Row, text: str, beyond: Sequence[Column]) -> str:
    """A text, and the baselines that no column has room for."""
    if row.status != "ok" or not beyond:
        return text
    cells = [f"{column.heading} {column.cell(row)}" for column in beyond]
    return " ".join(filter(None, [text, f"({', '.join(cells)})"]))


def one_pair(rows: Sequence[Row], width: int) -> list[str]:
    """One line a measure, with how to read it."""
    named = _name_width([row.label for row in rows], "measure")
    columns, beyond = _columns(rows, width - named, biased=False)
    texts = [_with_beyond(row, _reading(row), beyond) for row in rows]
    title = textwrap.wrap(f"{rows[0].a} - {rows[0].b}", width)
    head = _head("measure", named, columns)
    body = _body(rows, [row.label for row in rows], texts, columns, (named, width))
    last = "reads as" if width - len(head) - 2 >= _LEAST_TEXT else ""
    return [
        *title,
        f"{head}  {last}".rstrip(),
        *(line for lines in body for line in lines),
    ]


def one_measure(rows: Sequence[Row], width: int) -> list[str]:
    """One line a pair, under a line that says how to read them all."""
    title, head, body = parts_of_one_measure(rows, width)
    return [*title, head, *(line for lines in body for line in lines)]


def parts_of_one_measure(
    rows: Sequence[Row], width: int
) -> tuple[list[str], str, list[list[str]]]:
    """How to read them all, the headings, and the lines of each row."""
    names = [f"{row.a} - {row.b}" for row in rows]
    named = _name_width(names, "pair")
    columns, beyond = _columns(rows, width - named, biased=True)
    title = textwrap.wrap(f"{rows[0].label}: {rows[0].reading}", width)
    texts = [remark(row) for row in rows]
    if len(set(texts)) == 1 and texts[0] and rows[0].status == "ok":
        title += textwrap.wrap(f"({texts[0]})", width)  # said once, of all of them
        texts = [""] * len(texts)
    texts = [
        _with_beyond(row, text, beyond) for row, text in zip(rows, texts, strict=True)
    ]
    head = _head("pair", named, columns).rstrip()
    return title, head, _body(rows, names, texts, columns, (named, width))


def _reading(row: Row) -> str:
    if row.status != "ok":
        return remark(row)
    parts = [row.reading]
    if "biased" in row.details:
        parts.append(f"(biased would read {number(row.details['biased'])})")
    if rest := remark(row):
        parts.append(f"({rest})")
    return " ".join(parts)


def _name_width(names: Sequence[str], heading: str) -> int:
    fitting = [len(name) for name in names if len(name) <= _LONGEST_NAME]
    return max([len(heading), *fitting])


def _head(first: str, named: int, columns: Sequence[Column]) -> str:
    cells = "  ".join(column.format(column.heading) for column in columns)
    return f"{first:<{named}}  {cells}"


def _body(
    rows: Sequence[Row],
    names: Sequence[str],
    texts: Sequence[str],
    columns: Sequence[Column],
    widths: tuple[int, int],
) -> list[list[str]]:
    named, width = widths
    body = []
    for row, name, text in zip(rows, names, texts, strict=True):
        short = len(name) <= named
        lines = [] if short else textwrap.wrap(name, width)
        # A row without a score has room for the reason in its empty cells.
        shown = columns if row.status == "ok" else columns[:1]
        cells = "  ".join(column.format(column.cell(row)) for column in shown)
        start = f"{name if short else '':<{named}}  {cells}"
        body.append([*lines, *_with_text(start, text, named + 2, width)])
    return body


def _with_text(start: str, text: str, indent: int, width: int) -> list[str]:
    if not text:
        return [start.rstrip()]
    if width - len(start) - 2 < _LEAST_TEXT:
        below = textwrap.wrap(text, width - indent)
        return [start.rstrip(), *(" " * indent + part for part in below)]
    first, *rest = textwrap.wrap(text, width - len(start) - 2)
    return [f"{start}  {first}", *(" " * (len(start) + 2) + part for part in rest)]
