"""Barcodes of topological measures, in the results folder: `barcodes/<job>.npz`."""

import hashlib
import io
from pathlib import Path

import numpy as np

from .. import _strict_json
from ..errors import InvalidInput
from ..store import write_atomically

MOST_PAIRS = 200
FILE_BYTES = 2**28


def write_barcodes(folder: Path, job: str, barcodes: dict[str, np.ndarray]) -> str:
    """Write the arrays to a file, and return its checksum for the row of the job."""
    file = io.BytesIO()
    np.savez(file, **barcodes)  # type: ignore[arg-type]
    write_atomically(
        path_of_barcodes(folder, job), lambda out: out.write(file.getbuffer())
    )
    return _checksum(file.getvalue())


def intact(folder: Path, job: str, checksum: str) -> bool:
    """Whether the file of a job is as it was written."""
    return _content(path_of_barcodes(folder, job), checksum) is not None


def read_barcodes(folder: Path, job: str, checksum: str) -> dict[str, np.ndarray]:
    """The arrays of a file, or an error if its checksum differs."""
    path = path_of_barcodes(folder, job)
    content = _content(path, checksum)
    if content is None:
        raise InvalidInput(
            f"{path} is damaged or missing. Run the same comparison with this folder "
            f"again to compute it."
        )
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return dict(arrays)
    except Exception as error:  # other libraries raise any type on damaged files
        raise InvalidInput(f"{path} was not written by similitude.") from error


def path_of_barcodes(folder: Path, job: str) -> Path:
    # Never outside the folder. A damaged job may also contain NUL.
    name = Path(job.replace("\0", "")).name
    return folder / "barcodes" / f"{name}.npz"


def _content(path: Path, checksum: str) -> bytes | None:
    """The bytes of a file, or None if they are damaged."""
    try:
        content = _strict_json.read_limited(path, FILE_BYTES)
    except ValueError:
        return None
    return content if _checksum(content) == checksum else None


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
