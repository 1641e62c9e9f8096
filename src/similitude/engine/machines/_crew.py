"""The workers of an executor: which of them can take a task, and which are excluded."""

import math
from collections.abc import Collection
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import Any

from ._task import Answer, Task, run_task

ANYONE = ""  # the name of a worker that the executor chooses
IN_FLIGHT, FEW = 64, 8  # tasks of an executor whose workers are not known


class Crew:
    """Workers of any executor. They are not known: the executor chooses one of them.

    Attributes
    ----------
    excluded
        Names of workers that must not compute, with the reason.
    """

    refusals: float = 4  # of all tasks, after which no worker is expected to be fit

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self.excluded: dict[str, str] = {}
        self._own: Executor | None = None

    def free(self, running: Collection[str]) -> list[str]:
        """The workers of the next tasks. `running` has one name for each task."""
        # If some workers are unfit, it soon shows whether others are.
        most = FEW if self.excluded else IN_FLIGHT
        return [ANYONE] * (most - len(running))

    def submit(self, worker: str, task: Task) -> "Future[Answer]":
        return self.executor.submit(run_task, task)

    def has_lost(self, worker: str) -> bool:
        """Whether this worker is gone, so that its tasks never end."""
        return False

    def took(self, worker: str, seconds: float) -> None:
        """Note how long the last task of this worker took."""

    def is_empty(self) -> bool:
        """Whether no worker is left now."""
        return False

    def is_unfit(self) -> bool:
        """Whether all workers so far are excluded."""
        return len(self.excluded) >= getattr(self.executor, "_max_workers", math.inf)

    def has_others(self, than: Collection[str]) -> bool:
        """Whether a worker is left that is not in `than`."""
        return False

    def renew(self) -> bool:
        """Replace a pool of processes that broke because one of them died."""
        if type(self.executor) is not ProcessPoolExecutor:
            return False
        pool: Any = self.executor
        self.close()
        self.excluded.clear()  # they had other process ids
        self.executor = self._own = ProcessPoolExecutor(
            max_workers=pool._max_workers,
            mp_context=pool._mp_context,
            initializer=pool._initializer,
            initargs=pool._initargs,
            max_tasks_per_child=pool._max_tasks_per_child,
        )
        return True

    def close(self) -> None:
        """End the processes of a pool that replaced another one."""
        if self._own is not None:
            self._own.shutdown(cancel_futures=True)
