"""Progress on stderr: a bar on a terminal, one line every few seconds elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._base import _config
from .._base._printable import printable_lines
from .._base._progress import (
    Reporter,
    TerminalBar,
    clock,
    number,
    phase_and_measure,
    unit_of,
)

SECONDS = 10.0  # between lines, if stderr is not a terminal
REFRESH = 0.1  # seconds between updates of the bar
PATIENCE = 2.0  # seconds after which scores are shown before their statistics
FEW = 20  # new scores that a log file shows one by one

_SCORES_ONLY = "These are the scores so far; statistics follow."


class Progress(Reporter):
    """Callback that shows the progress, and the scores as soon as they are computed.

    On a terminal, the final table replaces these scores.
    """

    def __init__(self, unit: str, every: float) -> None:
        super().__init__(unit, every)
        self.phases: set[str] = set()
        self._scores: Any = None

    def __call__(self, stage: str, done: int, total: int) -> None:
        self.phases.add(phase_and_measure(stage)[0])
        self._show_scores()
        super().__call__(stage, done, total)

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

    def say(self, text: str) -> None:
        """Show a text."""


@contextmanager
def progress(unit: str = "pairs") -> Iterator[Progress]:
    """Yield a callback that takes the stage, the number done and the total."""
    setting = _config.current().progress
    if setting == "off":
        yield Progress(unit, SECONDS)
    elif setting == "on" or sys.stderr.isatty():
        bar = _Bar(unit, REFRESH)
        try:
            yield bar
        finally:
            bar.close()
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
            speed = f", {number(rate)}/s, {clock((total - done) / rate)} left"
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


class _Bar(Progress, TerminalBar):
    def show_scores(self, results: Any) -> None:
        self.say(f"{results.table(header=False)}\n\n{_SCORES_ONLY}")

    def say(self, text: str) -> None:
        """Show a text below the bars until the final table replaces it."""
        self.bars.below = text
