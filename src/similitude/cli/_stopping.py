"""Ctrl-C, SIGTERM, and a reader who has seen enough."""

import functools
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from ..errors import SimilitudeError

if TYPE_CHECKING:
    from ..engine import Folder

SIGNALS = (signal.SIGINT, signal.SIGTERM)
PATIENCE = 2.0  # seconds for last words


@contextmanager
def stoppable() -> Iterator[None]:
    """SIGTERM stops like Ctrl-C does: by a KeyboardInterrupt, once."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are none of its business
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:  # as nohup and & ask for
            signal.signal(number, _stop)
    try:
        yield
    except KeyboardInterrupt:  # between the last line and the end
        raise SystemExit(130) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(number: int, frame: FrameType | None) -> None:
    now = time.monotonic()
    soon = functools.partial(_stop_again, now + PATIENCE)
    for other in SIGNALS:
        signal.signal(other, soon)
    raise KeyboardInterrupt


def _stop_again(since: float, number: int, frame: FrameType | None) -> None:
    """The impatient do not interrupt the last words, and are heard if none come."""
    if time.monotonic() > since:
        _leave(number, frame)


@contextmanager
def stopped_at_once() -> Iterator[None]:
    """While modules are imported, which a KeyboardInterrupt would leave half made.

    Nothing has been done then that could be lost, so that the process just ends.
    """
    heard = [number for number in SIGNALS if signal.getsignal(number) is _stop]
    for number in heard:
        signal.signal(number, _leave)
    try:
        yield
    finally:
        for number in heard:
            signal.signal(number, _stop)


def _leave(number: int, frame: FrameType | None) -> None:
    os.write(2, b"stopped\n")
    os._exit(130)


@contextmanager
def says_what_is_kept(folder: "Folder | None") -> Iterator[None]:
    """Whoever stops is told how to go on, where there is a folder."""
    try:
        yield
    except KeyboardInterrupt:
        if folder is None:
            raise
        try:
            kept = folder.kept()
        except SimilitudeError:  # it has not begun
            kept = 0
        sys.stderr.write(
            f"stopped: {kept} {folder.holds} are kept in {folder.path}; run the same "
            f"command again to go on.\n"
        )
        sys.exit(130)


def close_stdout() -> None:
    """Nobody reads any more; what is still in the buffer goes nowhere, quietly."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        pass  # not a file, as in a test
