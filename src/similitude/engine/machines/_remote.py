"""Execution of a run by an executor: tasks are sent, rows appear in the folder."""

import concurrent.futures
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..._base import _config
from ..._base._progress import NOBODY
from ...errors import SimilitudeError, either
from ...measures import Measure
from .._memory import block_bytes
from .._plan import Job
from .._run import Run
from .._scores import score_tile
from .._tiles import by_tiles, members_of
from ..out_of_core._scores import streamed_parts
from ._crew import Crew
from ._dask_crew import DaskCrew, client_of
from ._share import has_products
from ._task import SAME_VERSIONS, Answer, Task, versions

# Multiplications of one task, about a second of one core. A task costs about a
# millisecond of a scheduler.
TASK_WORK = 2e10
MOST_MEMBERS = {"cheap": 16, "moderate": 4, "heavy": 1}  # representations per block
# With many representations, blocks of a task are larger than for a second of work: each
# task reads its blocks, and rows are saved pair by pair. They must fit into memory.
BLOCKS, LARGEST = 32, 16
ATTEMPTS = 4  # a task is sent again if its worker died
LOOKED_AT = 64  # waiting tasks, of which a worker gets the one with the most it has
PATIENCE = 10.0  # seconds until rows of another machine are visible in the folder
SECONDS = 0.5  # between two looks at the folder


@dataclass
class _Part:
    """Jobs of one task, and what happened to it so far."""

    jobs: tuple[Job, ...]
    deaths: int = 0
    refused: int = 0
    avoid: frozenset[str] = frozenset()  # workers with too little memory for it
    members: frozenset[tuple[int, int]] = field(init=False)

    def __post_init__(self) -> None:
        members = {(id(j.measure), i) for j in self.jobs for i in (j.a, j.b)}
        self.members = frozenset(members)


def run_on(
    executor: Executor, run: Run, request: Path, custom: Mapping[str, Measure]
) -> None:
    """Compute all missing rows of a run, or raise an error with the reason.

    Workers write each row when it is ready. If a worker dies, its rows are kept, and
    the missing jobs of its task are sent again. A worker that cannot read the files,
    has other versions, or too little memory is excluded, and the others go on.
    """
    if not any(_missing(run)):
        return
    budget = _config.current().memory_budget
    client = client_of(executor)
    crew = Crew(executor) if client is None else DaskCrew(executor, client, budget)
    try:
        sender = _Sender(crew, run, request, custom)
        for _ in range(ATTEMPTS):
            sender.send([_Part(tuple(jobs)) for jobs in _missing(run)])
            wait = time.monotonic() + PATIENCE
            # Lost jobs have neither a complete row nor a reason why they are open.
            while any(_missing(run)) and time.monotonic() < wait:
                time.sleep(SECONDS)
                run.known.read_new(at_once=True)
            if not any(_missing(run)):
                break
    except (BrokenExecutor, CancelledError) as error:
        raise SimilitudeError(
            f"the connection to the workers was lost. {_kept(run)}"
        ) from error
    finally:
        crew.close()
        run.workers = tuple(
            f"worker {name} was not used: {reason}"
            for name, reason in crew.excluded.items()
        )


