"""The folder of all training runs."""

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
