"""Text from files is harmless on a terminal, in HTML, CSV, LaTeX and figures."""

import csv
import fcntl
import io
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from similitude._base._printable import (
    csv_cell,
    figure_text,
    html_text,
    json_text,
    latex_text,
    printable,
    printable_lines,
    script_json,
    terminal_width,
)

HOSTILE = {
    "ANSI color": "\x1b[31mred\x1b[0m",
    "OSC title": "\x1b]0;title\x07",
    "OSC link": "\x1b]8;;http://x\x1b\\link",
    "C1 control": "\x9b2J",
    "bidi override": "safe\u202egpj.exe",
    "bidi isolate": "a\u2066b\u2069",
    "newline": "one\ntwo",
    "carriage return": "real\rfake",
    "zero-width": "a\u200bb\ufeffc",
    "line separator": "a\u2028b\u0085c",
    "lone surrogate": "a\udc80b",
    "delete": "a\x7fb",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_becomes_one_printable_line_that_can_be_encoded(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable()
    assert shown != text
    assert shown.encode()
    assert printable(shown) == shown


@given(st.text(st.characters()))
def test_all_text_becomes_printable_for_every_destination(text: str) -> None:
    assert printable(text, 50).isprintable()
    assert len(printable(text, 50)) <= 50
    assert all(line.isprintable() for line in printable_lines(text).split("\n"))
    assert printable_lines(text).count("\n") == text.count("\n")
    for destination in (html_text, latex_text, figure_text, csv_cell):
        assert destination(text).isprintable()
    assert "$" not in figure_text(text).replace(r"\$", "")
    document = json_text({text: text})
    assert document.isascii()
    assert document.isprintable()
    assert json.loads(document) == {text: text}
    inside = script_json([text])
    assert json.loads(inside) == [text]
    assert not set("<>&") & set(inside)


def test_html_shows_the_text_and_nothing_else() -> None:
    parser, found = HTMLParser(), []
    parser.handle_data = found.append  # type: ignore[method-assign]
    parser.handle_starttag = lambda tag, attrs: found.append(("TAG", tag))  # type: ignore[method-assign]
    parser.feed(html_text("<script>alert('\"&')</script>"))
    parser.close()
    assert "".join(found) == "<script>alert('\"&')</script>"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r=", "\n=", " =", "＝"])
def test_csv_text_is_never_a_formula(start: str) -> None:
    cell = csv_cell(f"{start}HYPERLINK(1)")
    assert cell.startswith("'")
    file = io.StringIO()
    csv.writer(file).writerow([cell, "next"])
    assert next(csv.reader(io.StringIO(file.getvalue()))) == [cell, "next"]


def test_csv_numbers_stay_numbers_and_plain_text_is_unchanged() -> None:
    assert [csv_cell(v) for v in (-1.5, 3, None, True)] == [-1.5, 3, None, True]
    assert csv_cell("layer-1, block=2") == "layer-1, block=2"


def test_latex_special_characters_are_literal() -> None:
    assert latex_text(r"a_1 \input{x} 5% $&#~^") == (
        r"a\_1 \textbackslash{}input\{x\} 5\% \$\&\#\textasciitilde{}\textasciicircum{}"
    )


def test_terminal_width_is_the_environment_variable_within_bounds(monkeypatch) -> None:
    for columns, expected in (("120", 120), ("10", 40), ("9999", 200)):
        monkeypatch.setenv("COLUMNS", columns)
        assert terminal_width() == expected


def test_terminal_width_of_piped_output_is_that_of_the_terminal_on_stderr() -> None:
    main, other = pty.openpty()
    try:
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 117, 0, 0))
        code = "from similitude._base._printable import terminal_width as w; print(w())"
        env = {k: v for k, v in os.environ.items() if k != "COLUMNS"}
        told = subprocess.run(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=other, env=env
        )
        assert int(told.stdout) == 117
        none = subprocess.run(
            [sys.executable, "-c", code],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=env,
        )
        assert int(none.stdout) == 80
    finally:
        os.close(main)
        os.close(other)
