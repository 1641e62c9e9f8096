"""The one owner of workers and threads.

Every job runs on one BLAS thread, also when there is a single worker: the order in
which a product is summed, and so its last bits, must not depend on how many workers
or cores there are.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any, TypeVar

from . import _config

T = TypeVar("T")
R = TypeVar("R")


def pmap(func: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """``[func(item) for item in items]``, over the configured number of workers.

    Results come back in the order of the items. With more than one worker the items
    travel to other processes, so `func` and they must pickle.
    """
    settings = _config.current()
    if settings.workers == 1:
        return [_single_threaded(func, item, {}) for item in items]
    import joblib

    inner = asdict(settings) | {"workers": 1}  # jobs do not start workers of their own
    job = joblib.delayed(_single_threaded)
    return joblib.Parallel(n_jobs=settings.workers)(
        job(func, item, inner) for item in items
    )


def _single_threaded(func: Callable[[T], R], item: T, settings: dict[str, Any]) -> R:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), _config.config(**settings):
        return func(item)
