"""IDX files of MNIST and Fashion-MNIST, gzipped or not."""

import gzip
import struct
import zlib
from pathlib import Path

import numpy as np

from ...errors import InvalidInput

MAX_BYTES = 2**30
_UINT8 = 8  # the type code


def read_idx(folder: Path, name: str, dimensions: int) -> np.ndarray:
    """The array of unsigned bytes of an IDX file with this name or with .gz."""
    path = _find(folder, name)
    try:
        with path.open("rb") as plain:
            zipped = plain.read(2) == b"\x1f\x8b"
        with gzip.open(path) if zipped else path.open("rb") as file:
            head = file.read(4 + 4 * dimensions)
            if len(head) < 4 + 4 * dimensions or head[:4] != bytes(
                (0, 0, _UINT8, dimensions)
            ):
                raise InvalidInput(
                    f"{path} is not an IDX file of bytes in {dimensions} dimensions."
                )
            shape = struct.unpack(f">{dimensions}I", head[4:])
            size = int(np.prod(shape, dtype=object))
            if not 0 < size <= MAX_BYTES:
                raise InvalidInput(f"{path} has the shape {shape}, which is wrong.")
            data = file.read(size + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise InvalidInput(f"{path} is damaged: {error}.") from error
    if len(data) != size:
        problem = "truncated" if len(data) < size else "longer than its header says"
        raise InvalidInput(f"{path} is {problem}.")
    return np.frombuffer(data, np.uint8).reshape(shape)


def _find(folder: Path, name: str) -> Path:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    raise InvalidInput(f"{folder / name} is missing, also as {name}.gz.")
