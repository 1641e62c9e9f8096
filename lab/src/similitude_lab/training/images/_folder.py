"""The folder of all trainings, and the lock of one of them."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from similitude.errors import SimilitudeError
from similitude.plugins import current_config

from ._request import ImageTraining

LOCK = ".lock"


class Busy(SimilitudeError):
    """Another process trains the same network."""


def training_folder(folder: str | PathLike[str] | None = None) -> Path:
    """The folder of all trainings, by default `training` in the cache."""
    if folder is not None:
        return Path(folder)
    return Path(current_config().cache_dir) / "training"


def folder_of(
    request: ImageTraining, folder: str | PathLike[str] | None = None
) -> Path:
    """The folder of the checkpoints of one training."""
    return training_folder(folder) / request.digest()[:24]


@contextmanager
def locked(folder: Path, *, wait: bool) -> Iterator[None]:
    """Let one process at a time train; a killed process releases its lock."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            raise Busy(f"another process trains {folder.name}; wait for it.") from None
        yield
