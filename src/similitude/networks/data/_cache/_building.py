"""Writing a data set into the cache: write aside, verify, rename.

A folder of the cache appears in one step, when all of its files are on the disk. Only
one process at a time writes a data set. The lock ends with its process.
"""

import datetime
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ....errors import FetchFailed, either
from ....store import locked as store_locked
from ....store._atomic import FULL
from ....store._element import flush
from ._cached import folder_of, root
from ._manifest import Manifest, digest, work


@contextmanager
def locked(name: str, needs: int = 0) -> Iterator[None]:
    """Let only one process write a data set, and report a full disk in one sentence.

    `needs` is the number of bytes to name in that sentence, if it is known.
    """
    busy = FetchFailed(
        f"another process is fetching {name}; wait until it has finished."
    )
    try:
        with store_locked(root() / f".{name}.lock", busy):
            if _older(name).exists() and not folder_of(name).exists():
                _older(name).rename(folder_of(name))  # a kill between two renames
            yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        needed = f"{name} needs {needs / 1e6:,.0f} MB; " if needs else ""
        raise FetchFailed(
            f"the disk of {root()} is full; {needed}free some space, or set "
            f"SIMILITUDE_CACHE_DIR, and run the command again."
        ) from error


def staging(name: str) -> Path:
    """The folder of downloads; it is kept if a fetch is interrupted."""
    folder = root() / f".{name}.downloads"
    folder.mkdir(exist_ok=True)
    return folder


class Builder:
    """Writes the files of a data set into a folder that readers ignore."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.release: str | None = None

    def array(self, name: str, parts: Iterable[np.ndarray]) -> int:
        """Write arrays, one after the other, as `name`.npy; return the number of rows.

        The rows are written to a file, not to a memory map: on a full disk a memory map
        would end the process with SIGBUS.
        """
        path = self.folder / f"{name}.npy"
        rows = 0
        with path.open("wb") as file:
            for part in map(np.ascontiguousarray, parts):
                if rows == 0:
                    _write_header(file, part, 0)
                file.write(part.data)  # `tofile` would not say that the disk is full
                rows += len(part)
            file.seek(0)
            _write_header(file, part, rows)
            flush(file)
        return rows

    def text(self, name: str, content: str) -> None:
        with (self.folder / name).open("w", encoding="utf-8", newline="\n") as file:
            file.write(content)
            flush(file)


@contextmanager
def building(name: str, source: str, pins: Mapping[str, str]) -> Iterator[Builder]:
    """Yield a builder; afterwards verify its files against `pins` and publish them."""
    aside = root() / f".{name}.writing"
    shutil.rmtree(aside, ignore_errors=True)  # of a process that was killed
    aside.mkdir()
    try:
        builder = Builder(aside)
        yield builder
        files = {path.name: digest(path) for path in sorted(aside.iterdir())}
        wrong = [file for file in pins if files.get(file) != pins[file]]
        if wrong:
            raise FetchFailed(
                f"{wrong[0]} from {source} does not have the expected sha256; nothing "
                f"was changed. Try again, or give a local copy with "
                f"{either(python='source=DIR', shell='--from DIR')}."
            )
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        manifest = Manifest(
            schema=1,
            name=name,
            source=source,
            release=builder.release,
            fetched=now,
            files=files,
        )
        work(aside).record(manifest)
        _publish(aside, folder_of(name), _older(name))
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _older(name: str) -> Path:
    """Where a data set is moved while a new one takes its place."""
    return root() / f".{name}.older"


def _publish(aside: Path, target: Path, older: Path) -> None:
    """Rename the folder; an older folder of this name is moved away and removed."""
    shutil.rmtree(older, ignore_errors=True)
    if target.exists():
        target.rename(older)
    aside.rename(target)
    shutil.rmtree(older, ignore_errors=True)


def _write_header(file: BinaryIO, like: np.ndarray, rows: int) -> None:
    """Write the header of an .npy file; numpy reserves room for any number of rows."""
    header = np.lib.format.header_data_from_array_1_0(like)
    np.lib.format.write_array_header_1_0(
        file, header | {"shape": (rows, *like.shape[1:])}
    )
