"""Files of tensors with their sha256. Writing is atomic."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from safetensors.torch import load as parse
from safetensors.torch import save as serialize
from torch import Tensor

from similitude import __version__
from similitude.errors import InvalidInput, SimilitudeError
from similitude.store import write_atomically


def write_tensors(path: Path, tensors: dict[str, Tensor]) -> str:
    """Write a file of tensors, and return its sha256."""
    found = {k: v.detach().cpu().contiguous() for k, v in tensors.items()}
    content = serialize(found, metadata={"similitude": __version__})
    write_file(path, content)
    return hashlib.sha256(content).hexdigest()


def read_tensors(path: Path, sha256: str) -> dict[str, Tensor]:
    """Read a file of tensors, after a check of its sha256."""
    if not path.is_file():
        raise InvalidInput(f"{path} does not exist, but its manifest names it.")
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise InvalidInput(
            f"{path} is damaged: its sha256 differs from the manifest. Delete the "
            f"manifest and this file to train these models again."
        )
    return parse(content)


def write_file(path: Path, content: bytes) -> None:
    """Write a file atomically; if the disk is full, say how to resume."""
    with writing(path):
        write_atomically(path, lambda file: file.write(content))


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Say how to resume if a file of a training run cannot be written."""
    try:
        yield
    except OSError as error:
        raise SimilitudeError(
            f"{path} cannot be written ({error.strerror}). Complete checkpoints are "
            f"kept; make room and run the same command again to resume."
        ) from error
