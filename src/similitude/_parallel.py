"""The one owner of workers and threads.

Every job runs on one BLAS thread, also when there is a single worker: the order in
which a product is summed, and so its last bits, must not depend on how many workers
or cores there are.
"""

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

    Results come back in the order of the items. With more than one worker the items
    travel to other processes, so `func` and they must pickle.
    """
    return list(imap(func, items))


def imap(func: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """`pmap`, one result at a time, so that each can be kept when it is there.

    While it is being consumed, the caller's own products run on one thread too.
    """
    settings = _config.current()
    if settings.workers == 1:
        with one_thread():
            for item in items:
                yield func(item)
        return
    from concurrent.futures import BrokenExecutor

    import joblib

    inner = asdict(settings) | {"workers": 1}  # jobs do not start workers of their own
    job = joblib.delayed(_single_threaded)
    run = joblib.Parallel(n_jobs=settings.workers, return_as="generator")
    with _without_ctrl_c():
        results = run(job(func, item, inner) for item in items)
    try:
        yield from results
    except BrokenExecutor as error:
        raise SimilitudeError(
            f"a worker process was ended from outside, most likely for want of memory. "
            f"Use fewer than {settings.workers} workers, or a smaller memory budget "
            f"(SIMILITUDE_MEMORY_BUDGET); results in a folder are kept."
        ) from error


@contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Workers that start here never see Ctrl-C, which a terminal sends to everyone.

    They would each say so at length. Who started them sees it, when this is over, and
    ends them. What is blocked is inherited, also by what is being imported.
    """
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # which unblocks signals when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def one_thread() -> AbstractContextManager[Any]:
    """A block in which linear algebra uses one thread."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1)


def _single_threaded(func: Callable[[T], R], item: T, settings: dict[str, Any]) -> R:
    with one_thread(), _config.config(**settings):
        return func(item)
