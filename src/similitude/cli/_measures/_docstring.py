"""Documentation of a measure as text for a terminal."""

import re
from collections.abc import Iterator

from ..._base._printable import wrapped
from ._formulas import plain_formula

_WHOLE = {"break_long_words": False, "break_on_hyphens": False}
_BULLET = re.compile(r"\s*- ")


def readable(docstring: str, width: int) -> str:
    """Formulas as plain text, and paragraphs of this width; examples are unchanged."""
    text = re.sub(
        r":math:`([^`]+)`", lambda found: plain_formula(found[1]), docstring
    ).replace("``", "")
    blocks = re.split(r"\n[ \t]*\n", text)
    found, is_formula = [], False
    for block in blocks:
        if block.strip() == ".. math::":
            is_formula = True
            continue
        lines = block.splitlines()
        if is_formula:
            formulas = map(plain_formula, block.split(r"\qquad"))
            lines = [
                wrapped(one, width, " " * 4, " " * 8, **_WHOLE) for one in formulas
            ]
            found.append("\n".join(lines))
            is_formula = False
        elif lines[0].lstrip().startswith(">>>"):
            found.append(block)
        else:
            found.append("\n".join(_paragraphs(lines, width)))
    return "\n\n".join(found)


def _paragraphs(lines: list[str], width: int) -> Iterator[str]:
    """Lines with the same indentation are filled; titles and items start anew."""
    chunk: list[str] = []
    for i, line in enumerate(lines):
        title = i + 1 < len(lines) and set(lines[i + 1].strip()) == {"-"}
        rule = set(line.strip()) == {"-"}
        if chunk and (title or rule or not _continues(chunk, line)):
            yield _chunk(chunk, width)
            chunk = []
        chunk.append(line)
    yield _chunk(chunk, width)


def _continues(chunk: list[str], line: str) -> bool:
    if _BULLET.match(line) or set(chunk[-1].strip()) == {"-"}:
        return False
    hanging = 2 if _BULLET.match(chunk[0]) else 0
    return _indent(line) == _indent(chunk[0]) + hanging


def _chunk(lines: list[str], width: int) -> str:
    indent = " " * _indent(lines[0])
    hanging = indent + "  " * bool(_BULLET.match(lines[0]))
    text = " ".join(line.strip() for line in lines)
    return wrapped(text, width, indent, hanging, **_WHOLE)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
