"""Progress: a bar in a terminal or a notebook; in Python, nothing elsewhere.

The commands of the shell also show scores, and write lines to log files.
"""

import functools
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any, Literal

from ..errors import InvalidInput
from . import _config
from ._printable import printable_lines, shortened

Progress = Callable[[str, int, int], None]  # stage, finished jobs, all jobs
Auto = Literal["auto"]

# A stage that begins with it counts workers, is shown at once and without a time.
WAITING = "waiting"
PERMUTATIONS = "permutations"  # a part of the statistics
# Phases with their own unit.
UNITS = {PERMUTATIONS: PERMUTATIONS, "training": "steps", "neighbors": "rows"}
DELAY = 1.0  # seconds; a shorter call shows nothing
REFRESH = 0.2  # seconds between updates
WIDTH = 22  # characters of the name of a measure next to a bar


def phase_and_measure(stage: str) -> tuple[str, str]:
    """The parts of a stage such as "scores: cka (1 of 6)".

    Permutations are a part of the statistics.
    """
    phase, _, measure = stage.partition(": ")
    return "statistics" if phase == PERMUTATIONS else phase, measure


def unit_of(stage: str, unit: str) -> str:
    """The unit that a stage counts."""
    if stage.startswith(WAITING):
        return "workers"
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
        yield from _shown(_NotebookBar(unit, REFRESH, DELAY))
    elif setting == "on" or (sys.stderr is not None and sys.stderr.isatty()):
        yield from _shown(TerminalBar(unit, REFRESH, DELAY))
    else:
        yield lambda stage, done, total: None


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    module = sys.modules.get("IPython")
    shell = None if module is None else module.get_ipython()
    return hasattr(shell, "kernel")


class Reporter:
    """A callback that shows the latest state of a stage, every few moments."""

    def __init__(self, unit: str, every: float, delay: float = 0.0) -> None:
        self.unit, self.every, self.delay = unit, every, delay
        self.start = self.last = time.monotonic()
        self.stage = ""
        self.began: dict[str, tuple[float, int]] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        began, before = self.began.setdefault(stage, (now, done))
        waiting = stage.startswith(WAITING)
        at_once = waiting and stage != self.stage
        self.stage = stage
        soon = now - self.last < self.every and done < total and not at_once
        if soon or now - self.start < self.delay:
            return
        self.last = now
        known = now > began and not waiting
        rate = (done - before) / (now - began) if known else 0.0
        self.show(stage, done, total, rate)

    def show(self, stage: str, done: int, total: int, rate: float) -> None:
        """Show how much of a stage is done."""

    def close(self) -> None:
        """Remove the bar; the results follow."""


def _shown(bar: Reporter) -> Iterator[Progress]:
    try:
        yield bar
    finally:
        bar.close()


class TerminalBar(Reporter):
    """One bar per phase on stderr, and a text below them; all disappear at the end."""

    @functools.cached_property
    def bars(self) -> Any:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bars
        from rich.text import Text

        class WithText(Bars):
            below = ""

            def get_renderables(self) -> Iterator[Any]:
                yield self.make_tasks_table(self.tasks)
                if self.below:
                    yield Text(f"\n{printable_lines(self.below)}", no_wrap=True)

        columns: list[Any] = [
            TextColumn("{task.description:<10}"),
            BarColumn(bar_width=16),
            TextColumn("{task.fields[text]}"),
        ]
        bars = WithText(*columns, console=Console(stderr=True), transient=True)
        bars.start()
        return bars

    def show(self, stage: str, done: int, total: int, rate: float) -> None:
        phase, measure = phase_and_measure(stage)
        known = {task.description: task.id for task in self.bars.tasks}
        if phase not in known:
            known[phase] = self.bars.add_task(phase, total=total, text="")
        left = f" · {clock((total - done) / rate)}" if rate > 0 else ""
        counted = f"{done:,}/{total:,}"
        if measure:  # names the measure instead of the speed
            text = f"{_shortened(measure)} {counted}{left}"
        else:
            unit = unit_of(stage, self.unit)
            text = f"{counted} {unit} · {number(rate)}/s{left}"
        self.bars.update(known[phase], completed=done, total=total, text=text)

    def close(self) -> None:
        if "bars" in self.__dict__:
            self.bars.stop()


class _NotebookBar(Reporter):
    """An HTML bar below the cell. It needs no extension of the notebook."""

    handle: Any = None

    def show(self, stage: str, done: int, total: int, rate: float) -> None:
        bar = f'<progress value="{done}" max="{total}"></progress>'
        left = f", {clock((total - done) / rate)} left" if rate > 0 else ""
        text = f"{stage}: {done:,}/{total:,} {unit_of(stage, self.unit)}{left}"
        self._display(f"{bar} {escape(text)}")

    def close(self) -> None:
        if self.handle is not None:
            self._display("")

    def _display(self, page: str) -> None:
        from IPython.display import HTML, display

        if self.handle is None:
            self.handle = display(HTML(page), display_id=True)
        else:
            self.handle.update(HTML(page))


def _shortened(measure: str) -> str:
    """A name such as "cka (1 of 6)" in at most `WIDTH` characters."""
    name, gap, place = measure.partition(" (")
    return shortened(name, WIDTH - len(gap + place)) + gap + place


def number(rate: float) -> str:
    """Three significant digits, without an exponent."""
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


def clock(seconds: float) -> str:
    days = seconds / 86_400
    if days >= 2:
        return f"{days:.0f} days" if days < 100 else "over 99 days"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"
