"""One shard of rows that arrive in batches, hashed while it is written."""

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np

from ._element import SHARD_BYTES, npy_header
from ._reading import content_digest


class ShardFiles:
    """The shards of one array whose number of rows is known before the first row.

    Shards have the same lengths as those of `Writer.append`, so they do not depend on
    the batches or on interruptions.
    """

    def __init__(
        self, folder: Path, shape: tuple[int, int], dtype: str, array: str = "rows"
    ) -> None:
        self.folder, self.shape, self.dtype = folder, shape, np.dtype(dtype)
        self.array = array
        row_bytes = shape[1] * self.dtype.itemsize
        self.step = max(1, SHARD_BYTES // max(1, row_bytes))
        self.done = 0  # rows
        self.closed: list[str] = []  # sha256 of complete shards
        self._file: Any = None
        self._digest = hashlib.sha256()
        self._content = content_digest(self.dtype.str, shape)

    def append(self, rows: np.ndarray) -> list[str]:
        """Write rows, and return the sha256 of the shards that are now complete."""
        before = len(self.closed)
        while len(rows):
            count = self._rows_of(len(self.closed))
            first = len(self.closed) * self.step
            if self._file is None:
                self._start()
            part = rows[: first + count - self.done]
            data = np.ascontiguousarray(part).reshape(-1).view(np.uint8).data
            self._digest.update(data)
            self._content.update(data)
            write_all(self._file, data)
            self.done += len(part)
            rows = rows[len(part) :]
            if self.done == first + count:
                os.fsync(self._file.fileno())
                self.close()
                self.closed.append(self._digest.hexdigest())
        return self.closed[before:]

    def content(self) -> str:
        """sha256 of the values in all shards, as in `content` of a manifest."""
        return self._content.hexdigest()

    def open_digest(self) -> str:
        """sha256 of the bytes of the shard that is not complete; empty without one."""
        return "" if self._file is None else self._digest.hexdigest()

    def resume(self, done: int, closed: list[str], open_digest: str) -> bool:
        """Take over the first `done` rows on the disk; False if they have changed."""
        self.closed, self.done = closed, done
        self._content = content_digest(self.dtype.str, self.shape)
        first = len(closed) * self.step
        for index, sha256 in enumerate(closed):
            if not self._read(index, self._rows_of(index)) == sha256:
                return False
        if done > first:
            if self._read(len(closed), done - first) != open_digest:
                return False
            path = self._path(len(closed))
            os.truncate(path, self._bytes(len(closed), done - first))
            self._file = path.open("ab", buffering=0)
        return True

    def entry(self) -> dict[str, Any]:
        """The entry of the array in a manifest."""
        shards = [
            {"file": self._path(i).name, "rows": self._rows_of(i), "sha256": sha256}
            for i, sha256 in enumerate(self.closed)
        ]
        return {"dtype": self.dtype.str, "shape": list(self.shape), "shards": shards}

    def sync(self) -> None:
        if self._file is not None:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _start(self) -> None:
        header = self._header(len(self.closed))
        self._digest = hashlib.sha256(header)
        self._file = self._path(len(self.closed)).open("wb", buffering=0)
        write_all(self._file, memoryview(header))

    def _read(self, index: int, rows: int) -> str:
        """sha256 of the header and the first rows of a shard on the disk."""
        header = self._header(index)
        self._digest = hashlib.sha256()
        left = self._bytes(index, rows) - len(header)
        try:
            with self._path(index).open("rb") as file:
                self._digest.update(file.read(len(header)))
                while left and (data := file.read(min(left, 2**24))):
                    self._digest.update(data)
                    self._content.update(data)
                    left -= len(data)
        except OSError:
            return "unreadable"
        return "too short" if left else self._digest.hexdigest()

    def _header(self, index: int) -> bytes:
        return npy_header((self._rows_of(index), self.shape[1]), self.dtype)

    def _bytes(self, index: int, rows: int) -> int:
        return len(self._header(index)) + rows * self.shape[1] * self.dtype.itemsize

    def _rows_of(self, index: int) -> int:
        return min(self.step, self.shape[0] - index * self.step)

    def _path(self, index: int) -> Path:
        return self.folder / f"{self.array}-{index:05d}.npy"


def write_all(file: Any, data: memoryview) -> None:
    """Write all bytes to an unbuffered file, which may take them in parts."""
    while len(data):
        data = data[file.write(data) :]
