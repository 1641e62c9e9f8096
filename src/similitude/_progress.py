"""Progress of a call in Python: a bar in a terminal or a notebook, else nothing.

The commands of the shell have their own, which also writes lines to log files.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any, Literal

from . import _config
from .errors import InvalidInput

Progress = Callable[[str, int, int], None]  # stage, finished jobs, all jobs
Auto = Literal["auto"]

NOBODY = "no workers are left; waiting for a new one"  # a stage that is shown at once
PERMUTATIONS = "permutations"  # a part of the statistics
# Phases with their own unit.
UNITS = {PERMUTATIONS: PERMUTATIONS, "training": "steps", "neighbors": "rows"}
DELAY = 1.0  # seconds; a shorter call shows nothing
REFRESH = 0.2  # seconds between updates


def phase_and_measure(stage: str) -> tuple[str, str]:
    """The parts of a stage such as "scores: cka (1 of 6)".

    Permutations are a part of the statistics.
    """
    phase, _, measure = stage.partition(": ")
    return "statistics" if phase == PERMUTATIONS else phase, measure


def unit_of(stage: str, unit: str) -> str:
    """The unit that a stage counts."""
    return UNITS.get(stage.partition(": ")[0], unit)


@contextmanager
def reporting(progress: Progress | Auto | None, unit: str) -> Iterator[Progress]:
    """Yield a callback: the given one, or for "auto" a bar where people can see it.

    The setting ``progress`` of `similitude.config` can switch the bar on or off.
    """
    setting = _config.current().progress
    if progress is None or (progress == "auto" and setting == "off"):
        yield lambda stage, done, total: None
    elif callable(progress):
        yield progress
    elif progress != "auto":
        raise InvalidInput(
            f"progress={progress!r}; give 'auto', None or a function of the stage, the "
            f"number done and the total."
        )
    elif in_notebook():
        yield from _shown(_NotebookBar(unit))
    elif setting == "on" or (sys.stderr is not None and sys.stderr.isatty()):
        yield from _shown(_TerminalBar(unit))
    else:
        yield lambda stage, done, total: None


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    module = sys.modules.get("IPython")
    shell = None if module is None else module.get_ipython()
    return hasattr(shell, "kernel")


class _Bar:
    """Shows the latest state, from a second after the start."""

    def __init__(self, unit: str) -> None:
        self.unit = unit
        self.next = time.monotonic() + DELAY
        self.began: dict[str, tuple[float, int]] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        began, before = self.began.setdefault(stage, (now, done))
        if now < self.next:
            return
        self.next = now + REFRESH
        left = ""
        if done > before:
            seconds = round((total - done) * (now - began) / (done - before))
            left = f", {seconds // 60}:{seconds % 60:02d} left"
        counted = f"{done:,}/{total:,} {unit_of(stage, self.unit)}{left}"
        self.show(stage, done, total, counted)

    def show(self, stage: str, done: int, total: int, text: str) -> None:
        """Show the state of one stage."""

    def close(self) -> None:
        """Remove the bar; the results follow."""


def _shown(bar: _Bar) -> Iterator[Progress]:
    try:
        yield bar
    finally:
        bar.close()


class _TerminalBar(_Bar):
    bars: Any = None

    def __init__(self, unit: str) -> None:
        super().__init__(unit)
        self.tasks: dict[str, Any] = {}

    def show(self, stage: str, done: int, total: int, text: str) -> None:
        if self.bars is None:
            self.bars = _rich_bars()
            self.bars.start()
        phase, measure = phase_and_measure(stage)
        if phase not in self.tasks:
            self.tasks[phase] = self.bars.add_task(phase, total=total, text="")
        text = f"{measure} {text}" if measure else text
        self.bars.update(self.tasks[phase], completed=done, total=total, text=text)

    def close(self) -> None:
        if self.bars is not None:
            self.bars.stop()


def _rich_bars() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bars

    columns: list[Any] = [
        TextColumn("{task.description:<10}"),
        BarColumn(bar_width=16),
        TextColumn("{task.fields[text]}"),
    ]
    return Bars(*columns, console=Console(stderr=True), transient=True)


class _NotebookBar(_Bar):
    """An HTML bar below the cell. It needs no extension of the notebook."""

    handle: Any = None

    def show(self, stage: str, done: int, total: int, text: str) -> None:
        bar = f'<progress value="{done}" max="{total}"></progress>'
        self._display(f"{bar} {escape(stage)}: {escape(text)}")

    def close(self) -> None:
        if self.handle is not None:
            self._display("")

    def _display(self, page: str) -> None:
        from IPython.display import HTML, display

        if self.handle is None:
            self.handle = display(HTML(page), display_id=True)
        else:
            self.handle.update(HTML(page))
