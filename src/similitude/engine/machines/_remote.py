"""Execution of a run by an executor: tasks are sent, rows appear in the folder."""

import concurrent.futures
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from pathlib import Path

from ... import _config
from ...errors import SimilitudeError, either
from ...measures import Measure
from .._memory import block_bytes
from .._plan import Job
from .._run import Run
from .._tiles import by_tiles
from ._share import has_products
from ._task import Answer, Task, run_task, versions

# Multiplications of one task, about a second of one core. A task costs about a
# millisecond of a scheduler.
TASK_WORK = 2e10
MOST_MEMBERS = {"cheap": 16, "moderate": 4, "heavy": 1}  # representations per block
ATTEMPTS = 4  # a task is sent again if its worker died
PATIENCE = 10.0  # seconds until rows of another machine are visible in the folder
SECONDS = 0.5  # between two looks at the folder


def run_on(
    executor: Executor, run: Run, request: Path, custom: Mapping[str, Measure]
) -> None:
    """Compute all missing rows of a run, or raise an error with the reason.

    Workers write each row when it is ready. If a worker dies, its rows are kept, and
    the missing jobs of its task are sent again. Jobs that a worker had too little
    memory for are sent again one by one.
    """
    sender = _Sender(executor, request, custom)
    for attempt in range(ATTEMPTS):
        tasks = list(_missing(run))
        if not tasks:
            return
        died = sender.send(run, tasks, attempt)
        wait = time.monotonic() + PATIENCE
        while _lost(run) and not died and time.monotonic() < wait:
            time.sleep(SECONDS)
            run.known.read_new(at_once=True)
    if _lost(run):
        raise SimilitudeError(
            f"workers died {ATTEMPTS} times while they computed the same pairs, most "
            f"likely because memory ran out. {_kept(run)}"
        )


class _Sender:
    """Sends tasks to an executor, and waits for them."""

    def __init__(
        self, executor: Executor, request: Path, custom: Mapping[str, Measure]
    ) -> None:
        self.executor, self.request, self.custom = executor, request, custom

    def send(self, run: Run, tasks: Sequence[Sequence[Job]], attempt: int) -> bool:
        """Send these tasks and wait for them; return whether a worker died."""
        died, futures = False, set[Future[Answer]]()
        try:
            for jobs in tasks:
                futures.add(self.executor.submit(run_task, self._task(jobs, attempt)))
            while futures:
                done, futures = concurrent.futures.wait(
                    futures, SECONDS, concurrent.futures.FIRST_COMPLETED
                )
                run.known.read_new(at_once=True)
                run.watch.show_all_processes()
                for future in done:
                    died |= self._died(run, future)
        except (BrokenExecutor, CancelledError) as error:
            raise SimilitudeError(
                f"the connection to the workers was lost. {_kept(run)}"
            ) from error
        finally:
            for future in futures:
                future.cancel()
        return died

    def _task(self, jobs: Sequence[Job], attempt: int) -> Task:
        return Task(
            str(self.request),
            tuple(job.hash for job in jobs),
            self.custom,
            _config.current().memory_budget,
            block_bytes(),
            versions(),
            shell=bool(either(python="", shell="shell")),
            attempt=attempt,
        )

    @staticmethod
    def _died(run: Run, future: "Future[Answer]") -> bool:
        """Whether the worker of a task died; an error of a task is raised."""
        try:
            answer = future.result()
        except (BrokenExecutor, CancelledError):
            raise
        except ImportError as error:
            raise SimilitudeError(
                f"a worker cannot import {error.name}. Install the same versions of "
                f"similitude and its dependencies on all machines."
            ) from error
        except Exception as error:
            if type(error).__name__ == "KilledWorker":  # of Dask
                return True
            raise SimilitudeError(
                f"a worker failed with {type(error).__name__}: {error}. {_kept(run)}"
            ) from error
        if answer.error is not None:
            raise SimilitudeError(f"worker on {answer.worker}: {answer.error}")
        run.known.open.update(answer.open)
        return False


def _missing(run: Run) -> Iterator[list[Job]]:
    """The jobs that are not complete, in parts of about a second or more."""
    parts = by_tiles(run.share.all_streamed, 2)
    for measure in run.share.jobs:
        parts += _parts(run, measure)
    for part in parts:
        left = [job for job in part if not run.known.is_complete(job.hash)]
        yield from ([job] for job in left if job.hash in run.known.open)
        if rest := [job for job in left if job.hash not in run.known.open]:
            yield rest


def _lost(run: Run) -> bool:
    """Whether a job has neither a complete row nor a reason why it is open."""
    return any(job.hash not in run.known.open for part in _missing(run) for job in part)


def _parts(run: Run, measure: Measure) -> list[list[Job]]:
    jobs = run.share.jobs[measure]
    if not jobs:
        return []
    if has_products(measure):
        return run.share.tiles(measure)
    reps = run.question.reps
    n, widest = reps[0].n, max(rep.d for rep in reps)
    scores = 1 + max(job.statistics.permutations for job in jobs)
    members = int((TASK_WORK / (scores * measure.null_work(n, widest, widest))) ** 0.5)
    return by_tiles(jobs, max(1, min(members, MOST_MEMBERS[measure.cost])))


def _kept(run: Run) -> str:
    assert run.folder is not None
    return (
        f"{len(run.known.rows)} of {len(run.plan.jobs)} rows are kept in "
        f"{run.folder.path}; run the same command again to resume."
    )
