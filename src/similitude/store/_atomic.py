"""Files that are whole or absent."""

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from ._element import flush, sync_folder


def write_atomically(path: str | Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file beside its place, flush it to the disk, and rename it.

    Whoever reads `path` sees what was there before, or all of what is there now.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        with beside.open("wb") as file:
            write(file)
            flush(file)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    sync_folder(path.parent)
