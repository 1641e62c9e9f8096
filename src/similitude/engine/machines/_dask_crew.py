"""The workers of a Dask scheduler: their memory, their versions, who is left."""

import math
import time
from collections import Counter
from collections.abc import Callable, Collection
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import Any

from ._crew import Crew
from ._task import SAME_VERSIONS, Answer, Task, difference, run_task, versions

LOOKS = 0.5  # seconds, at least, between two looks at the workers of a scheduler
QUICK = 10.0  # seconds; after such a task, a worker has the next one in advance
# Dask pauses a worker at 80 % of its limit. Python and its libraries take the rest.
USED, LIBRARIES = 0.8, 150 * 2**20


class DaskCrew(Crew):
    """Workers of a Dask scheduler. Each task goes to one of them.

    `needed` is the memory budget of a task. Workers with a lower limit are excluded, if
    others have enough.
    """

    refusals = math.inf

    def __init__(self, executor: Executor, client: Any, needed: int) -> None:
        super().__init__(executor)
        self.client, self.needed = client, needed
        self.limits: dict[str, int] = {}  # bytes of each worker; 0 without a limit
        self._seen, self._quick = set[str](), set[str]()
        self._next_look = 0.0
        self._look()
        self.excluded |= _with_other_versions(client)

    def _look(self) -> None:
        if time.monotonic() < self._next_look:
            return
        if self.client.status == "closed":
            raise BrokenExecutor
        found = limits_of(self.client)
        self.limits = self.limits if found is None else found
        self._seen |= self.limits.keys()
        self._next_look = time.monotonic() + LOOKS
        small = {w for w in self.limits if 0 < usable(self.limits[w]) < self.needed}
        if len(small) < len(self.limits):
            for worker in small - self.excluded.keys():
                self.excluded[worker] = (
                    f"its memory limit is {self.limits[worker] / 2**20:.0f} MiB, too "
                    f"little for tasks of {self.needed / 2**20:.0f} MiB."
                )

    def _healthy(self) -> list[str]:
        return [worker for worker in self.limits if worker not in self.excluded]

    def free(self, running: Collection[str]) -> list[str]:
        self._look()
        counts, healthy = Counter(running), self._healthy()
        ahead = [each for each in healthy if each in self._quick and counts[each] <= 1]
        return [each for each in healthy if not counts[each]] + ahead

    def submit(self, worker: str, task: Task) -> "Future[Answer]":
        submit: Callable[..., Future[Answer]] = self.executor.submit
        return submit(
            run_task, task, pure=False, workers=[worker], allow_other_workers=False
        )

    def has_lost(self, worker: str) -> bool:
        self._look()
        return worker not in self.limits

    def took(self, worker: str, seconds: float) -> None:
        self._quick = self._quick - {worker} | ({worker} if seconds < QUICK else set())

    def is_empty(self) -> bool:
        return not self._healthy()

    def is_unfit(self) -> bool:
        return bool(self._seen) and self._seen <= self.excluded.keys()

    def has_others(self, than: Collection[str]) -> bool:
        return any(each not in than for each in self._healthy())


def limits_of(client: Any) -> dict[str, int] | None:
    """The memory limit of each worker of a Dask client; None if it cannot answer."""
    try:
        workers = client.scheduler_info()["workers"]
    except (OSError, RuntimeError, TimeoutError):
        return None
    return {name: int(each["memory_limit"] or 0) for name, each in workers.items()}


def usable(limit: int) -> int:
    """The budget of a worker with this memory limit."""
    return max(limit // 4, int(USED * limit) - LIBRARIES)


def budget_of_workers(executor: Executor | None) -> int:
    """The memory budget of a worker of middle size; 0 if workers have no limit."""
    client = client_of(executor)
    limits = {} if client is None else limits_of(client) or {}
    found = sorted(usable(limit) for limit in limits.values() if limit)
    return found[len(found) // 2] if found else 0


def client_of(executor: Executor | None) -> Any:
    """The Dask client of an executor; None if it is of another kind."""
    client = getattr(executor, "_client", None)
    return client if hasattr(client, "scheduler_info") else None


def _with_other_versions(client: Any) -> dict[str, str]:
    """The workers that cannot compute the same values, with the reason."""
    # The client and the workers exchange Python objects, also those of Dask.
    of_dask, found = client.get_versions(), {}
    for address, there in client.run(versions, on_error="return").items():
        if isinstance(there, Exception):
            problem = f"it cannot use this version of similitude ({there})."
            found[address] = f"{problem} {SAME_VERSIONS}"
            continue
        here = versions()
        for name in ("dask", "distributed"):
            there[name] = of_dask["workers"][address]["packages"][name]
            here[name] = of_dask["client"]["packages"][name]
        if other := difference(there, here):
            found[address] = f"it has other versions: {other}"
    return found
