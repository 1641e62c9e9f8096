"""Worker processes and BLAS threads.

Every job runs on one BLAS thread, even with a single worker. The order of summation,
and so the last bits of a product, must not depend on the number of workers or cores.
"""

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict
from typing import Any, TypeVar

from . import _config
from .errors import SimilitudeError

T = TypeVar("T")
R = TypeVar("R")


def pmap(func: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """``[func(item) for item in items]``, over the configured number of workers.

    Results are in the order of the items. With more than one worker, `func` and the
    items are sent to other processes, so they must be picklable.
    """
    return list(imap(func, items))


def imap(func: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """Like `pmap`, but yield each result as soon as it and all earlier ones are done.

    While the iterator is consumed, linear algebra of the caller also uses one thread.
    """
    settings = _config.current()
    if settings.workers == 1:
        with one_thread():
            for item in items:
                yield func(item)
        return
    from concurrent.futures import BrokenExecutor

    import joblib

    inner = asdict(settings) | {"workers": 1}  # jobs must not start further workers
    job = joblib.delayed(_single_threaded)
    run = joblib.Parallel(n_jobs=settings.workers, return_as="generator")
    with _starting_workers():
        results = run(job(func, item, inner) for item in items)
    try:
        yield from results
    except BrokenExecutor as error:
        raise SimilitudeError(
            f"a worker process was killed, most likely because memory ran out. Use "
            f"fewer than {settings.workers} workers or a smaller memory budget "
            f"(SIMILITUDE_MEMORY_BUDGET). Results already in a folder are kept."
        ) from error


@contextmanager
def _starting_workers() -> Iterator[None]:
    """Start workers with Ctrl-C blocked and without the current folder in `sys.path`.

    A terminal sends Ctrl-C to every process, and each worker would print a traceback.
    The parent process receives the signal after this block and stops its workers.

    Workers would import a ``joblib.py`` in the current folder, which may come with the
    data.
    """
    from multiprocessing import resource_tracker

    safe_path = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    resource_tracker.ensure_running()  # starting it later would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if safe_path is None:
            os.environ.pop("PYTHONSAFEPATH", None)
        else:
            os.environ["PYTHONSAFEPATH"] = safe_path


def one_thread() -> AbstractContextManager[Any]:
    """Context manager that limits linear algebra to one thread."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1)


def _single_threaded(func: Callable[[T], R], item: T, settings: dict[str, Any]) -> R:
    with one_thread(), _config.config(**settings):
        return func(item)


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