class _Sender:
    """Sends tasks to workers, a few at a time, and waits for them."""

    def __init__(
        self, crew: Crew, run: Run, request: Path, custom: Mapping[str, Measure]
    ) -> None:
        self.crew, self.run, self.request, self.custom = crew, run, request, custom
        self.queue: list[_Part] = []
        self.running: dict[Future[Answer], tuple[str, _Part, float]] = {}
        self.last: dict[str, frozenset[tuple[int, int]]] = {}
        self.sent = 0

    def send(self, parts: Sequence[_Part]) -> None:
        """Compute these parts; jobs may be left that no worker has memory for."""
        self.queue = list(parts)
        try:
            while self.queue or self.running:
                self._submit()
                if not self.running:
                    time.sleep(SECONDS)
                done, _ = concurrent.futures.wait(
                    self.running, SECONDS, concurrent.futures.FIRST_COMPLETED
                )
                self.run.known.read_new(at_once=True)
                for future in (f for f in done if f in self.running):  # see _broken
                    self._take(*self.running.pop(future), future)
                self._forget_lost_workers()
                self._show()
        finally:
            for future in self.running:
                future.cancel()
            self.running.clear()

    def _submit(self) -> None:
        for worker in self.crew.free([name for name, _, _ in self.running.values()]):
            part = self._next(worker)
            if part is None:
                continue
            try:
                future = self.crew.submit(worker, self._task(part))
            except BrokenExecutor as error:
                self._broken(part, error)
                return
            self.running[future] = worker, part, time.monotonic()
            self.last[worker] = part.members
        if not self.running:  # nobody else is left that could have more memory
            for part in self.queue:
                part.avoid = frozenset()

    def _next(self, worker: str) -> _Part | None:
        """The waiting part that needs most of what this worker has prepared."""
        had = self.last.get(worker, frozenset())
        found = [
            (-len(had & part.members), k)
            for k, part in enumerate(self.queue[:LOOKED_AT])
            if worker not in part.avoid
        ]
        return self.queue.pop(min(found)[1]) if found else None

    def _task(self, part: _Part) -> Task:
        self.sent += 1
        return Task(
            str(self.request),
            tuple(job.hash for job in part.jobs),
            tuple(members_of(part.jobs)),
            self.custom,
            _config.current().memory_budget,
            block_bytes(),
            versions(),
            shell=bool(either(python="", shell="shell")),
            excluded=frozenset(self.crew.excluded),
            number=self.sent,
        )

    def _take(
        self, worker: str, part: _Part, sent: float, future: "Future[Answer]"
    ) -> None:
        """Take over the answer of a task, or send its missing jobs again."""
        try:
            answer = future.result()
        except CancelledError:
            raise
        except ImportError as error:
            self._exclude(
                worker, part, f"it cannot import {error.name}. {SAME_VERSIONS}"
            )
        except BrokenExecutor as error:
            self._broken(part, error)
        except Exception as error:
            self._died(part, error)
        else:
            self.crew.took(worker, time.monotonic() - sent)
            if answer.error is not None:
                self._exclude(worker or answer.worker, part, answer.error)
            else:
                self._take_open(worker, part, answer)

    def _broken(self, part: _Part, error: BrokenExecutor) -> None:
        """The executor has lost all its tasks, because one of its processes died."""
        if not self.crew.renew():
            raise error
        lost = [part, *(part for _, part, _ in self.running.values())]
        self.running.clear()
        for each in lost:
            self._died(each, error)

    def _died(self, part: _Part, error: BaseException | None) -> None:
        if part.deaths + 1 == ATTEMPTS:
            name = "" if error is None else f" ({type(error).__name__}: {error})"
            raise SimilitudeError(
                f"workers died {ATTEMPTS} times while they computed the same pairs, "
                f"most likely because memory ran out{name}. {_kept(self.run)}"
            )
        part.deaths += 1
        self._again(part)

    def _exclude(self, worker: str, part: _Part, reason: str) -> None:
        """Do not use this worker any more, and send its jobs to another one."""
        self.crew.excluded.setdefault(worker, reason)
        part.refused += 1
        sent = [part, *(part for _, part, _ in self.running.values())]
        if min(each.refused for each in sent) >= self.crew.refusals:  # nobody computes
            raise SimilitudeError(f"worker {worker}: {reason}")
        self._again(part)

    def _take_open(self, worker: str, part: _Part, answer: Answer) -> None:
        """Send jobs again that this worker had too little memory for, one by one.

        If another worker has enough, this one is excluded.
        """
        for each in (*self.queue, *(part for _, part, _ in self.running.values())):
            each.refused = 0  # a worker computes
        for job in part.jobs:
            reason, avoid = answer.open.get(job.hash), part.avoid | {worker}
            if reason is None:
                for small in part.avoid:
                    self.crew.excluded.setdefault(small, "it has too little memory.")
            elif self.crew.has_others(avoid):
                self._again(_Part((job,), avoid=avoid))
            elif len(part.jobs) > 1:
                self._again(_Part((job,)))
            else:
                self.run.known.open[job.hash] = reason

    def _again(self, part: _Part) -> None:
        """Send the jobs of this part again that are not complete, before all others."""
        done = self.run.known.is_complete
        left = tuple(job for job in part.jobs if not done(job.hash))
        if left:
            self.queue.insert(0, replace(part, jobs=left))

    def _forget_lost_workers(self) -> None:
        for future, (worker, part, _) in list(self.running.items()):
            if not future.done() and self.crew.has_lost(worker):
                del self.running[future]
                future.cancel()
                self._died(part, None)

    def _show(self) -> None:
        if self.crew.is_unfit():
            name, reason = next(iter(self.crew.excluded.items()))
            raise SimilitudeError(f"worker {name}: {reason}")
        if self.crew.is_empty():
            total = len(self.run.plan.jobs)
            self.run.watch.progress(NOBODY, self.run.known.complete, total)
        else:
            self.run.watch.show_all_processes()


def _missing(run: Run) -> Iterator[list[Job]]:
    """The jobs that are not complete, in parts of about a second or more."""
    parts = streamed_parts(run.question.reps, run.share.all_streamed)
    if len(parts) < BLOCKS:  # too few for many workers
        parts = by_tiles(run.share.all_streamed, 2)
    for measure in run.share.jobs:
        parts += _parts(run, measure)
    for part in parts:
        left = [job for job in part if not run.known.is_complete(job.hash)]
        if rest := [job for job in left if job.hash not in run.known.open]:
            yield rest


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
    ready = run.share.ready[measure]
    size = min(members, MOST_MEMBERS[measure.cost])
    size = max(size, min(len(ready.members) // BLOCKS, LARGEST))
    tile, memory, _ = score_tile(ready, jobs)
    if memory.by_sums and tile < len(ready.members):
        size = LARGEST  # a smaller block can be in two tiles, which take turns
    # Representations of larger blocks would be read again for each row of pairs.
    return by_tiles(jobs, max(1, min(size, tile)))


def _kept(run: Run) -> str:
    assert run.folder is not None
    return (
        f"{len(run.known.rows)} of {len(run.plan.jobs)} rows are kept in "
        f"{run.folder.path}; run the same command again to resume."
    )
