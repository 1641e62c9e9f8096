"""Workers of a Dask scheduler as an executor."""

import logging
import warnings
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...errors import InvalidInput, check_extra

_NAME = "distributed"


@contextmanager
def dask_executor(scheduler: str) -> Iterator[Executor]:
    """The workers of the Dask scheduler at this address, as an executor.

    `scheduler` may also be the file of ``dask scheduler --scheduler-file``. Raises an
    error of one sentence if the scheduler does not answer, or if it has no workers.
    """
    check_extra("a Dask scheduler", "dask")
    with _quiet():
        client = _connected(scheduler)
        try:
            _wait_for_worker(client, scheduler)
            yield client.get_executor()
        finally:
            client.close(timeout=2)


def _connected(scheduler: str) -> Any:
    from distributed import Client

    try:
        if Path(scheduler).is_file():
            return Client(scheduler_file=scheduler, set_as_default=False)
        return Client(scheduler, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise InvalidInput(
            f"the scheduler {scheduler} does not answer. Start it with `dask "
            f"scheduler`, and give the address that it prints, such as "
            f"tcp://127.0.0.1:8786."
        ) from error


def _wait_for_worker(client: Any, scheduler: str) -> None:
    import dask

    try:
        seconds = dask.config.get("distributed.comm.timeouts.connect")
        client.wait_for_workers(1, timeout=seconds)
    except TimeoutError as error:
        raise InvalidInput(
            f"the scheduler {scheduler} has no workers. Start some with `dask worker "
            f"{scheduler} --nthreads 1`."
        ) from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Do not print the log and the warnings of the client: errors are one sentence."""
    import distributed

    own = [name for name in logging.root.manager.loggerDict if name.startswith(_NAME)]
    before = {name: logging.getLogger(name).level for name in own}
    for name in own:  # Dask gives several loggers their own level
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", distributed.versions.VersionMismatchWarning)
            yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)
