"""Lists of rows, with the statistics in columns."""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .._rows import Row
from ._reading import interval, number, probability, remark

_MIN_TEXT_WIDTH = 24  # if less room is left, text goes below the numbers
_LONGEST_NAME = 30  # a longer name has its own line


@dataclass(frozen=True)
class Column:
    """A column: its heading, and the function that formats the cell of a row."""

    heading: str
    cell: Callable[[Row], str]
    width: int
    left: bool = False

    def format(self, text: str) -> str:
        return f"{text:<{self.width}}" if self.left else f"{text:>{self.width}}"


def _columns(
    rows: Sequence[Row], room: int, *, biased: bool
) -> tuple[list[Column], list[Column]]:
    """The columns that fit into `room`, and the baseline columns that do not."""
    found = [Column("score", lambda row: number(row.score), 7)]
    if any(row.low is not None for row in rows):
        found.append(Column("95 % CI", interval, 16, left=True))
    if any(row.p is not None for row in rows):
        found.append(Column("null", lambda row: number(row.null_mean), 6))
        found.append(Column("p", lambda row: probability(row.p), 6))
    optional = []
    for name in dict.fromkeys(name for row in rows for name in row.baselines):

        def baseline(row: Row, name: str = name) -> str:
            return number(row.baselines.get(name))

        optional.append(Column(name, baseline, max(6, len(name))))
    if biased and any("biased" in row.details for row in rows):
        optional.append(
            Column("biased", lambda row: number(row.details.get("biased")), 6)
        )
    room -= sum(column.width + 2 for column in found)
    overflow = []
    for column in optional:
        if column.width + 2 <= room:
            found.append(column)
            room -= column.width + 2
        elif column.heading != "biased":
            overflow.append(column)
    return found, overflow


def _with_overflow(row: Row, text: str, overflow: Sequence[Column]) -> str:
    """A text, followed by the baselines that have no column."""
    if row.status != "ok" or not overflow:
        return text
    cells = [f"{column.heading} {column.cell(row)}" for column in overflow]
    return " ".join(filter(None, [text, f"({', '.join(cells)})"]))


def one_pair(rows: Sequence[Row], width: int) -> list[str]:
    """One line per measure, with the interpretation of its score."""
    name_width = _name_width([row.label for row in rows], "measure")
    columns, overflow = _columns(rows, width - name_width, biased=False)
    texts = [_with_overflow(row, _reading(row), overflow) for row in rows]
    title = textwrap.wrap(f"{rows[0].a} - {rows[0].b}", width)
    head = _head("measure", name_width, columns)
    widths = (name_width, width)
    body = _body(rows, [row.label for row in rows], texts, columns, widths)
    last = "interpretation" if width - len(head) - 2 >= _MIN_TEXT_WIDTH else ""
    return [
        *title,
        f"{head}  {last}".rstrip(),
        *(line for lines in body for line in lines),
    ]


def one_measure(rows: Sequence[Row], width: int) -> list[str]:
    """One line per pair, below the interpretation of the measure."""
    title, head, body = parts_of_one_measure(rows, width)
    return [*title, head, *(line for lines in body for line in lines)]


def parts_of_one_measure(
    rows: Sequence[Row], width: int
) -> tuple[list[str], str, list[list[str]]]:
    """The title with the interpretation, the headings, and the lines of each row."""
    names = [f"{row.a} - {row.b}" for row in rows]
    name_width = _name_width(names, "pair")
    columns, overflow = _columns(rows, width - name_width, biased=True)
    title = textwrap.wrap(f"{rows[0].label}: {rows[0].reading}", width)
    texts = [remark(row) for row in rows]
    if len(set(texts)) == 1 and texts[0] and rows[0].status == "ok":
        title += textwrap.wrap(f"({texts[0]})", width)  # once instead of in each row
        texts = [""] * len(texts)
    texts = [
        _with_overflow(row, text, overflow)
        for row, text in zip(rows, texts, strict=True)
    ]
    head = _head("pair", name_width, columns).rstrip()
    return title, head, _body(rows, names, texts, columns, (name_width, width))


def _reading(row: Row) -> str:
    if row.status != "ok":
        return remark(row)
    parts = [row.reading]
    if "biased" in row.details:
        parts.append(f"(biased estimator: {number(row.details['biased'])})")
    if rest := remark(row):
        parts.append(f"({rest})")
    return " ".join(parts)


def _name_width(names: Sequence[str], heading: str) -> int:
    fitting = [len(name) for name in names if len(name) <= _LONGEST_NAME]
    return max([len(heading), *fitting])


def _head(first: str, name_width: int, columns: Sequence[Column]) -> str:
    cells = "  ".join(column.format(column.heading) for column in columns)
    return f"{first:<{name_width}}  {cells}"


def _body(
    rows: Sequence[Row],
    names: Sequence[str],
    texts: Sequence[str],
    columns: Sequence[Column],
    widths: tuple[int, int],
) -> list[list[str]]:
    name_width, width = widths
    body = []
    for row, name, text in zip(rows, names, texts, strict=True):
        short = len(name) <= name_width
        lines = [] if short else textwrap.wrap(name, width)
        # In a row without a score, the reason takes the place of the empty cells.
        shown = columns if row.status == "ok" else columns[:1]
        cells = "  ".join(column.format(column.cell(row)) for column in shown)
        start = f"{name if short else '':<{name_width}}  {cells}"
        body.append([*lines, *_with_text(start, text, name_width + 2, width)])
    return body


def _with_text(start: str, text: str, indent: int, width: int) -> list[str]:
    if not text:
        return [start.rstrip()]
    if width - len(start) - 2 < _MIN_TEXT_WIDTH:
        below = textwrap.wrap(text, width - indent)
        return [start.rstrip(), *(" " * indent + part for part in below)]
    first, *rest = textwrap.wrap(text, width - len(start) - 2)
    return [f"{start}  {first}", *(" " * (len(start) + 2) + part for part in rest)]
