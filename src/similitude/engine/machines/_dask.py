"""Workers of a Dask scheduler as an executor."""

import logging
import warnings
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...errors import InvalidInput, check_extra
from ._task import versions

_NAME = "distributed"
RETRIES = 3  # of a task whose worker died, before it is sent again


@contextmanager
def dask_executor(scheduler: str) -> Iterator[Executor]:
    """The workers of the Dask scheduler at this address, as an executor.

    `scheduler` may also be the file of ``dask scheduler --scheduler-file``. Raises an
    error of one sentence if the scheduler does not answer, if it has no workers, or if
    they have other versions than this process.
    """
    check_extra("a Dask scheduler", "dask")
    with _quiet():
        client = _connected(scheduler)
        try:
            _check_workers(client, scheduler)
            yield client.get_executor(pure=False, retries=RETRIES)
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


def _check_workers(client: Any, scheduler: str) -> None:
    """Wait for a worker, and compare its versions with those of this process."""
    import dask

    try:
        seconds = dask.config.get("distributed.comm.timeouts.connect")
        client.wait_for_workers(1, timeout=seconds)
    except TimeoutError as error:
        raise InvalidInput(
            f"the scheduler {scheduler} has no workers. Start some with `dask worker "
            f"{scheduler} --nthreads 1`."
        ) from error
    # The client and the workers exchange Python objects, also those of Dask.
    of_dask = client.get_versions()
    for address, there in client.run(versions, on_error="return").items():
        if isinstance(there, Exception):
            raise InvalidInput(
                f"the worker {address} cannot use this version of similitude "
                f"({there}). Install the same versions on all machines."
            )
        pairs = {name: (there[name], here) for name, here in versions().items()}
        for name in ("dask", "distributed"):
            sides = of_dask["workers"][address], of_dask["client"]
            pairs[name] = sides[0]["packages"][name], sides[1]["packages"][name]
        for name, (other, here) in pairs.items():
            if other != here:
                raise InvalidInput(
                    f"the worker {address} has other versions: {name} is {other} "
                    f"there, and {here} here. Install the same versions on all "
                    f"machines."
                )


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
