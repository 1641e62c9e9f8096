"""A comparison on the workers of a Dask scheduler.

Workers read representations from stores, and write rows to the results folder: a task
has the hashes of its jobs, never an array. Dask sends the tasks of a dead worker again.
"""

import contextlib
import functools
import inspect
import logging
import queue
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import Any

from ..._base._progress import WAITING, Progress
from ...errors import InvalidInput, SimilitudeError, check_extra, either
from .._plan import Job
from .._run import Run
from .._tiles import members_of
from ._sent import SAME_VERSIONS, Sent, Unfit, compute, facts, other_version, versions
from ._tasks import missing

ROUNDS = 4  # of tasks, without a new row
VISIBLE = 10.0  # seconds until rows of another machine are visible in the folder
SECONDS = 0.5  # between two looks at the folder
LOOKS = 2.0  # seconds between two looks at the workers
SILENT = 15.0  # seconds without a heartbeat; workers send one every 0.5 to 6 s
# Dask pauses a worker at 80 % of its limit. Python and its libraries take the rest.
USED, LIBRARIES = 0.8, 150 * 2**20


class Lost(SimilitudeError):
    """The connection to the scheduler was lost."""


@contextlib.contextmanager
def dask_crew(dask: Any, report: Progress) -> "Iterator[Crew | None]":
    """The workers of a Dask client, or of the scheduler at an address; None: nothing.

    The address may also be the file of ``dask scheduler --scheduler-file``.
    """
    if dask is None:
        yield None
        return
    check_extra("a Dask scheduler", "dask")
    with contextlib.ExitStack() as stack:
        if either(python="", shell="shell"):  # errors are one sentence
            stack.enter_context(warnings.catch_warnings(action="ignore"))
            stack.callback(logging.disable, logging.root.manager.disable)
            logging.disable()
        if isinstance(dask, str):
            dask = _connected(dask)
            stack.callback(dask.close, timeout=2)
        elif not hasattr(dask, "scheduler_info"):
            raise InvalidInput(
                f"dask={dask!r}: give the address of a Dask scheduler, or a client of "
                f"`distributed`."
            )
        yield Crew(dask, report)


