"""The record of a training in JSON: the epochs so far, and the files of tensors.

It is written after the tensors and replaced atomically, so it always refers to complete
files.
"""

from pathlib import Path
from typing import Any, Literal

import torch
from pydantic import BaseModel, ConfigDict, ValidationError

from ... import __version__
from ...errors import InvalidInput
from .._tensor_files import write_file

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
    """State of a training, except for the tensors."""

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


def versions() -> dict[str, str]:
    return {"similitude": __version__, "torch": torch.__version__}


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a training; None if no epoch is finished."""
    path = folder / MANIFEST
    if not path.exists():
        return None
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidInput(
            f"{path} is not a manifest of this version ({where}: {first['msg']}); "
            f"delete its folder to train this network again."
        ) from None


def write_manifest(folder: Path, manifest: Manifest) -> None:
    write_file(folder / MANIFEST, manifest.model_dump_json(indent=1).encode())
