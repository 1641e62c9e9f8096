"""Worker processes and BLAS threads.

Every job runs on one BLAS thread, even with a single worker. The order of summation,
and so the last bits of a product, must not depend on the number of workers or cores.
"""

import functools
import math
import os
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict
from types import FrameType
from typing import Any, TypeVar

from ..errors import SimilitudeError
from . import _config, _parts


class WorkerDied(SimilitudeError):
    """A worker process was killed, most likely because memory ran out."""


T = TypeVar("T")
R = TypeVar("R")


def pmap(func: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """``[func(item) for item in items]``, over the configured number of workers.

    Results are in the order of the items. With more than one worker, `func` and the
    items are sent to other processes, so they must be picklable.
    """
    return list(imap(func, items))


def imap(
    func: Callable[[T], R], items: Iterable[T], most: int | None = None
) -> Iterator[R]:
    """Like `pmap`, but yield each result as soon as it and all earlier ones are done.

    At most `most` workers are used, if it is given. While the iterator is consumed,
    linear algebra of the caller also uses one thread.
    """
    settings = _config.current()
    workers = min(settings.workers, most or settings.workers)
    if workers == 1:
        with one_thread():
            for item in items:
                yield func(item)
        return
    from concurrent.futures import BrokenExecutor

    import joblib

    # Jobs must not start further workers or threads. Each worker has its share of the
    # memory, but the blocks of a sum do not depend on the number of workers.
    inner = asdict(settings) | {"workers": 1, "threads": 1}
    inner["memory_budget"] = max(2**20, settings.memory_budget // settings.workers)
    blocks = _config.block_budget()
    job = joblib.delayed(_single_threaded)
    run = joblib.Parallel(n_jobs=workers, return_as="generator", backend=_backend())
    results = None
    try:
        with _starting_workers(), uninterrupted():
            kept = _parts.keeper()
            results = run(job(func, item, inner, blocks, kept) for item in items)
        for result in results:  # noqa: UP028 - see `_close`
            yield result
        results = None
    except BrokenExecutor as error:
        raise WorkerDied(
            f"a worker process was killed, most likely because memory ran out. Use "
            f"fewer than {settings.workers} workers or a smaller memory budget "
            f"(SIMILITUDE_MEMORY_BUDGET). Results already in a folder are kept."
        ) from error
    finally:
        if results is not None:
            _close(results)


def map_threads(func: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """Yield ``func(item)`` for each item, in order, over the configured threads.

    For work that releases the lock of the interpreter, such as linear algebra. Threads
    share the arrays of the caller. Each call uses one BLAS thread, and does not start
    further threads.
    """
    threads = _config.current().threads
    if threads == 1:
        with one_thread():
            for item in items:
                yield func(item)
        return
    import contextvars
    from concurrent.futures import ThreadPoolExecutor

    # Some builds of BLAS keep the limit of each thread apart.
    with one_thread(), ThreadPoolExecutor(threads, initializer=one_thread) as pool:
        running: deque[Any] = deque()
        try:
            for item in items:
                context = contextvars.copy_context()  # has the settings
                running.append(pool.submit(context.run, _on_one_thread, func, item))
                if len(running) > 2 * threads:
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
        finally:
            for future in running:
                future.cancel()


def _on_one_thread(func: Callable[[T], R], item: T) -> R:
    with _config.config(threads=1):
        return func(item)


class ThreadPool:
    """Runs functions in threads; with one thread, in the thread of the caller."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool

    def submit(self, func: Callable[..., object], *arguments: Any) -> Any:
        if self._pool is None:
            func(*arguments)
            return None
        import contextvars

        context = contextvars.copy_context()  # has the settings
        return self._pool.submit(context.run, func, *arguments)

    def wait(self, tasks: Iterable[Any]) -> None:
        """Wait for submitted functions, and raise the error of one of them."""
        for task in list(tasks):
            if task is not None:
                task.result()


@contextmanager
def thread_pool() -> Iterator[ThreadPool]:
    """The configured number of threads, for work that releases the interpreter's lock.

    Each function uses one BLAS thread.
    """
    threads = _config.current().threads
    if threads == 1:
        with one_thread():
            yield ThreadPool(None)
        return
    from concurrent.futures import ThreadPoolExecutor

    with one_thread(), ThreadPoolExecutor(threads, initializer=one_thread) as pool:
        yield ThreadPool(pool)


def _close(results: Any) -> None:
    """Stop the workers after an error, or if the caller does not use all results.

    This is explicit because joblib prints advice if it closes the generator itself. A
    signal at this time is ignored: the caller is already stopping.
    """
    with suppress(KeyboardInterrupt), uninterrupted(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results.close()
        # If the process ends while such a thread ends, the semaphore that this thread
        # removes stays in the list of loky's tracker, which then warns.
        for thread in threading.enumerate():
            if thread.name == "QueueFeederThread":
                thread.join(timeout=1.0)


def _backend() -> Any:
    """The backend of joblib for processes, with steps that signals do not interrupt.

    A KeyboardInterrupt in these methods would leave a temporary folder half removed.
    joblib would then remove it again at exit, and its resource tracker would print a
    traceback.
    """
    from joblib.parallel import LokyBackend

    class Backend(LokyBackend):
        def configure(self, *args: Any, **options: Any) -> Any:
            options |= {"initializer": _begin_worker, "initargs": (os.getpid(),)}
            with uninterrupted():
                return super().configure(*args, **options)

        def terminate(self) -> None:
            with uninterrupted():
                super().terminate()

        def abort_everything(self, **options: Any) -> None:
            with uninterrupted():
                super().abort_everything(**options)

    return Backend()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Postpone Ctrl-C, and SIGTERM if Python handles it, to the end of the block.

    Blocking the signals would not help: another thread would receive them, and Python
    calls the handlers in the main thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # handlers run in the main thread, so they do not interrupt this one
        return
    pending: list[int] = []

    def postpone(number: int, frame: FrameType | None) -> None:
        pending.append(number)

    handlers: dict[signal.Signals, Any] = {}
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            if callable(handler := signal.getsignal(number)):
                handlers[number] = handler
                signal.signal(number, postpone)
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if pending:
            handlers[signal.Signals(pending[0])](pending[0], None)


@contextmanager
def _starting_workers() -> Iterator[None]:
    """Start workers with signals blocked and without the current folder in `sys.path`.

    A terminal sends Ctrl-C to every process, and each worker would print a traceback; a
    job scheduler sends SIGTERM, and workers that end would break the pool while the
    parent closes it. It receives the signal after this block and stops its workers.

    Workers would import a ``joblib.py`` in the current folder, which may come with the
    data.
    """
    from multiprocessing import resource_tracker

    safe_path = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    before = None
    if os.name != "nt":  # Windows sends no signals to be blocked
        resource_tracker.ensure_running()  # starting it later would unblock the signals
        signals = {signal.SIGINT, signal.SIGTERM}
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        if before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.environ.pop("PYTHONSAFEPATH", None)
        if safe_path is not None:
            os.environ["PYTHONSAFEPATH"] = safe_path


def one_thread() -> AbstractContextManager[Any]:
    """Context manager that limits linear algebra to one thread."""
    return _libraries(len(sys.modules), next(reversed(sys.modules))).limit(limits=1)


@functools.lru_cache(maxsize=1)
def _libraries(modules: int, last: str) -> Any:
    """The libraries with threads. Finding them takes milliseconds, imports add some."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _single_threaded(
    func: Callable[[T], R],
    item: T,
    settings: dict[str, Any],
    blocks: int,
    kept: _parts.Keeper | None,
) -> R:
    memory = _config.config(**settings), _config.blocks(blocks)
    with one_thread(), memory[0], memory[1], _parts.kept_by(kept):
        return func(item)


def _begin_worker(parent: int) -> None:
    """Do not let loky end this worker process; end it with its parent process.

    A job that imports torch or compiles kernels grows by more than 300 MB. loky would
    take it for a leak, end the worker and warn in a thread of the parent process. With
    warnings as errors, that thread would die, and the parent would wait forever.

    Idle workers of a killed parent would wait 300 s. If it was killed while it started
    them, it held a lock without which they never end.
    """
    from joblib.externals.loky import process_executor

    process_executor._MAX_MEMORY_LEAK_SIZE = math.inf
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Let PyTorch use `count` threads; its results depend on this number."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
