"""The only door for text that leaves the program: terminal, HTML, CSV, LaTeX, figures.

Names come from files, stores and results folders that others have written. Each
function makes a text harmless for one destination, and keeps it readable.
"""

import html
import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

_NARROWEST, _WIDEST = 40, 200  # columns of a terminal that tables can use


def printable(text: str, longest: int = 200) -> str:
    """One line of at most `longest` characters; unprintable characters are escaped.

    This includes control characters, newlines, zero-width characters, characters that
    change the direction of writing, and lone surrogates.
    """
    text = _escaped(text)
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def _escaped(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def printable_lines(text: str) -> str:
    """Like `printable`, for a text of several lines of any length."""
    return "\n".join(map(_escaped, text.split("\n")))


def html_text(text: str) -> str:
    """Text for HTML, as content or as an attribute in quotes."""
    return html.escape(_escaped(text))


def markdown_text(text: str) -> str:
    """Text for Markdown, as code: no link, image, HTML, mention or reference.

    This holds in tables too. There, a bar ends a cell even if it is inside backticks.
    """
    text = _escaped(text)
    if not set(text) & set("|\\`"):
        return f"`{text}`"
    whole = "".join(c if c.isalnum() else f"&#{ord(c)};" for c in text)
    return f"<code>{whole}</code>"


def markdown_block(lines: Sequence[str]) -> str:
    """Lines as a block of text that no line can end."""
    text = "\n".join(map(_escaped, lines))
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}text\n{text}\n{fence}"


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON in ASCII without control characters, for a terminal or a file."""
    return json.dumps(value, indent=indent).replace("\x7f", "\\u007f")


def script_json(value: Any) -> str:
    """JSON for a script element of an HTML page; it cannot end the element."""
    text = json_text(value)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


# A spreadsheet takes text that starts with one of these for a formula, even if they
# are full-width characters.
_FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")


def csv_cell(value: Any) -> Any:
    """A cell of a CSV file: a number stays a number, and text is never a formula.

    Text that a spreadsheet would take for a formula gets an apostrophe in front.
    """
    if not isinstance(value, str):
        return value
    formula = value.startswith(_FORMULA) or value.strip().startswith(_FORMULA)
    return ("'" if formula else "") + _escaped(value)


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{c: f"\\{c}" for c in "{}$&#_%"},
}


def latex_text(text: str) -> str:
    """Text for LaTeX, with all special characters as literal characters."""
    return "".join(_LATEX.get(c, c) for c in _escaped(text))


def figure_text(name: str, longest: int = 28) -> str:
    """A name for matplotlib, which takes text between dollar signs for mathematics."""
    return shortened(name, longest).replace("$", r"\$")


def counted(number: int, unit: str) -> str:
    """A number with its unit, as in "1 pair" and "1,000 pairs"."""
    return f"{number:,} {unit}{'' if number == 1 else 's'}"


def shortened(name: str, longest: int) -> str:
    """A printable name; a long one is cut in its middle, as names differ at the ends.

    Examples
    --------
    >>> shortened("resnet50.layer4.conv2", 11)
    'resne~conv2'
    """
    name = printable(name)
    if len(name) <= longest:
        return name
    tail = (longest - 1) // 2
    return f"{name[: longest - 1 - tail]}~{name[-tail:]}"


def wrapped(
    text: str, width: int = 80, start: str = "", later: str | None = None, **how: Any
) -> str:
    """The text after `start`, in lines of at most `width`; `how` is for `textwrap`.

    Other lines begin with `later`. [default: spaces, as many as `start` has]
    """
    how |= {"subsequent_indent": " " * len(start) if later is None else later}
    return textwrap.fill(text, width, initial_indent=start, **how)


def wrapped_lines(texts: Iterable[str], width: int) -> list[str]:
    """Each text in lines of at most `width`; a text keeps its indent.

    Other lines of an indented text have two spaces more.
    """
    lines = []
    for text in texts:
        bare = text.lstrip()
        indent = text[: len(text) - len(bare)]
        later = f"{indent}  " if indent else ""
        lines += wrapped(bare, width, indent, later).splitlines() or [""]
    return lines


def some(names: Sequence[Any], most: int = 5) -> str:
    """The first names, and the number of the others.

    >>> some(["a", "b", "c", "d"], 3)
    'a, b, c and 1 more'
    """
    more = len(names) - most
    return ", ".join(map(str, names[:most])) + (
        f" and {more:,} more" if more > 0 else ""
    )


def terminal_width() -> int:
    """The columns of the terminal, even if the output is piped; 80 without a terminal.

    The environment variable COLUMNS takes precedence.
    """
    return min(max(_terminal_columns(), _NARROWEST), _WIDEST)


def _terminal_columns() -> int:
    if os.environ.get("COLUMNS", "").isdecimal():
        return shutil.get_terminal_size().columns
    for stream in (sys.__stdout__, sys.__stderr__, sys.__stdin__):
        try:
            columns = os.get_terminal_size(stream.fileno()).columns  # type: ignore[union-attr]
        except (AttributeError, OSError, ValueError):
            continue
        if columns > 0:
            return columns
    return 80
