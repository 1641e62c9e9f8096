"""The record of a training run in JSON: the epochs so far, and the files of tensors.

It is written after the tensors and replaced atomically, so it always refers to complete
files.
"""

from os import PathLike
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from similitude.errors import SimilitudeError
from similitude.plugins import current_config
from similitude.store import Work

from ._request import ImageTraining

MANIFEST = "manifest.json"


class EpochRecord(BaseModel):
    """One epoch: 0 is the network before the first step.

    epoch
        The number of the epoch.
    loss
        Mean training loss of the epoch; None before the first step.
    accuracy
        Share of test images that are classified correctly after the epoch.
    cpu_seconds
        Processor time of training and test.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    epoch: int
    loss: float | None
    accuracy: float
    cpu_seconds: float


class Manifest(BaseModel):
    """State of a training run, except for the tensors."""

    model_config = ConfigDict(extra="forbid")
    schema_version: Literal[1] = 1
    request: dict[str, Any]
    data: str  # fingerprint of the training data
    versions: dict[str, str]
    threads: int
    device: str
    log: tuple[EpochRecord, ...]
    files: dict[str, str]  # sha256 of each file of tensors

    @property
    def epochs(self) -> int:
        """The last finished epoch."""
        return self.log[-1].epoch


def weights_file(epoch: int) -> str:
    return f"epoch-{epoch:03d}.safetensors"


def optimizer_file(epoch: int) -> str:
    return f"optimizer-{epoch:03d}.safetensors"


def work_in(folder: Path) -> Work[Manifest]:
    """The training run in a folder; it has no manifest if no epoch is finished."""
    remedy = "delete its folder to train this network again"
    return Work(folder / MANIFEST, Manifest, remedy)


LOCK = ".lock"


class Busy(SimilitudeError):
    """Another process trains the same network."""


def training_folder(folder: str | PathLike[str] | None = None) -> Path:
    """The folder of all training runs, by default `training` in the cache."""
    if folder is not None:
        return Path(folder)
    return Path(current_config().cache_dir) / "training"


def folder_of(
    request: ImageTraining, folder: str | PathLike[str] | None = None
) -> Path:
    """The folder of the checkpoints of one training run."""
    return training_folder(folder) / request.digest()[:24]
