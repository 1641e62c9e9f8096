"""Progress on stderr: a bar on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .. import _config

SECONDS = 10.0  # between lines where there is no terminal


@contextmanager
def progress(unit: str = "pairs") -> Iterator[Callable[[str, int, int], None]]:
    """A function to call with the stage, how many are done, and of how many."""
    setting = _config.current().progress
    if setting == "off":
        yield lambda stage, done, total: None
    elif setting == "on" or sys.stderr.isatty():
        with _bar(unit) as report:
            yield report
    else:
        yield _Lines(unit)


@contextmanager
def _bar(unit: str) -> Iterator[Callable[[str, int, int], None]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns: list[Any] = [
        TextColumn("{task.description:<10}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn(f"{unit} · {{task.fields[rate]}} ·"),
        TimeRemainingColumn(),
    ]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, Any] = {}
        starts: dict[str, tuple[float, int]] = {}

        def report(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=total, rate="")
                starts[stage] = (time.monotonic(), done)
            began, before = starts[stage]
            passed = time.monotonic() - began
            rate = f"{(done - before) / passed:.0f} {unit}/s" if passed > 0 else ""
            bar.update(tasks[stage], completed=done, total=total, rate=rate)

        yield report


class _Lines:
    """A line every few seconds, which a log can keep."""

    def __init__(self, unit: str) -> None:
        self.unit, self.last = unit, time.monotonic()
        self.began: dict[str, tuple[float, int]] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        start, before = self.began.setdefault(stage, (now, done))
        if now - self.last < SECONDS:
            return
        self.last = now
        rate = (done - before) / (now - start) if now > start else 0.0
        left = f", {(total - done) / rate:.0f} s left" if rate > 0 else ""
        text = f"{stage}: {done:,}/{total:,} {self.unit}, {rate:.3g}/s{left}\n"
        sys.stderr.write(text)
