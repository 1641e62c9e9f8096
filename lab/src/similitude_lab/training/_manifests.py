"""Manifests: records of trainings in JSON, which name files of tensors."""

import json
from pathlib import Path
from typing import TypeVar

import torch
from pydantic import BaseModel, ValidationError

from similitude import __version__
from similitude.errors import InvalidInput
from similitude.store import read_sealed_json, write_sealed_json

from ._tensor_files import writing

M = TypeVar("M", bound=BaseModel)


def versions() -> dict[str, str]:
    """The versions that decide on the last bits of a training."""
    return {"similitude": __version__, "torch": torch.__version__}


def load_manifest(path: Path, kind: type[M], remedy: str) -> M:
    """Read a manifest. The error for a damaged file ends with the remedy."""
    document = read_sealed_json(path, remedy.rstrip("."), unsealed=True)
    try:
        return kind.model_validate_json(json.dumps(document))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidInput(
            f"{path} is not a manifest of this version ({where}: {first['msg']}); "
            f"{remedy}"
        ) from None


def save_manifest(path: Path, manifest: BaseModel) -> None:
    """Write a manifest with a checksum, atomically."""
    with writing(path):
        write_sealed_json(path, manifest.model_dump(mode="json"))
