"""Limits on the memory that files may take, checked before it is allocated."""

from pathlib import Path

from ..._base import _config
from ...errors import either

# Deflate shrinks zeros by a factor of 1000. Activations never compress that well.
LARGE_BYTES, MAX_EXPANSION = 2**30, 100
MAX_ARRAYS = 10_000  # per file
HELD = (
    16  # small files of a run stay in memory, up to the memory budget divided by this
)


class ReadLimits:
    """The bytes of all files of one run: on the disk, and in memory.

    Pass the same object to each `read_files` of a run. Then many files that expand
    a little are refused like one file that expands a lot.

    Parameters
    ----------
    rows
        Read only these rows of a Parquet file, from the first number up to the second.
    """

    def __init__(self, rows: tuple[int, int] | None = None) -> None:
        self.rows = rows
        self._stored = self._file_stored = 0
        self._expanded = self._file_expanded = 0
        self._held = 0

    def begin_file(self, stored: int) -> None:
        """Count a file of `stored` bytes. The next `admit` is about this file."""
        self._file_stored, self._file_expanded = stored, 0
        self._stored += stored

    def admit(self, more: int) -> None:
        """Count `more` bytes of memory, or raise `ValueError` if they are too many."""
        self._file_expanded += more
        self._expanded += more
        for what, stored, expanded in (
            ("it", self._file_stored, self._file_expanded),
            ("it and the files before it", self._stored, self._expanded),
        ):
            if expanded > max(LARGE_BYTES, MAX_EXPANSION * stored):
                raise ValueError(
                    f"{what} would grow from {stored:,} to {expanded:,} bytes, more "
                    f"than {MAX_EXPANSION} times; save it uncompressed"
                )
        try:
            check_memory(more)
        except MemoryError as error:
            raise ValueError(str(error)) from error

    def remaining(self) -> int:
        """Bytes that `admit` still accepts, for files that do not say their size."""
        free = available_memory()
        bounds = [
            max(LARGE_BYTES, MAX_EXPANSION * stored) - expanded
            for stored, expanded in (
                (self._file_stored, self._file_expanded),
                (self._stored, self._expanded),
            )
        ]
        return max(0, min(bounds if free is None else [*bounds, free]))

    def hold(self, size: int) -> bool:
        """Whether a small file of `size` bytes may stay in memory; then count it."""
        fits = HELD * (self._held + size) <= _config.current().memory_budget
        if fits:
            self._held += size
            self.admit(size)
        return fits


def check_memory(needed: int) -> None:
    """Raise `MemoryError` if this process cannot get `needed` bytes of memory."""
    free = available_memory()
    if free is not None and needed > free:
        raise MemoryError(
            f"it needs {needed:,} bytes of memory, but {max(free, 0):,} are available; "
            f"use fewer rows, or save it as .npy and use "
            f"{either(python='rows=', shell='--rows')}"
        )


def available_memory() -> int | None:
    """Bytes that this process may still allocate; None if the system does not say."""
    bounds = [_of_the_system(), _of_the_process(), _of_the_container()]
    return min((bound for bound in bounds if bound is not None), default=None)


def _of_the_system() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
    except OSError:
        return None
    kib = {line.split(":")[0]: int(line.split()[1]) for line in lines}
    return 1024 * (kib.get("MemAvailable", 0) + kib.get("SwapFree", 0)) or None


def _of_the_process() -> int | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except OSError:
        return limit
    return limit - pages * resource.getpagesize()


def _of_the_container() -> int | None:
    """The remaining memory of the control group (version 2); the file cache is free."""
    folder = Path("/sys/fs/cgroup")
    try:
        limit = (folder / "memory.max").read_text("ascii").strip()
        used = int((folder / "memory.current").read_text("ascii"))
        lines = (folder / "memory.stat").read_text("ascii").splitlines()
    except (OSError, ValueError):
        return None
    if limit == "max":
        return None
    statistics = dict(line.split() for line in lines)
    return int(limit) - used + int(statistics.get("file", 0))
