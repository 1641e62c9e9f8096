"""Progress on stderr: a bar on a terminal, one line every few seconds elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .. import _config
from .._printable import printable_lines
from .._progress import NOBODY, phase_and_measure, unit_of

SECONDS = 10.0  # between lines, if stderr is not a terminal
REFRESH = 0.1  # seconds between updates of the bar
PATIENCE = 2.0  # seconds after which scores are shown before their statistics
FEW = 20  # new scores that a log file shows one by one
WIDTH = 22  # characters of the name of a measure next to a bar


_SCORES_ONLY = "These are the scores so far; statistics follow."


class Progress:
    """Callback that shows the progress, and the scores as soon as they are computed.

    On a terminal, the final table replaces these scores.
    """

    def __init__(self, unit: str, every: float) -> None:
        self.unit, self.every, self.last = unit, every, time.monotonic()
        self.start = self.last
        self.stage, self.began = "", dict[str, tuple[float, int]]()
        self.phases: set[str] = set()
        self._scores: Any = None

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        self.phases.add(phase_and_measure(stage)[0])
        at_once = stage == NOBODY and stage != self.stage
        self.stage = stage
        began, before = self.began.setdefault(stage, (now, done))
        self._show_scores()
        if now - self.last < self.every and done < total and not at_once:
            return
        self.last = now
        rate = (done - before) / (now - began) if now > began else 0.0
        self.show(stage, done, total, rate)

    def keep(self, results: Any) -> None:
        """Show the scores so far, at once or as soon as the run has taken a while."""
        self._scores = results
        self._show_scores()

    def _show_scores(self) -> None:
        if self._scores is not None and time.monotonic() - self.start > PATIENCE:
            results, self._scores = self._scores, None
            self.show_scores(results)

    def show_scores(self, results: Any) -> None:
        """Show scores, without statistics."""

    def show(self, stage: str, done: int, total: int, rate: float) -> None:
        """Show how much of a stage is done."""

    def say(self, text: str) -> None:
        """Show a text."""


@contextmanager
def progress(unit: str = "pairs") -> Iterator[Progress]:
    """Yield a callback that takes the stage, the number done and the total."""
    setting = _config.current().progress
    if setting == "off":
        yield Progress(unit, SECONDS)
    elif setting == "on" or sys.stderr.isatty():
        with _bar() as bar:
            yield _Bar(unit, bar)
    else:
        yield _Lines(unit, SECONDS)


class _Lines(Progress):
    """One line every few seconds, for log files."""

    def __init__(self, unit: str, every: float) -> None:
        super().__init__(unit, every)
        self.shown: set[str] = set()

    def show(self, stage: str, done: int, total: int, rate: float) -> None:
        if done == total:
            return  # the results follow
        speed = ""
        if rate > 0:
            speed = f", {_number(rate)}/s, {_clock((total - done) / rate)} left"
        text = f"{stage}: {done:,}/{total:,} {unit_of(stage, self.unit)}{speed}\n"
        sys.stderr.write(printable_lines(text))

    def show_scores(self, results: Any) -> None:
        """One line for each new score; if these are many, one table of all scores."""
        new = [row for row in results.rows if row.job not in self.shown]
        if len(new) > FEW and "statistics" not in self.phases:
            self._scores = results
            return
        self.shown |= {row.job for row in new}
        if len(new) > FEW:
            self.say(f"{results.table(header=False)}\n\n{_SCORES_ONLY}\n")
            return
        for row in new:
            found = row.status if row.score is None else f"{row.score:.4g}"
            self.say(f"{row.label}: {row.a} - {row.b}  {found}\n")

    def say(self, text: str) -> None:
        sys.stderr.write(printable_lines(text))


class _Bar(Progress):
    def __init__(self, unit: str, bar: Any) -> None:
        super().__init__(unit, REFRESH)
        self.bar = bar
        self.tasks: dict[str, Any] = {}

    def show(self, stage: str, done: int, total: int, rate: float) -> None:
        phase, measure = phase_and_measure(stage)
        if phase not in self.tasks:
            self.tasks[phase] = self.bar.add_task(phase, total=total, text="")
        left = f" · {_clock((total - done) / rate)}" if rate > 0 else ""
        counted = f"{done:,}/{total:,}"
        if measure:  # names the measure instead of the speed
            text = f"{_shortened(measure)} {counted}{left}"
        else:
            text = f"{counted} {self.unit} · {_number(rate)}/s{left}"
        self.bar.update(self.tasks[phase], completed=done, total=total, text=text)

    def show_scores(self, results: Any) -> None:
        self.say(f"{results.table(header=False)}\n\n{_SCORES_ONLY}")

    def say(self, text: str) -> None:
        """Show a text below the bars until the final table replaces it."""
        self.bar.below = text


@contextmanager
def _bar() -> Iterator[Any]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bars
    from rich.text import Text

    class WithText(Bars):
        """Bars, and a text below them; both disappear at the end."""

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
    with WithText(*columns, console=Console(stderr=True), transient=True) as bar:
        yield bar


def _shortened(measure: str) -> str:
    """A name such as "cka (1 of 6)" in at most `WIDTH` characters."""
    name, gap, place = measure.partition(" (")
    room = WIDTH - len(gap + place)
    return (name if len(name) <= room else f"{name[: room - 1]}…") + gap + place


def _number(rate: float) -> str:
    """Three significant digits, without an exponent."""
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


def _clock(seconds: float) -> str:
    days = seconds / 86_400
    if days >= 2:
        return f"{days:.0f} days" if days < 100 else "over 99 days"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"
