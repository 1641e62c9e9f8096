"""Atomic writes of single files."""

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from ._element import flush, sync_folder


def write_atomically(path: str | Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a temporary file, flush it to the disk, and rename it to `path`.

    Readers of `path` see either the complete old file or the complete new file.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        with temporary.open("wb") as file:
            write(file)
            flush(file)
        temporary.replace(path)
    except OSError as error:  # name the file that the caller knows
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)
