"""Progress of calls in Python: bars for people, silence in pipes."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import similitude as sim
from similitude._base import _progress

SLOW = """
import numpy as np
import similitude as sim
from similitude._base import _progress
_progress.DELAY = _progress.REFRESH = 0.0
x, y = np.random.default_rng(0).normal(size=(2, 20, 3))
sim.compare({"x": x, "y": y}, ["cka", "procrustes"], permutations=19)
"""


def run(*, terminal: bool) -> str:
    """Run a script; return its stderr, from a terminal or from a pipe."""
    source = str(Path(sim.__file__).parents[1])
    environment = os.environ | {
        "PYTHONPATH": source,
        "TERM": "xterm",
        "SIMILITUDE_PROGRESS": "auto",
    }
    command = [sys.executable, "-c", SLOW]
    if not terminal:
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout == ""
        return done.stderr
    parent, child = pty.openpty()
    with subprocess.Popen(command, env=environment, stderr=child) as process:
        os.close(child)
        text = b""
        try:
            while part := os.read(parent, 65536):
                text += part
        except OSError:
            pass  # the other end is closed
        os.close(parent)
    assert process.returncode == 0, text
    return text.decode()


def test_compare_shows_a_bar_in_a_terminal() -> None:
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", run(terminal=True))
    assert "scores" in shown
    assert re.search(r"(cka \(1|procrustes \(2) of 2\) \d/1", shown)


def test_compare_shows_nothing_in_a_pipe() -> None:
    assert run(terminal=False) == ""


@pytest.mark.parametrize(("setting", "bars"), [("off", 0), ("on", 1), ("auto", 0)])
def test_the_setting_switches_the_bar_on_and_off(
    setting, bars: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    monkeypatch.setattr(
        _progress, "TerminalBar", lambda unit, *_: made.append(unit) or Bar()
    )
    with sim.config(progress=setting), _progress.reporting("auto", "pairs") as report:
        report("scores", 1, 2)
    assert len(made) == bars


class Bar(_progress.Reporter):
    def __init__(self) -> None:
        super().__init__("pairs", 0.0)


def test_a_function_and_none_replace_the_bar() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 20, 3))
    calls: list[tuple[str, int, int]] = []
    sim.compare(
        {"x": x, "y": y},
        "cka",
        permutations=0,
        progress=lambda *state: calls.append(state),
    )
    assert ("scores: cka", 1, 1) in calls
    sim.compare({"x": x, "y": y}, "cka", permutations=0, progress=None)
    with pytest.raises(sim.InvalidInput, match="progress='loud'; give 'auto', None"):
        sim.compare({"x": x, "y": y}, "cka", progress="loud")


class Cell:
    """The display of a notebook cell."""

    def __init__(self) -> None:
        self.pages: list[str] = []

    def display(self, page, *, display_id: bool) -> "Cell":
        assert display_id
        self.update(page)
        return self

    def update(self, page) -> None:
        self.pages.append(page.data)


def test_a_notebook_shows_an_html_bar_and_removes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import IPython.display

    cell = Cell()
    monkeypatch.setattr(IPython.display, "display", cell.display)
    monkeypatch.setattr(_progress, "in_notebook", lambda: True)
    monkeypatch.setattr(_progress, "DELAY", 0.0)
    monkeypatch.setattr(_progress, "REFRESH", 0.0)
    with _progress.reporting("auto", "pairs") as report:
        report("<scores>", 1, 4)
        report("<scores>", 2, 4)
    first, second, last = cell.pages
    assert '<progress value="1" max="4">' in first
    assert "&lt;scores&gt;: 2/4 pairs" in second
    assert last == ""


def test_a_short_call_shows_nothing_in_a_notebook(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import IPython.display

    cell = Cell()
    monkeypatch.setattr(IPython.display, "display", cell.display)
    monkeypatch.setattr(_progress, "in_notebook", lambda: True)
    with _progress.reporting("auto", "pairs") as report:
        report("scores", 1, 4)
    assert cell.pages == []


def test_phases_count_their_own_units() -> None:
    assert _progress.unit_of("training: K = 4, W = 16", "parts") == "steps"
    assert _progress.unit_of("permutations: cka", "pairs") == "permutations"
    assert _progress.unit_of("parts", "parts") == "parts"
