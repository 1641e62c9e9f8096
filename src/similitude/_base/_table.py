"""Tables of text: columns, their widths, and blocks of columns that fit.

All tables of the terminal are made here. Texts are printable before they come here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ._printable import wrapped

GAP = "  "


@dataclass(frozen=True)
class Column:
    """A column: its heading, and the cell of each row; None ends a row.

    A cell of more than `longest` characters has a line of its own, if the column is the
    first one. A `joined` column stays next to the column before it.
    """

    heading: str
    cells: Sequence[str | None]
    left: bool = False
    least: int = 0  # the smallest width
    longest: int = 10_000
    joined: bool = False

    @property
    def width(self) -> int:
        widths = [len(cell) for cell in self.cells if cell is not None]
        fitting = [width for width in widths if width <= self.longest]
        return max(self.least, len(self.heading), *fitting, 0)

    def format(self, text: str) -> str:
        return f"{text:<{self.width}}" if self.left else f"{text:>{self.width}}"


def table(
    columns: Sequence[Column],
    width: int = 10_000,
    *,
    text: Column | None = None,
    gap: str = GAP,
    between: Sequence[str] = (),
) -> list[str]:
    """The lines of a table, without a head if no column has a heading.

    Columns that do not fit into the width follow in blocks, with the first column again
    and the lines `between` above. With a last column of `text`, which is wrapped, there
    is one block. The text stands below a row if less than its `least` width is left.
    """
    if text is not None:
        return _with_text(columns, text, gap, width)
    lines: list[str] = []
    for block in _blocks(columns, width, len(gap)):
        lines += [*(between if lines else ()), *_with_text(block, None, gap, width)]
    return lines


def _blocks(columns: Sequence[Column], width: int, gap: int) -> list[list[Column]]:
    first, *others = columns
    blocks, room = [[first]], width - first.width
    for i, column in enumerate(others):
        needed = gap + column.width
        after = others[i + 1] if i + 1 < len(others) else None
        both = needed + (gap + after.width if after is not None and after.joined else 0)
        if both > room and len(blocks[-1]) > 1 and not column.joined:
            blocks, room = [*blocks, [first]], width - first.width
        blocks[-1].append(column)
        room -= needed
    return blocks


def _with_text(
    columns: Sequence[Column], text: Column | None, gap: str, width: int
) -> list[str]:
    first = columns[0]
    lines = []
    if any(column.heading for column in columns):
        head = gap.join(column.format(column.heading) for column in columns)
        fits = text is not None and width - len(head + gap) >= text.least
        lines.append(f"{head}{gap}{text.heading}" if text and fits else head)
    for i, name in enumerate(first.cells):
        name, cells = name or "", [column.cells[i] for column in columns[1:]]
        if len(name) > first.width:
            lines += wrapped(name, width, later="").splitlines()
            name = ""
        shown = [
            c.format(t)
            for c, t in zip(columns[1:], cells, strict=True)
            if t is not None
        ]
        start = gap.join([first.format(name), *shown])
        said = None if text is None else text.cells[i]
        if not said or text is None:
            lines.append(start)
        elif width - len(start + gap) < text.least:
            indent = " " * (first.width + len(gap))
            lines += [start.rstrip(), *wrapped(said, width, indent).splitlines()]
        else:
            lines += wrapped(said, width, start + gap).splitlines()
    return [line.rstrip() for line in lines]