def _connected(scheduler: str) -> Any:
    import dask
    from distributed import Client

    where = "scheduler_file" if scheduler.endswith(".json") else "address"
    try:
        client = Client(**{where: scheduler}, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise InvalidInput(
            f"the scheduler {scheduler} does not answer. Start it with `dask "
            f"scheduler`, and give the address that it prints, such as "
            f"tcp://127.0.0.1:8786."
        ) from error
    try:
        client.wait_for_workers(1, dask.config.get("distributed.comm.timeouts.connect"))
    except TimeoutError as error:
        client.close(timeout=2)
        raise InvalidInput(
            f"the scheduler {scheduler} has no workers. Start some with `dask worker "
            f"{scheduler} --nthreads 1`."
        ) from error
    return client


class Crew:
    """The workers of a Dask scheduler.

    Attributes
    ----------
    limits
        The memory limits in bytes of the workers that can compute; 0 without a limit.
    unfit
        The workers that cannot compute, with the reason.
    """

    def __init__(self, client: Any, report: Progress) -> None:
        self.client, self.report = client, report
        self.limits: dict[str, int] = {}
        self.unfit: dict[str, str] = {}
        self._here: set[str] = set()
        self._heard: dict[str, tuple[float, float]] = {}
        self._next_look, self._waits = 0.0, False
        self._ask([])

    def _ask(self, paths: list[str]) -> None:
        """Ask all workers for their versions and memory, and whether they see files.

        `Client.run` reaches all of them; `scheduler_info` lists five with some versions
        of distributed. A worker that is stopped can block it for minutes.
        """
        answers: Future[dict[str, Any]] = Future()

        def ask() -> None:
            try:
                answers.set_result(self.client.run(facts, paths, on_error="return"))
            except BaseException as error:
                answers.set_exception(error)

        threading.Thread(target=ask, daemon=True).start()
        while not answers.done():
            time.sleep(0.02)
            self._is_waiting()
        if answers.exception() is not None:
            raise Lost("the connection to the workers was lost.")
        found, here, self.limits = answers.result(), versions(), {}
        self._here = set(found)
        for worker, answer in found.items():
            if worker in self.unfit or isinstance(answer, OSError):
                continue  # known, or it died meanwhile
            if isinstance(answer, Exception):
                reason = f"it cannot use this version of similitude ({answer})."
                self.unfit[worker] = f"{reason} {SAME_VERSIONS}"
                continue
            there, limit, unseen = answer
            if (reason := other_version(there, here) or unseen) is None:
                self.limits[worker] = limit
            else:
                self.unfit[worker] = reason

    @property
    def budget(self) -> int:
        """The memory budget of a worker of middle size; 0 without limits."""
        found = sorted(usable(limit) for limit in self.limits.values() if limit)
        return found[len(found) // 2] if found else 0

    def prepare(self, sent: Sent) -> str:
        """Find the workers that can compute a run; return a line about their number.

        Workers with too little memory are left out, if others have enough.
        """
        self._ask(sent.paths)
        needed = sent.settings["memory_budget"]
        small = {w for w, limit in self.limits.items() if 0 < usable(limit) < needed}
        for worker in small if len(small) < len(self.limits) else ():
            self.unfit[worker] = (
                f"its memory limit is {self.limits.pop(worker) / 2**20:.0f} MiB, too "
                f"little for tasks of {needed / 2**20:.0f} MiB."
            )
        left_out = f" of {len(self._here)}" * bool(self.unfit)
        return f"Dask workers: {len(self.limits)}{left_out}."

    def _workers(self) -> set[str]:
        try:
            return set(self.client.nthreads())
        except (OSError, RuntimeError):  # the connection is lost; tasks end with it
            return self._here

    def _is_waiting(self) -> bool:
        """Report workers that do not answer, or that none is left; whether it is so."""
        now = time.monotonic()
        if now >= self._next_look:
            workers = self._workers() - self.unfit.keys()
            self._next_look = now + LOOKS
            silent = sorted(workers & self._silent(now))
            text = f"{WAITING}: no workers are left" if not workers else ""
            if silent:
                more = f" and {len(silent) - 1} more" * (len(silent) > 1)
                text = (
                    f"{WAITING} for worker {silent[0]}{more}, without an answer; the "
                    f"setting distributed.scheduler.worker-ttl of the scheduler ends it"
                )
            if text:
                self.report(text, len(workers) - len(silent), max(1, len(workers)))
            self._waits = bool(text)
        return self._waits

    def _silent(self, now: float) -> set[str]:
        """The workers whose last heartbeat has not changed for a while."""
        info = self.client.scheduler_info
        every = "n_workers" in inspect.signature(info).parameters  # else all are listed
        try:
            found = info(**{"n_workers": -1} if every else {})["workers"]
        except (OSError, RuntimeError):
            return set()
        for worker, each in found.items():
            if self._heard.get(worker, (None, 0.0))[0] != each["last_seen"]:
                self._heard[worker] = each["last_seen"], now
        return {w for w, (_, heard) in self._heard.items() if now - heard > SILENT}

    def compute(self, run: Run, sent: Sent) -> None:
        """Compute all missing rows of a run, or raise an error with the reason."""
        fruitless, complete = 0, run.known.complete
        if self.unfit and not self.limits:
            worker, reason = next(iter(self.unfit.items()))
            raise SimilitudeError(f"worker {worker}: {reason}")
        try:
            while fruitless < ROUNDS and (parts := list(missing(run))):
                self._round(run, sent, parts)
                fruitless = fruitless + 1 if run.known.complete == complete else 0
                complete = run.known.complete
                if any(missing(run)):
                    self.prepare(sent)
                while self.unfit and not self.limits:
                    time.sleep(LOOKS)
                    self.prepare(sent)
        except Lost as error:
            raise SimilitudeError(f"{error} {_kept(run)}") from error
        finally:
            run.workers = tuple(
                f"worker {worker} was not used: {reason}"
                for worker, reason in self.unfit.items()
            )

    def _round(self, run: Run, sent: Sent, parts: Sequence[Sequence[Job]]) -> None:
        """Send tasks and wait; return early if they must be sent to other workers."""
        fit = list(self.limits) if self.unfit else None  # None: also later workers
        submit = functools.partial(self.client.submit, pure=False, workers=fit)
        first = submit(bytes, sent.pack())  # Dask sends it to each worker once
        done = queue.SimpleQueue[Any]()
        tasks = [
            submit(compute, first, [job.hash for job in part], members_of(part))
            for part in parts
        ]
        for task in tasks:
            task.add_done_callback(done.put)
        left = len(tasks)
        try:
            while left:
                end = time.monotonic() + SECONDS
                with contextlib.suppress(queue.Empty, TimeoutError):
                    while left and (wait := end - time.monotonic()) > 0:
                        _take(run, done.get(timeout=wait), done)
                        left -= 1
                run.known.read_new(at_once=True)
                # A worker is missing, or new: perhaps only others can compute the rest.
                if self.unfit and self._workers() != self._here:
                    return
                if not self._is_waiting():
                    run.watch.show_all_processes()
        except Unfit:
            return
        finally:
            with contextlib.suppress(OSError, RuntimeError):
                self.client.cancel([*tasks, first])
        end = time.monotonic() + VISIBLE
        while any(missing(run)) and time.monotonic() < end:
            time.sleep(SECONDS)
            run.known.read_new(at_once=True)


def _take(run: Run, task: Any, done: "queue.SimpleQueue[Any]") -> None:
    """Take over a task that ended, or raise its error."""
    from distributed import KilledWorker

    if task.status == "error":
        error = task.exception()
        if isinstance(error, ImportError):
            raise Unfit from error
        if isinstance(error, KilledWorker):
            raise SimilitudeError(
                f"workers died several times while they computed the same pairs, most "
                f"likely because memory ran out. {_kept(run)}"
            )
        raise error
    if task.status != "finished":
        raise Lost("the connection to the workers was lost.")
    try:
        run.known.open.update(task.result(timeout=LOOKS))
    except TimeoutError:  # its worker does not answer at the moment
        done.put(task)
        raise


def usable(limit: int) -> int:
    """The budget of a worker with this memory limit."""
    return max(limit // 4, int(USED * limit) - LIBRARIES)


def _kept(run: Run) -> str:
    assert run.folder is not None
    return (
        f"{len(run.known.rows)} of {len(run.plan.jobs)} rows are kept in "
        f"{run.folder.path}; run the same command again to resume."
    )
