"""Messages of failed writes: what is kept, and what to do."""

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}


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
    if number in _FULL:
        return f"Free some space, and {again}"
    if number in _FORBIDDEN:
        return f"Allow writing to this folder, and {again}"
    return f"Solve this problem, and {again}"
