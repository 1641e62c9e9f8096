"""The memory and disk space of a run, and the lines that report its progress."""

import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from .. import _config
from ..errors import InvalidInput
from ..store import Rows

SECONDS = 10.0  # between lines of progress


class Progress(Protocol):
    """Receives the stage, the number done and the total; `say` prints a line."""

    unit: str

    def __call__(self, stage: str, done: int, total: int) -> None: ...

    def say(self, text: str) -> None: ...


def size(count: float) -> str:
    """A number of bytes for people, as in 3.2 GB."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}" if unit != "bytes" else f"{count:.0f} bytes"
        count /= 1000
    return f"{count:,.1f} TB"


def estimate(rows: Sequence[Rows], largest_batch: float, samples: int) -> str:
    """A line with the disk space and memory that the rows need."""
    disk = sum(r.count * r.width * np.dtype(r.dtype).itemsize for r in rows)
    memory = disk * largest_batch
    layers = "1 layer" if len(rows) == 1 else f"{len(rows)} layers"
    return (
        f"{layers}, {samples:,} samples: {size(disk)} on disk, {size(memory)} of "
        f"memory per batch"
    )


def check_disk(rows: Sequence[Rows], folder: Path, kept: float) -> None:
    """Refuse a run that cannot fit on the disk; `kept` is the share written already."""
    disk = sum(r.count * r.width * np.dtype(r.dtype).itemsize for r in rows)
    needed, free = disk * (1 - kept), shutil.disk_usage(folder).free
    if needed > free:
        raise InvalidInput(
            f"{folder}: the rows need {size(needed)}, but {size(free)} are free. Free "
            f"space, or choose fewer layers or a reducer."
        )


class Lines:
    """Lines on stderr, as `similitude.config(progress=...)` says."""

    def __init__(self) -> None:
        self.unit = "samples"
        self._shown = _config.current().progress != "off"
        self._started: tuple[float, int] | None = None
        self._last = time.monotonic()

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        began, before = self._started = self._started or (now, done)
        if now - self._last < SECONDS or done == total:
            return
        self._last = now
        rate = (done - before) / (now - began) if now > began else 0.0
        left = f", {(total - done) / rate:,.0f} s left" if rate > 0 else ""
        self.say(f"{stage}: {done:,}/{total:,} {self.unit}, {rate:,.3g}/s{left}\n")

    def say(self, text: str) -> None:
        if self._shown:
            sys.stderr.write(text)


def as_progress(progress: Any) -> Progress:
    return Lines() if progress is None else progress
