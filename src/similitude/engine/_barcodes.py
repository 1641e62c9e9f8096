"""Barcodes of topological measures, in the results folder: `barcodes/<job>.npz`."""

import hashlib
import io
from pathlib import Path

import numpy as np

from ..errors import InvalidInput
from ..store import write_atomically

MOST_PAIRS = 200
FILE_BYTES = 2**28


def write_barcodes(folder: Path, job: str, barcodes: dict[str, np.ndarray]) -> str:
    """Write the arrays to a file, and return its checksum for the row of the job."""
    file = io.BytesIO()
    np.savez(file, **barcodes)  # type: ignore[arg-type]
    write_atomically(_path(folder, job), lambda out: out.write(file.getbuffer()))
    return _checksum(file.getvalue())


def read_barcodes(folder: Path, job: str, checksum: str) -> dict[str, np.ndarray]:
    """The arrays of a file, or an error if its checksum differs."""
    path = _path(folder, job)
    readable = path.is_file() and path.stat().st_size <= FILE_BYTES
    content = path.read_bytes() if readable else b""
    if _checksum(content) != checksum:
        raise InvalidInput(
            f"{path} is damaged or missing. Compare the pair again in another folder."
        )
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return dict(arrays)


def _path(folder: Path, job: str) -> Path:
    return folder / "barcodes" / f"{Path(job).name}.npz"  # never outside the folder


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
