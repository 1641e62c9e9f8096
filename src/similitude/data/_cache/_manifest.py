"""`manifest.json` of a cached data set: its source, and the sha256 of each file."""

import hashlib
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...errors import InvalidInput
from ...representation import fingerprint

MAX_BYTES = 2**20
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

    def text(self) -> str:
        return self.model_dump_json(by_alias=True, indent=1) + "\n"


def read_manifest(path: Path) -> Manifest:
    """Read a manifest; any damage is a one-line error that names the file."""
    with path.open("rb") as file:
        text = file.read(MAX_BYTES + 1)
    if len(text) > MAX_BYTES:
        raise InvalidInput(f"{path} is larger than the limit of {MAX_BYTES:,} bytes.")
    try:
        return Manifest.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "file"
        raise InvalidInput(
            f"{path} is damaged ({field}: {first['msg'].rstrip('.')})."
        ) from error


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
