"""Arrow files and streams: the batches of a table, with their sizes before decoding.

A compressed batch says in its message how large it will be. pyarrow does not pass this
on, so the messages are read here too.
"""

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ._limits import ReadLimits

_FILE = b"ARROW1"
_NEXT, _END = b"\xff" * 4, b"\xff" * 4 + bytes(4)  # before each message, after the last
_DICTIONARY, _BATCH = 2, 3  # types of messages


def arrow_schema(path: Path) -> Any:
    with path.open("rb") as file:
        return _opened(file).schema


def arrow_batches(
    path: Path, limits: ReadLimits, names: Sequence[str]
) -> Iterator[Any]:
    """The batches with only these columns; `limits` has their sizes."""
    from pyarrow import ipc

    schema = arrow_schema(path)
    chosen = sorted({schema.get_field_index(name) for name in names})
    options = ipc.IpcReadOptions(included_fields=chosen, use_threads=False)
    with path.open("rb") as file:
        end = path.stat().st_size
        is_file = _is_file(file)
        sizes = list(_file_sizes(file, end) if is_file else _stream_sizes(file, end))
        reader = _opened(file, options=options)
        for i, size in enumerate(sizes):
            limits.admit(size)
            batch = reader.get_batch(i) if is_file else reader.read_next_batch()
            batch.validate(full=True)
            limits.admit(batch.nbytes - size)  # columns that were not decoded
            yield batch


def _is_file(file: Any) -> bool:
    file.seek(0)
    return file.read(len(_FILE)) == _FILE


def _opened(file: Any, **options: Any) -> Any:
    from pyarrow import ipc

    read = ipc.open_file if _is_file(file) else ipc.open_stream
    file.seek(0)
    return read(file, **options)


def _stream_sizes(file: Any, end: int) -> Iterator[int]:
    """The bytes of each batch in memory, with the dictionaries before it."""
    place = size = 0
    while place + 8 <= end:
        file.seek(place)
        if file.read(8) == _END:
            return
        kind, more, place = _message(file, place, end)
        size += more
        if kind == _BATCH:
            yield size
            size = 0
    raise ValueError("it is damaged: the end of the Arrow stream is missing")


def _file_sizes(file: Any, end: int) -> Iterator[int]:
    """The bytes of each batch in memory; of the first, with all dictionaries."""
    file.seek(end - 4 - len(_FILE))
    length = int.from_bytes(file.read(4), "little")
    file.seek(max(0, end - 4 - len(_FILE) - length))
    footer = _Table.root(file.read(length))
    size = sum(_message(file, at, end)[1] for at, *_ in footer.vector(2, "qi4xq"))
    for place, *_ in footer.vector(3, "qi4xq"):
        yield size + _message(file, place, end)[1]
        size = 0


def _message(file: Any, place: int, end: int) -> tuple[int, int, int]:
    """The type of a message, the bytes of its data in memory, and its end."""
    file.seek(place)
    mark = file.read(8)
    place += 8 if mark[:4] == _NEXT else 4  # old versions do not have the first mark
    length = int.from_bytes(mark[4:] if mark[:4] == _NEXT else mark[:4], "little")
    file.seek(place)
    message = _Table.root(file.read(min(length, end - place)))
    kind, body = message.number(1, "B"), message.number(3, "q")
    place += length
    if not 0 <= body <= end - place:
        raise ValueError("it is damaged")
    size = 0
    if kind in (_DICTIONARY, _BATCH):
        batch = message.table(2)
        size = _decoded(
            file, place, batch.table(1) if kind == _DICTIONARY else batch, body
        )
    return kind, size, place + body


def _decoded(file: Any, place: int, batch: "_Table", body: int) -> int:
    """The bytes of all buffers of a batch; compressed ones begin with their length."""
    size = 0
    for offset, length in batch.vector(2, "qq"):
        if not 0 <= offset <= offset + length <= body:
            raise ValueError("it is damaged")
        size += length
        if batch.has(3) and length:
            file.seek(place + offset)
            (declared,) = struct.unpack("<q", file.read(8))
            size += max(declared, 0)
    return size


class _Table:
    """A table of a FlatBuffers message: fields by number."""

    def __init__(self, data: bytes, place: int) -> None:
        self._data, self._place = data, place
        (back,) = struct.unpack_from("<i", data, place)
        self._fields = place - back
        (self._size,) = struct.unpack_from("<H", data, self._fields)

    @classmethod
    def root(cls, data: bytes) -> "_Table":
        return cls(data, *struct.unpack_from("<I", data))

    def _at(self, field: int) -> int:
        """The place of a field; 0 if it is absent."""
        entry = 4 + 2 * field
        if entry >= self._size:
            return 0
        (offset,) = struct.unpack_from("<H", self._data, self._fields + entry)
        return self._place + offset if offset else 0

    def has(self, field: int) -> bool:
        return self._at(field) > 0

    def number(self, field: int, code: str) -> int:
        place = self._at(field)
        return struct.unpack_from(f"<{code}", self._data, place)[0] if place else 0

    def table(self, field: int) -> "_Table":
        place = self._at(field)
        return _Table(self._data, place + self.number(field, "I"))

    def vector(self, field: int, code: str) -> Iterator[tuple[int, ...]]:
        """The structs of a vector."""
        if place := self._at(field):
            place += self.number(field, "I")
            (count,) = struct.unpack_from("<I", self._data, place)
            end = place + 4 + struct.calcsize(f"<{code}") * count
            yield from struct.iter_unpack(f"<{code}", self._data[place + 4 : end])
