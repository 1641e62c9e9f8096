"""A task: some jobs of a run, computed by a process on any machine.

A task carries the path of a request and the hashes of jobs. The process reads the
representations from stores, and writes the rows to the results folder itself.
"""

import contextlib
import functools
import os
import platform
import socket
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import scipy

from ... import __version__
from ..._base import _config, _parallel
from ..._base._source import source_hash
from ...errors import SimilitudeError, in_shell
from ...measures import Measure
from .._run import Run
from ._request import read_request

# The threads of one process compute one task after the other: they share a `Run`.
_ONE_AT_A_TIME = threading.Lock()
PAUSE = 2.0  # seconds
SAME_VERSIONS = "Install the same versions on all machines."


@dataclass(frozen=True)
class Task:
    """Jobs of one run.

    Attributes
    ----------
    request
        The file that describes the run.
    jobs, members
        The hashes of the jobs, and the places of their representations: a worker plans
        only jobs between these, and what the same products need.
    custom
        Measures that are not part of this package, by label.
    memory_budget, blocks
        Bytes for all, and for the intermediate results of a measure. They decide how
        the work is divided, and so the last bits of scores.
    versions
        The versions of the process that sent the task.
    shell
        Whether errors name options of the command line.
    excluded
        Workers that cannot compute. If the executor chooses one of them again, it waits
        before it answers, so that another worker takes the next task.
    number
        Makes tasks distinct for executors that reuse results.
    """

    request: str
    jobs: tuple[str, ...]
    members: tuple[int, ...]
    custom: Mapping[str, Measure]
    memory_budget: int
    blocks: int
    versions: Mapping[str, str]
    shell: bool
    excluded: frozenset[str] = frozenset()
    number: int = 0


@dataclass(frozen=True)
class Answer:
    """The jobs that memory or files did not suffice for, or an error of the task."""

    open: Mapping[str, str] = field(default_factory=dict)  # job to reason
    error: str | None = None
    worker: str = field(default_factory=lambda: _name())


def _name() -> str:
    """The name of this process."""
    return f"on {socket.gethostname()} (process {os.getpid()})"


def versions() -> dict[str, str]:
    """The versions that must be equal on all machines."""
    return {
        "similitude": __version__,
        "the source code of similitude": source_hash(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "Python": ".".join(platform.python_version_tuple()[:2]),
    }


def difference(there: Mapping[str, str], here: Mapping[str, str]) -> str | None:
    """The first version of a worker that is not that of the sender, in words."""
    for name, version in here.items():
        if there[name] != version:
            return f"{name} is {there[name]} there, and {version} here. {SAME_VERSIONS}"
    return None


def run_task(task: Task) -> Answer:
    """Compute the jobs of a task; an error is part of the answer."""
    if _name() in task.excluded:
        time.sleep(PAUSE)
    if other := difference(versions(), task.versions):
        return Answer(error=other)
    settings = _config.config(workers=1, threads=1, memory_budget=task.memory_budget)
    shell = in_shell() if task.shell else contextlib.nullcontext()
    blocks = _config.blocks(task.blocks)
    try:
        with shell, _ONE_AT_A_TIME, settings, blocks, _parallel.one_thread():
            run = _run_of(task.request, _Custom(task.custom))
            run.compute(frozenset(task.jobs), task.members)
            return Answer(dict(run.known.open))
    except SimilitudeError as error:
        return Answer(error=str(error))
    except OSError as error:
        return Answer(error=f"{error.filename}: {error.strerror or error}")
    except MemoryError:
        return Answer(error="its memory does not suffice for the smallest task")


class _Custom(dict[str, Measure]):
    """A mapping that a cache can use as a key."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))


@functools.lru_cache(maxsize=1)
def _run_of(request: str, custom: _Custom) -> Run:
    """The run of a request; it is kept for the next task of the same run."""
    path = Path(request)
    question, planned, resampling = read_request(path, custom)
    out = path.parents[1]
    return Run(question, planned, resampling, out, _no_progress, in_worker=True)


def _no_progress(stage: str, done: int, total: int) -> None:
    """The process that sends tasks reports the progress."""
