"""Manifests: the record of a training run, in JSON, next to the weights.

A manifest names the files of tensors and their sha256. It is written after them and
replaced atomically, so it always refers to complete files.
"""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from similitude.errors import InvalidInput
from similitude.store import Work

from ._config import DatasetConfig, TrainConfig
from ._setting import Model, Setting


class Position(BaseModel):
    """Position in the data: the next batch of an epoch, and the seed of its order."""

    model_config = ConfigDict(extra="forbid", strict=True)
    epoch: int
    batch: int
    shuffle_seed: int


PER_SEED = ("loss_sum", "train_loss", "test_loss")  # lists with one entry per seed


class Manifest(BaseModel):
    """State of a run of one or several seeds, except for the tensors."""

    model_config = ConfigDict(extra="forbid", strict=True)
    schema_version: Literal[1] = 1
    status: Literal["partial", "finished"]
    seeds: tuple[int, ...]
    dataset: DatasetConfig
    model: Model
    train: TrainConfig
    batched: bool
    dtype: str
    device: str
    threads: int
    versions: dict[str, str]
    step: int
    total_steps: int
    continued_from: str | None  # file whose weights were the initial ones
    next_batch: Position
    seconds: float  # of all processes that trained this run
    cpu_seconds: float = 0.0
    loss_sum: list[float]  # of the current window, one per seed
    train_loss: list[list[float]]  # means of windows, per seed
    test_loss: list[list[float]]
    final_test_loss: tuple[float, ...] = ()
    final_test_accuracy: tuple[float, ...] = ()
    files: dict[str, str]  # sha256 of each file of tensors


def model_of(setting: Setting) -> Model:
    return Model(**setting.architecture)


def work_at(path: Path) -> Work[Manifest]:
    """The training run with this manifest."""
    return Work(path, Manifest, "delete it to train these models again")


def read_manifest(path: Path) -> Manifest:
    found = work_at(path).manifest()
    if found is None:
        raise InvalidInput(f"{path} does not exist; train these models again.")
    return found
