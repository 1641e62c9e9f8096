"""Errors of the machine: memory, files or a worker process ran out.

They say nothing about the data, so they never become a row. The job stays open: it is
tried again alone, then named at the end, and the next run computes it.
"""

import gc
import operator
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass
from typing import TypeVar

from .._base import _config, _parallel
from ..errors import SimilitudeError
from ..store import release_arrays

T = TypeVar("T")

_KINDS = (MemoryError, OSError, BrokenExecutor, _parallel.WorkerDied)
# Of the interpreter, and of array libraries that measures of others may use.
_TEXTS = ("can't start new thread", "out of memory", "allocate memory", "EXHAUSTED")
SMALLER = 4  # divides the memory budget of a job that is tried again


@dataclass(frozen=True)
class Open:
    """A job without a result: the machine ran out of something, given in words."""

    reason: str


def is_of_machine(error: BaseException | None) -> bool:
    """Whether this error, or an error that caused it, is one of the machine."""
    while error is not None:
        if isinstance(error, _KINDS):
            return True
        if isinstance(error, RuntimeError) and any(t in str(error) for t in _TEXTS):
            return True
        error = error.__cause__
    return False


def in_words(error: BaseException) -> str:
    """The message of an error; with its type, unless it is one of this package."""
    known = isinstance(error, SimilitudeError)
    return str(error) if known else f"{type(error).__name__}: {error}"


def alone(work: Callable[[], T]) -> T | Open:
    """The result of `work` with a smaller budget, while nothing else is in memory.

    If there are worker processes, it runs in one of them: this process survives if
    the system kills it.
    """
    release_arrays()
    gc.collect()  # the error before may keep frames, and so arrays, in a cycle
    budget, blocks = _config.current().memory_budget, _config.block_budget()
    smaller = _config.config(memory_budget=max(2**20, budget // SMALLER))
    try:
        with smaller, _config.blocks(max(2**20, blocks // SMALLER)):
            return _parallel.pmap(operator.call, [work])[0]
    except Exception as error:
        if not is_of_machine(error):
            raise
        return Open(in_words(error))
