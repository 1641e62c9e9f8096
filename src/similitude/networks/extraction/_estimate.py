"""The memory and disk space of a run."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...errors import InvalidInput
from ...store import Rows


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
