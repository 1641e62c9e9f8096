"""Progress on stderr: a bar on a terminal, one line every few seconds elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .. import _config
from .._printable import printable_lines

SECONDS = 10.0  # between lines, if stderr is not a terminal
REFRESH = 0.1  # seconds between updates of the bar
PATIENCE = 3.0  # seconds of statistics after which the scores are printed


class Progress:
    """Callback that shows the progress, and scores whose statistics take long.

    On a terminal, the final table replaces these scores.
    """

    def __init__(self, unit: str, every: float) -> None:
        self.unit, self.every, self.last = unit, every, time.monotonic()
        self.began: dict[str, tuple[float, int]] = {}
        self._scores: tuple[float, Any] | None = None

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        began, before = self.began.setdefault(stage, (now, done))
        if self._scores is not None and now - self._scores[0] > PATIENCE:
            results, self._scores = self._scores[1], None
            scores = results.table(header=False)
            self.say(f"{scores}\n\nThese are the scores; statistics follow.\n")
        if now - self.last < self.every and done < total:
            return
        self.last = now
        rate = (done - before) / (now - began) if now > began else 0.0
        self.show(stage, done, total, rate)

    def keep(self, results: Any) -> None:
        """Keep scores, to print them if the statistics take long."""
        self._scores = (time.monotonic(), results)

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

    def show(self, stage: str, done: int, total: int, rate: float) -> None:
        if done == total:
            return  # the results follow
        left = f", {_clock((total - done) / rate)} left" if rate > 0 else ""
        text = f"{stage}: {done:,}/{total:,} {self.unit}, {_number(rate)}/s{left}\n"
        sys.stderr.write(text)

    def say(self, text: str) -> None:
        sys.stderr.write(printable_lines(text))


class _Bar(Progress):
    def __init__(self, unit: str, bar: Any) -> None:
        super().__init__(unit, REFRESH)
        self.bar = bar
        self.tasks: dict[str, Any] = {}

    def show(self, stage: str, done: int, total: int, rate: float) -> None:
        if stage not in self.tasks:
            self.tasks[stage] = self.bar.add_task(stage, total=total, text="")
        left = f" · {_clock((total - done) / rate)}" if rate > 0 else ""
        text = f"{done:,}/{total:,} {self.unit} · {_number(rate)}/s{left}"
        self.bar.update(self.tasks[stage], completed=done, total=total, text=text)

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
