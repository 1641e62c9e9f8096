"""Read .npy files: small files at once, large files when their values are needed."""

import functools
import io
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from ...errors import InvalidInput
from ...representation import fingerprint, fingerprint_of_batches
from .._shards import read_into
from ._content import Content
from ._limits import ReadLimits, check_memory

SMALL_BYTES = 2**24  # files up to this size are read at once, within the limits
_ALIGNMENT = 64  # of the values, as in a memory map; sums may depend on it

Identity = tuple[int, int, int, int]


def identity(file: int | Path) -> Identity:
    """Numbers that change if a file is replaced or written: inode, size, time."""
    found = os.stat(file)
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def changed(path: Path) -> InvalidInput:
    return InvalidInput(
        f"{path} was changed by another program while it was read. Wait until it is "
        f"complete, and run the same command again."
    )


@dataclass(frozen=True)
class Header:
    """The beginning of a .npy file: shape, order and dtype of its array."""

    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype
    length: int  # bytes before the first value

    @property
    def size(self) -> int:
        """Bytes of the values."""
        return math.prod(self.shape) * self.dtype.itemsize

    def array(self, data: np.ndarray) -> np.ndarray:
        """The bytes of the values as a read-only array."""
        data.flags.writeable = False
        order: Literal["C", "F"] = "F" if self.fortran else "C"
        return data.view(self.dtype).reshape(self.shape, order=order)


def read_header(file: Any, size: int) -> Header:
    """Check that the file is as long as its header says, before any allocation."""
    try:
        version = np.lib.format.read_magic(file)
    except ValueError:
        raise ValueError("it is not a NumPy file; save it with numpy.save") from None
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read is None:  # (3, 0) has named fields, which a table of numbers does not
        raise ValueError(f"its .npy version {version} is not supported")
    shape, fortran, dtype = read(file)
    if min(shape, default=0) < 0:
        raise ValueError(f"its header has the invalid shape {shape}")
    if dtype.hasobject:
        raise ValueError("it holds Python objects; convert it with .astype(float)")
    found = Header(shape, fortran, dtype, file.tell())
    if found.length + found.size > size:
        raise ValueError(f"its header has shape {shape}, but the file is too short")
    if rest := size - found.length - found.size:
        raise ValueError(
            f"{rest:,} bytes follow its array of shape {shape}; save several arrays "
            f"with numpy.savez"
        )
    return found


@dataclass(frozen=True)
class NpyFile:
    """The array of a .npy file. The file must not change as long as it is used.

    The file is read and not mapped: if a mapped file is truncated, the next access to
    its values ends the process.
    """

    path: Path
    header: Header
    opened: Identity
    held: np.ndarray | None = field(compare=False, repr=False)  # of a small file

    domain: ClassVar[Literal["points"]] = "points"

    @property
    def shape(self) -> tuple[int, ...]:
        return self.header.shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def dtype(self) -> np.dtype:
        return self.header.dtype

    @functools.cached_property
    def content(self) -> str:
        if self.ndim != 2:
            return fingerprint(self.read())
        step = max(1, SMALL_BYTES // max(1, self.shape[1] * self.dtype.itemsize))
        return fingerprint_of_batches(self.dtype, self.shape, self.batches(step))

    def read(self) -> np.ndarray:
        """All values."""
        if self.held is not None:
            return self.held
        with self._unchanged() as file:
            check_memory(self.header.size)
            file.seek(self.header.length)
            return self.header.array(_fill(file, self.header.size, self.path))

    def take(self, rows: np.ndarray) -> np.ndarray:
        """The values of these rows; other blocks of rows are not read."""
        if self.held is not None or self.header.fortran or self.ndim != 2:
            return self.read()[rows]
        rows = np.arange(self.shape[0])[rows]  # negative numbers, masks and slices
        width = self.shape[1] * self.dtype.itemsize
        step = max(1, SMALL_BYTES // max(1, width))
        with self._unchanged() as file:
            check_memory(len(rows) * width + step * width)
            found = np.empty((len(rows), self.shape[1]), self.dtype)
            for start in np.unique(rows // step).tolist():
                first, last = start * step, min((start + 1) * step, self.shape[0])
                file.seek(self.header.length + first * width)
                data = _fill(file, (last - first) * width, self.path)
                block = data.view(self.dtype).reshape(last - first, -1)
                wanted = np.flatnonzero(rows // step == start)
                found[wanted] = block[rows[wanted] - first]
        return found

    def batches(self, rows: int) -> Iterator[np.ndarray]:
        """All rows, in batches of `rows`; the last one may be smaller."""
        if self.held is not None or self.header.fortran:
            values = self.read()
            yield from (values[i : i + rows] for i in range(0, len(values), rows))
            return
        width = self.shape[1] * self.dtype.itemsize
        with self._unchanged() as file:
            file.seek(self.header.length)
            for start in range(0, self.shape[0], rows):
                count = min(rows, self.shape[0] - start)
                data = _fill(file, count * width, self.path)
                yield data.view(self.dtype).reshape(count, self.shape[1])

    @contextmanager
    def _unchanged(self) -> Iterator[io.FileIO]:
        """The opened file; raises if it differs from the file that was checked."""
        try:
            with self.path.open("rb", buffering=0) as file:
                if identity(file.fileno()) != self.opened:
                    raise changed(self.path)
                yield file
                if identity(file.fileno()) != self.opened:
                    raise changed(self.path)
        except (ValueError, OSError, MemoryError) as error:
            if isinstance(error, InvalidInput):
                raise
            reason = getattr(error, "strerror", None) or error
            raise InvalidInput(f"{self.path} cannot be read: {reason}.") from error


def read_npy(path: Path, limits: ReadLimits) -> Content:
    with path.open("rb", buffering=0) as file:
        opened = identity(file.fileno())
        size = opened[2]
        header = read_header(file, size)
        held = None
        if size <= SMALL_BYTES and limits.hold(header.size):
            held = header.array(_fill(file, header.size, path))
    return Content({"": NpyFile(path, header, opened, held)})


def _fill(file: io.FileIO, size: int, path: Path) -> np.ndarray:
    """The next `size` bytes of the file, aligned."""
    space = np.empty(size + _ALIGNMENT, np.uint8)
    first = -space.ctypes.data % _ALIGNMENT
    data = space[first : first + size]
    if not read_into(file, data.data):
        raise changed(path)
    return data
