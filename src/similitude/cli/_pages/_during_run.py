"""The page of `compare --report`, written again while the comparison runs."""

import contextlib
import time
from pathlib import Path

from ... import engine
from ..._base._progress import Progress

SECONDS = 5.0  # at least, between two pages
SHARE = 10  # the time between two pages, in units of the time to make one


class PageDuringRun:
    """A callback for progress that also writes the page, every few seconds.

    The page has the rows of the results folder, so also those of other processes.
    """

    def __init__(self, progress: Progress, out: Path, page: Path) -> None:
        self.progress, self.out, self.page = progress, out, page
        self._next = time.monotonic() + SECONDS

    def __call__(self, stage: str, done: int, total: int) -> None:
        self.progress(stage, done, total)
        if (start := time.monotonic()) < self._next:
            return
        # The comparison goes on; if the disk is full, the last page is an error.
        with contextlib.suppress(OSError):
            engine.Results.load(self.out).report(self.page, live=SECONDS)
        end = time.monotonic()
        self._next = end + max(SECONDS, SHARE * (end - start))
