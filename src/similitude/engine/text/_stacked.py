"""A table of texts that is divided into blocks of columns if it is too wide."""

from collections.abc import Mapping, Sequence

from ..._base import _printable

GAP = "  "


def stacked(
    names: Sequence[str], columns: Mapping[str, Sequence[str]], width: int
) -> list[str]:
    """One line per name. Columns that do not fit follow below, with the names again.

    All columns are aligned to the right.
    """
    start = max(map(len, names))
    blocks: list[list[str]] = [[]]
    room = width - start
    for heading, cells in columns.items():
        needed = len(GAP) + max(len(heading), *map(len, cells))
        if needed > room and blocks[-1]:
            blocks.append([])
            room = width - start
        blocks[-1].append(heading)
        room -= needed
    lines = []
    for block in blocks:
        texts = [[heading, *columns[heading]] for heading in block]
        padded = [[f"{text:>{max(map(len, one))}}" for text in one] for one in texts]
        for i, name in enumerate(["", *names]):
            cells = GAP.join(one[i] for one in padded)
            lines.append(f"{name:<{start}}{GAP}{cells}".rstrip())
    return lines


def wrapped(texts: Sequence[str], width: int, indent: int = 0) -> list[str]:
    """Each text in one or more lines of at most `width`; later ones are indented."""
    later = " " * indent
    parts = (_printable.wrapped(text, width, later=later) for text in texts)
    return [line for part in parts for line in part.splitlines()]
