"""`manifest.json` of a cached data set: its source, and the sha256 of each file."""

import hashlib
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from ....representation import fingerprint
from ....store import Work

_SUFFIXES = "npy|jsonl|json|pt|onnx|safetensors|txt"
FileName = Annotated[str, Field(pattern=rf"^[a-z0-9_]+\.({_SUFFIXES})$")]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Manifest(BaseModel):
    """The files of a data set. Those that are not listed are not used."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    schema_: Literal[1] = Field(alias="schema")
    name: str
    source: str
    release: str | None = None  # of sources that change over time
    fetched: str  # UTC
    files: dict[FileName, Sha256]


def work(folder: Path) -> Work[Manifest]:
    """The manifest of a folder, with an error that names the command to replace it."""
    remedy = f"to replace it, run `similitude data fetch {folder.name}`"
    return Work(folder / "manifest.json", Manifest, remedy)


def digest(path: Path) -> str:
    """sha256 of a file; of an .npy file, sha256 of the dtype, the shape and the values.

    The header of an .npy file may differ between versions of numpy.
    """
    if path.suffix == ".npy":
        return fingerprint(np.load(path, mmap_mode="r", allow_pickle=False))
    return file_sha256(path)


def file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
