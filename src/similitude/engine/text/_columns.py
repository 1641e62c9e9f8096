"""Lists of rows, with the statistics in columns."""

from collections.abc import Sequence
from dataclasses import dataclass

from .._rows import Row
from ._numbers import aligned, decimals, intervals, number, numbers, probability
from ._remarks import reading, remark
from ._stacked import wrapped

_MIN_TEXT_WIDTH = 40  # if less room is left, text goes below the numbers
_LONGEST_NAME = 30  # a longer name has its own line


@dataclass(frozen=True)
class Column:
    """A column: its heading, and the cell of each row."""

    heading: str
    cells: Sequence[str]
    left: bool = False

    @property
    def width(self) -> int:
        return max(len(self.heading), *map(len, self.cells))

    def format(self, text: str) -> str:
        return f"{text:<{self.width}}" if self.left else f"{text:>{self.width}}"


def one_pair(rows: Sequence[Row], width: int) -> list[str]:
    """One line per measure, with the interpretation of its score."""
    names = [row.label for row in rows]
    name_width = _name_width(names, "measure")
    columns, overflow = _columns(rows, width - name_width, one_measure=False)
    texts = [
        _with_overflow(row, reading(row), overflow, i) for i, row in enumerate(rows)
    ]
    title = wrapped([f"{rows[0].a} - {rows[0].b}"], width)
    head = _head("measure", name_width, columns)
    last = "interpretation" if width - len(head) - 2 >= _MIN_TEXT_WIDTH else ""
    body = _body(rows, names, texts, columns, (name_width, width))
    return [*title, f"{head}  {last}".rstrip(), *body]


def one_measure(rows: Sequence[Row], width: int) -> list[str]:
    """One line per pair, below the interpretation of the measure."""
    names = [f"{row.a} - {row.b}" for row in rows]
    name_width = _name_width(names, "pair")
    columns, overflow = _columns(rows, width - name_width, one_measure=True)
    title = [f"{rows[0].label}: {rows[0].reading}"]
    texts = [remark(row) for row in rows]
    if len(set(texts)) == 1 and texts[0] and rows[0].status == "ok":
        title.append(f"({texts[0]})")  # once instead of in each row
        texts = [""] * len(texts)
    texts = [
        _with_overflow(row, text, overflow, i)
        for i, (row, text) in enumerate(zip(rows, texts, strict=True))
    ]
    head = _head("pair", name_width, columns).rstrip()
    body = _body(rows, names, texts, columns, (name_width, width))
    return [*wrapped(title, width), head, *body]


def _columns(
    rows: Sequence[Row], room: int, *, one_measure: bool
) -> tuple[list[Column], list[Column]]:
    """The columns that fit into `room`, and the baseline columns that do not.

    Rows of one measure have the same number of decimals in all columns.
    """

    def cells(values: Sequence[float | None]) -> list[str]:
        return numbers(values) if one_measure else aligned([number(v) for v in values])

    found = [Column("score", cells([row.score for row in rows]))]
    if any("corrected" in row.details for row in rows):
        corrected = [row.details.get("corrected") for row in rows]
        found.append(Column("corrected", cells(corrected)))
    if any(row.low is not None for row in rows):
        places = decimals([row.score for row in rows]) if one_measure else None
        found.append(Column("95 % CI", intervals(rows, places), left=True))
    if any(row.p is not None for row in rows):
        found.append(Column("null", cells([row.null_mean for row in rows])))
        found.append(Column("p", aligned([probability(row) for row in rows])))
    optional = [
        Column(name, cells([row.baselines.get(name) for row in rows]))
        for name in dict.fromkeys(name for row in rows for name in row.baselines)
    ]
    if one_measure and any("biased" in row.details for row in rows):
        biased = [row.details.get("biased") for row in rows]
        optional.append(Column("biased", cells(biased)))
    room -= sum(column.width + 2 for column in found)
    overflow = []
    for column in optional:
        if column.width + 2 <= room:
            found.append(column)
            room -= column.width + 2
        elif column.heading != "biased":
            overflow.append(column)
    return found, overflow


def _with_overflow(row: Row, text: str, overflow: Sequence[Column], i: int) -> str:
    """A text, followed by the baselines of row i that have no column."""
    if row.status != "ok" or not overflow:
        return text
    cells = [f"{column.heading} {column.cells[i].strip()}" for column in overflow]
    return " ".join(filter(None, [text, f"({', '.join(cells)})"]))


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
) -> list[str]:
    name_width, width = widths
    body = []
    for i, (row, name, text) in enumerate(zip(rows, names, texts, strict=True)):
        short = len(name) <= name_width
        body += [] if short else wrapped([name], width)
        # In a row without a score, the reason takes the place of the empty cells.
        shown = columns if row.status == "ok" else columns[:1]
        cells = "  ".join(column.format(column.cells[i]) for column in shown)
        start = f"{name if short else '':<{name_width}}  {cells}"
        body += _with_text(start, text, name_width + 2, width)
    return body


def _with_text(start: str, text: str, indent: int, width: int) -> list[str]:
    if not text:
        return [start.rstrip()]
    if width - len(start) - 2 < _MIN_TEXT_WIDTH:
        below = wrapped([text], width - indent)
        return [start.rstrip(), *(" " * indent + part for part in below)]
    first, *rest = wrapped([text], width - len(start) - 2)
    return [f"{start}  {first}", *(" " * (len(start) + 2) + part for part in rest)]
