"""Read .npz files, and check zip archives before their entries are read."""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from ._content import Content
from ._limits import MAX_ARRAYS, ReadLimits
from ._npy import read_header

_END = b"PK\x05\x06"  # of the record that ends an archive


@contextmanager
def checked_archive(path: Path, limits: ReadLimits) -> Iterator[zipfile.ZipFile]:
    """An archive whose entries, expanded together, are within the limits."""
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        if len(entries) > MAX_ARRAYS:
            raise ValueError(
                f"it has {len(entries):,} entries; split it into files with at most "
                f"{MAX_ARRAYS:,}"
            )
        _check_layout(path, archive, entries)
        seen = set()
        for entry in entries:
            if entry.filename in seen:
                raise ValueError(f"it has two entries called {entry.filename!r}")
            seen.add(entry.filename)
        limits.admit(sum(entry.file_size for entry in entries))
        yield archive


def _check_layout(
    path: Path, archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo]
) -> None:
    """Check that entries do not overlap, and that the archive is the whole file.

    Of two archives in one file, a reader of zip files would use only the last one.
    """
    end = 0
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        if entry.header_offset < end:
            raise ValueError(f"its entry {entry.filename!r} overlaps another entry")
        end = entry.header_offset + entry.compress_size
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 22 - len(archive.comment)))
        last = file.read(4)
    first = min((entry.header_offset for entry in entries), default=0)
    if first != 0 or end > size or last != _END:
        raise ValueError(
            "it holds other bytes before or after its zip archive; save it again"
        )


def read_npz(path: Path, limits: ReadLimits) -> Content:
    """The arrays of a zip of `.npy` files; each header is checked before allocation."""
    found: dict[str, np.ndarray] = {}
    with checked_archive(path, limits) as archive:
        for entry in archive.infolist():
            name = entry.filename.removesuffix(".npy")
            if entry.is_dir() or name == entry.filename:
                raise ValueError(f"its entry {entry.filename!r} is not a .npy file")
            with archive.open(entry) as file:
                read_header(file, entry.file_size)
            with archive.open(entry) as file:
                found[name] = np.lib.format.read_array(file, allow_pickle=False)
                if file.read(1):
                    raise ValueError(f"its entry {entry.filename!r} is too long")
    return Content(found)
