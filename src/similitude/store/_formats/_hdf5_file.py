"""Open what an HDF5 file names: data sets whose values are in the file itself.

Links, external storage and virtual data sets may lead to other files. They are refused,
also soft links, which need not stay in the file.
"""

import io
import math
import struct
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from . import _limits
from ._limits import MAX_ARRAYS, ReadLimits

_FILTERS = {1, 2, 3, 4, 5, 6, 32000}  # of HDF5 and h5py; others are plug-ins
_DEFLATE, _SHUFFLE = 1, 2
_TEXT_FILTERS = {_DEFLATE, _SHUFFLE}
_MAX_DEFLATE = 1032  # zeros become smaller by at most this factor
_ENTRY, _ENTRIES = 16, 2**20  # bytes of a text's entry, and how many are read at once
_DAMAGED = "it is damaged"
ELSEWHERE = "values in other files"

Items = dict[str, tuple[tuple[int, ...] | None, str]]


class _Checked(io.FileIO):
    """The bytes that the HDF5 library reads.

    The library does not end with some damaged files: it walks in a circle, or stays at
    one place of a heap of texts.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._size = path.stat().st_size
        self._end = time.thread_time() + 15 + self._size / 1e7

    def readinto(self, buffer: Any) -> int:
        if time.thread_time() > self._end:
            raise ValueError(_DAMAGED)
        place = self.tell()
        count = super().readinto(buffer)
        if bytes(buffer[:4]) == b"GCOL":
            self._check_heap(place)
        return count

    def _check_heap(self, place: int) -> None:
        after = self.tell()
        self.seek(place)
        size = int.from_bytes(self.read(16)[8:], "little") - 16
        data = self.read(max(0, min(size, self._size - place)))
        self.seek(after)
        start = 0
        while len(data) - start >= 16:
            index, size = struct.unpack_from("<H6xQ", data, start)
            step = 16 + (size + 7) // 8 * 8 if index else size
            if step < 16 or start + step > len(data):
                raise ValueError(_DAMAGED)
            start += step


class HDF5File:
    """An open file: `items` are the shapes and kinds of its data sets and groups."""

    def __init__(
        self, h5py: Any, source: io.FileIO, file: Any, limits: ReadLimits
    ) -> None:
        self._h5py, self._source, self._file = h5py, source, file
        self._limits = limits
        self.items: Items = {}
        self.links: set[str] = set()

        def visit(name: str, item: Any) -> bool | None:
            self.items[name] = self._described(item)
            return True if len(self.items) > MAX_ARRAYS else None

        def visit_link(name: str, link: Any) -> bool | None:
            if not isinstance(link, h5py.HardLink):
                self.links.add(name)
            return True if len(self.links) > MAX_ARRAYS else None

        if file.visititems(visit) or file.visititems_links(visit_link):
            raise ValueError(f"it has more than {MAX_ARRAYS:,} data sets; split it")

    def open(self, name: str) -> Any:
        """The group or data set with this name; its values are in this file."""
        parts = name.split("/")
        for i in range(len(parts)):
            place = "/".join(parts[: i + 1])
            if place in self.links:
                raise ValueError(
                    f"{place!r} is a link, which is not followed; copy its target into "
                    f"the file"
                )
        item = self._file[name]
        if isinstance(item, self._h5py.Dataset):
            if self._described(item)[1] == ELSEWHERE:
                raise ValueError(
                    f"{name!r} has its {ELSEWHERE}; copy them into this file"
                )
            if item.chunks is not None:
                self._check_chunks(name, item)
        return item

    def _check_chunks(self, name: str, item: Any) -> None:
        """Check the sizes of chunks, which the library allocates as a whole."""
        filters = _filters(item)
        if not _FILTERS.issuperset(filters) or filters.count(_DEFLATE) > 1:
            raise ValueError(
                f"{name!r} is compressed with a plug-in of HDF5, or twice; save it "
                f"with gzip"
            )
        size = _chunk_bytes(item)
        self._limits.admit(size)

        def visit(info: Any) -> None:
            deflated = not info.filter_mask >> filters.index(_DEFLATE) & 1
            if deflated and info.size * _MAX_DEFLATE > _limits.LARGE_BYTES:
                _inflated(item.id.read_direct_chunk(info.chunk_offset)[1], size)

        if _DEFLATE in filters:
            item.id.chunk_iter(visit)

    def text_bytes(self, item: Any) -> int:
        """The bytes of texts as the file declares them; the library allocates them.

        Each entry has four bytes of length, and twelve that say where the text is.
        """
        filters, size = _filters(item), 0
        if item.chunks is None and (place := item.id.get_offset()) is not None:
            self._source.seek(place)
            for start in range(0, item.size, _ENTRIES):
                data = self._source.read(_ENTRY * min(_ENTRIES, item.size - start))
                size += int(np.frombuffer(data, "<u4")[::4].sum(dtype=np.int64))
        elif item.chunks is not None and _TEXT_FILTERS.issuperset(filters):

            def visit(info: Any) -> None:
                nonlocal size
                _, data = item.id.read_direct_chunk(info.chunk_offset)
                done = {
                    f for i, f in enumerate(filters) if not info.filter_mask >> i & 1
                }
                if _DEFLATE in done:
                    data = _inflated(data, _chunk_bytes(item))
                values = np.frombuffer(data, np.uint8)
                if _SHUFFLE in done:
                    values = np.ascontiguousarray(values.reshape(_ENTRY, -1).T).reshape(
                        -1
                    )
                size += int(values.view("<u4")[::4].sum(dtype=np.int64))

            item.id.chunk_iter(visit)
        return size

    def _described(self, item: Any) -> tuple[tuple[int, ...] | None, str]:
        if not isinstance(item, self._h5py.Dataset):
            sparse = "indptr" in item and "data" in item
            return None, "a sparse matrix" if sparse else "a group"
        dtype = item.dtype
        if item.external is not None or item.is_virtual:
            kind = ELSEWHERE
        elif self._h5py.check_string_dtype(dtype) is not None or dtype.kind == "S":
            kind = "texts"
        elif self._h5py.check_vlen_dtype(dtype) is not None:
            kind = "lists of different lengths"
        elif dtype.kind == "O" or dtype.kind == "V":
            kind = "objects"
        elif dtype.kind in "iufb" and dtype.itemsize <= 8:
            kind = "numbers"
        else:
            kind = f"values of type {dtype}"
        return tuple(item.shape or ()), kind


def _filters(item: Any) -> list[int]:
    settings = item.id.get_create_plist()
    return [settings.get_filter(i)[0] for i in range(settings.get_nfilters())]


def _chunk_bytes(item: Any) -> int:
    return math.prod(item.chunks) * max(_ENTRY, item.dtype.itemsize)


def _inflated(data: bytes, size: int) -> bytes:
    """A chunk of `size` bytes without its compression."""
    stream = zlib.decompressobj()
    found = stream.decompress(data, size + 1)
    if len(found) > size:
        raise ValueError(_DAMAGED)
    return found


@contextmanager
def open_hdf5(path: Path, h5py: Any, limits: ReadLimits) -> Iterator[HDF5File]:
    with _Checked(path) as source, h5py.File(source, "r") as file:
        yield HDF5File(h5py, source, file, limits)
