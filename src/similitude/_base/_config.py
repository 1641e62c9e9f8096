"""Settings of the computation: memory, workers, cache, progress bars.

No setting changes a result, except for the last bits of scores (`memory_budget`).
"""

import functools
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from ..errors import InvalidInput, check_known

MOST_BLOCKS = 2**31  # bytes for the intermediate results of a measure, by default
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def _environment(name: str, default: str) -> str:
    return os.environ.get(f"SIMILITUDE_{name.upper()}", default)


def _bytes(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:I?B)?", text.strip().upper())
    if match is None:
        raise InvalidInput(
            f"SIMILITUDE_MEMORY_BUDGET is {text!r}; write bytes or a size like 2GiB."
        )
    return int(float(match[1]) * _UNITS[match[2]])


def _memory() -> int:
    """Bytes of memory that this process may use: of the machine, or a limit below it.

    The total, not the free memory: the same command must give the same plan.
    """
    if os.name == "nt":
        return _memory_of_windows()
    import resource

    found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    found += [limit] if limit != resource.RLIM_INFINITY else []
    for name in ("memory.max", "memory/memory.limit_in_bytes"):  # of a container
        try:
            text = Path("/sys/fs/cgroup", name).read_text("ascii").strip()
        except OSError:
            continue
        found += [int(text)] if text.isdecimal() else []
    return min(found)


def _memory_of_windows() -> int:
    import ctypes

    kilobytes = ctypes.c_ulonglong(0)  # stays 0 in some virtual machines
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009
    kernel.GetPhysicallyInstalledSystemMemory(ctypes.byref(kilobytes))
    return 1024 * kilobytes.value or 4 * 2**30


def _budget() -> int:
    text = os.environ.get("SIMILITUDE_MEMORY_BUDGET")
    return max(2**20, _memory() // 2) if text is None else _bytes(text)


def _count(name: str, default: str) -> int:
    text = _environment(name, default)
    if not text.strip().isdecimal():
        raise InvalidInput(
            f"SIMILITUDE_{name.upper()} is {text!r}; write a number like 2."
        )
    return int(text)


def _cores() -> int:
    """The cores that this process may use, at most 4 because of their memory."""
    affinity = getattr(os, "sched_getaffinity", None)  # Linux only
    cores = (os.cpu_count() or 1) if affinity is None else len(affinity(0))
    limit = os.environ.get("OMP_NUM_THREADS", "")
    if limit.isdecimal() and int(limit) > 0:
        cores = min(cores, int(limit))
    return min(cores, 4)


def _cache_home() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(_environment("cache_dir", str(Path(home) / "similitude")))


@dataclass(frozen=True)
class Config:
    """Current settings; `similitude.config(...)` changes them for a block.

    memory_budget
        Bytes that `compare` may use in this process and its workers together: loaded
        rows, prepared representations, caches and intermediate results. Arrays that the
        caller holds, and about 150 MiB per process for the libraries, are not counted.
        The default is half of the memory of the machine or container. A function of one
        pair, such as `cka(x, y)`, uses it for intermediate results only, by default at
        most 2 GiB.
    workers
        Number of processes for independent jobs; each uses one thread.
    threads
        Number of threads for the permutations of one pair, and for the batches or the
        edges of one topological score, if there is one worker. The default is the
        number of cores, at most 4, and at most OMP_NUM_THREADS.
    cache_dir
        Folder for data sets and compiled kernels.
    progress
        Whether to show progress bars; "auto" shows them only on a terminal.

    An environment variable sets the default of each field, for example
    ``SIMILITUDE_MEMORY_BUDGET=8GiB``.
    """

    memory_budget: int = field(default_factory=_budget)
    workers: int = field(default_factory=lambda: _count("workers", "1"))
    threads: int = field(default_factory=lambda: _count("threads", str(_cores())))
    cache_dir: Path = field(default_factory=_cache_home)
    progress: Literal["auto", "on", "off"] = field(
        default_factory=lambda: _environment("progress", "auto")  # type: ignore[return-value,arg-type]
    )

    def __post_init__(self) -> None:
        if self.memory_budget < 2**20:
            raise InvalidInput(
                f"memory_budget is {self.memory_budget} bytes; give at least 1 MiB."
            )
        if self.workers < 1:
            raise InvalidInput(f"workers is {self.workers}; it must be 1 or more.")
        if self.threads < 1:
            raise InvalidInput(f"threads is {self.threads}; it must be 1 or more.")
        if self.progress not in {"auto", "on", "off"}:
            raise InvalidInput(
                f"progress is {self.progress!r}; choose 'auto', 'on' or 'off'."
            )


_current: ContextVar[Config | None] = ContextVar("similitude_config", default=None)
_blocks: ContextVar[int | None] = ContextVar("similitude_blocks", default=None)


def current() -> Config:
    """Settings of the innermost `config` block, or the defaults."""
    return _current.get() or _defaults()


current_config = current  # its name in `plugins`


def has_default_budget() -> bool:
    """Whether nobody has chosen a memory budget."""
    chosen = "SIMILITUDE_MEMORY_BUDGET" in os.environ
    return not chosen and current().memory_budget == _defaults().memory_budget


def block_budget() -> int:
    """Bytes for the intermediate results of one measure.

    They decide how sums are divided, and so the last bits of a score. By default they
    are therefore the same on all machines with enough memory.
    """
    budget = current().memory_budget
    by_default = min(budget, MOST_BLOCKS) if has_default_budget() else budget
    return chosen_blocks() or by_default


def chosen_blocks() -> int | None:
    """The bytes of the innermost `blocks`; None outside."""
    return _blocks.get()


@contextmanager
def blocks(size: int) -> Iterator[None]:
    """Let measures use `size` bytes for intermediate results in this block."""
    token = _blocks.set(size)
    try:
        yield
    finally:
        _blocks.reset(token)


@functools.cache
def _defaults() -> Config:
    """Defaults from the environment, read once because `current` is called often."""
    return Config()


@contextmanager
def config(**changes: Any) -> Iterator[Config]:
    """Change settings for a block.

    >>> import similitude
    >>> with similitude.config(memory_budget=2**30, workers=2) as settings:
    ...     settings.workers
    2
    """
    for name in changes:
        check_known(name, (f.name for f in fields(Config)), f"unknown setting {name!r}")
    token = _current.set(replace(current(), **changes))
    try:
        yield current()
    finally:
        _current.reset(token)
