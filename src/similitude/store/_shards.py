"""Reading of shards: the bytes that are handed out are the bytes that were verified."""

import hashlib
import io
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidInput

if TYPE_CHECKING:
    from ._schema import ArrayEntry, Shard

_ALIGNMENT = 64  # of the values, as in a memory map; sums may depend on it
_MAX_HEADER = 2**16


def read_array(folder: Path, entry: "ArrayEntry") -> np.ndarray:
    """Read and verify all shards of one array."""
    parts = list(read_shards(folder, entry))
    if len(parts) == 1:
        return parts[0]
    joined = np.concatenate(parts)
    joined.flags.writeable = False
    return joined


def read_shards(folder: Path, entry: "ArrayEntry") -> Iterator[np.ndarray]:
    """The verified rows of one shard after the other, read-only."""
    for shard in entry.shards:
        yield _read_shard(folder / shard.file, shard, entry)


def _read_shard(path: Path, shard: "Shard", entry: "ArrayEntry") -> np.ndarray:
    """Read a file into memory, verify this memory, and return its rows.

    The file is not mapped: a mapped file could change after its verification.
    """
    dtype, shape = np.dtype(entry.dtype), (shard.rows, *entry.shape[1:])
    size = math.prod(shape) * dtype.itemsize
    data = _read_bytes(path, size)
    if data is None or hashlib.sha256(data.data).hexdigest() != shard.sha256:
        raise changed(path)
    start = len(data) - size
    if _header(data[:start].tobytes()) != (shape, False, dtype):
        raise InvalidInput(
            f"{path} does not have the shape {shape} and dtype {dtype} of its "
            f"manifest; remove the element, and add it again."
        )
    data.flags.writeable = False
    return data[start:].view(dtype).reshape(shape)


def read_batches(folder: Path, entry: "ArrayEntry", rows: int) -> Iterator[np.ndarray]:
    """All rows in batches of `rows`; the last batch may be smaller.

    A shard is verified when its last row is read. So results that are computed from
    the batches must not be used before the iterator has ended. All batches use the same
    memory: a batch is valid until the next one is read.
    """
    dtype, width = np.dtype(entry.dtype), entry.shape[1:]
    batch, filled = np.empty((rows, *width), dtype), 0
    for shard in entry.shards:
        left = shard.rows
        with _opened(folder / shard.file, shard, entry) as (file, digest):
            while left:
                part = batch[filled : filled + left]
                data = part.reshape(-1).view(np.uint8).data
                if not read_into(file, data):
                    raise changed(folder / shard.file)
                digest.update(data)
                filled, left = filled + len(part), left - len(part)
                if filled == rows:
                    yield batch
                    filled = 0
    if filled:
        yield batch[:filled]


@contextmanager
def _opened(
    path: Path, shard: "Shard", entry: "ArrayEntry"
) -> Iterator[tuple[io.FileIO, Any]]:
    """A shard, opened at its first value, and its hash; it is verified at the end."""
    dtype, shape = np.dtype(entry.dtype), (shard.rows, *entry.shape[1:])
    size = math.prod(shape) * dtype.itemsize
    try:
        if not path.is_file():
            raise _missing(path)
        with path.open("rb", buffering=0) as file:
            start = file.seek(0, io.SEEK_END) - size
            file.seek(0)
            header = file.read(start) if 0 < start <= _MAX_HEADER else b""
            if _header(header) != (shape, False, dtype):
                raise changed(path)
            digest = hashlib.sha256(header)
            yield file, digest
            if digest.hexdigest() != shard.sha256 or file.read(1):
                raise changed(path)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from error


def read_into(file: Any, data: memoryview) -> bool:
    """Fill `data` with the next bytes of a file; False if the file ends before."""
    read = 0
    while read < len(data) and (count := file.readinto(data[read:])):
        read += count
    return read == len(data)


def changed(path: str | Path) -> InvalidInput:
    return InvalidInput(
        f"{path} has changed since it was written; remove the element, and add it "
        f"again."
    )


def _missing(path: Path) -> InvalidInput:
    return InvalidInput(
        f"{path} is missing or not a file; remove the element, and add it again."
    )


def _read_bytes(path: Path, size: int) -> np.ndarray | None:
    """The whole file, or None if its length does not fit `size` bytes of values."""
    try:
        if not path.is_file():  # reading a pipe could block forever
            raise _missing(path)
        with path.open("rb", buffering=0) as file:
            length = file.seek(0, io.SEEK_END)
            file.seek(0)
            if not size < length <= size + _MAX_HEADER:
                return None
            space = np.empty(length + _ALIGNMENT, np.uint8)
            first = -(space.ctypes.data + length - size) % _ALIGNMENT
            data = space[first : first + length]
            return data if read_into(file, data.data) and not file.read(1) else None
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from error


def _header(text: bytes) -> tuple[tuple[int, ...], bool, np.dtype] | None:
    """Shape, Fortran order and dtype in the header of a .npy file of version 1.0."""
    file = io.BytesIO(text)
    try:
        if np.lib.format.read_magic(file) != (1, 0):
            return None
        found = np.lib.format.read_array_header_1_0(file)
    except Exception:  # numpy raises many types on invalid headers
        return None
    return found if file.tell() == len(text) else None
