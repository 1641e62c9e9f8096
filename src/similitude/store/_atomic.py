"""Atomic writes of single files, and messages of failed writes."""

import errno
import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ..errors import InvalidInput
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


FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}


def check_writable(path: str | Path, option: str = "") -> None:
    """Raise an error of one sentence unless a file or folder can be made at `path`.

    Commands call it before they compute anything. `option` is named in the error.
    """
    path = Path(path)
    folder = path if path.is_dir() else path.parent
    while not (folder.exists() or folder.is_symlink()):
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder):  # os.access is not reliable
            return
    except OSError as error:
        why = error.strerror if folder.is_dir() else f"{folder} is not a folder"
        raise InvalidInput(
            f"{f'{option} {path}'.strip()} cannot be written: {why}. Choose another "
            f"place."
        ) from error


@contextmanager
def explain_failed_write(path: str | Path, kept: Callable[[], str]) -> Iterator[None]:
    """Add the folder, a sentence about the kept data, and advice to an OSError."""
    try:
        yield
    except OSError as error:
        message = f"{error.strerror}. {kept()} {_advice(error.errno)}"
        raise OSError(error.errno, message, str(path)) from error


def _advice(number: int | None) -> str:
    again = "run the same command again to resume."
    if number in FULL:
        return f"Free some space, and {again}"
    if number in _FORBIDDEN:
        return f"Allow writing to this folder, and {again}"
    return f"Solve this problem, and {again}"
