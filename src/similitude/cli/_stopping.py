"""Handling of Ctrl-C, SIGTERM and closed pipes."""

import functools
import gc
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
PATIENCE = 2.0  # seconds in which a second signal is ignored


@contextmanager
def stoppable() -> Iterator[None]:
    """Raise KeyboardInterrupt once, for SIGTERM as for Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread can handle signals
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:  # nohup and & ignore signals
            signal.signal(number, _stop)
    try:
        yield
    except KeyboardInterrupt:  # after the command has finished
        raise SystemExit(130) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(number: int, frame: FrameType | None) -> None:
    now = time.monotonic()
    handler = functools.partial(_stop_again, now + PATIENCE)
    for other in SIGNALS:
        signal.signal(other, handler)
    # Workers got the signal, too. A thread of joblib that misses them prints its error.
    threading.excepthook = lambda caught: None
    raise KeyboardInterrupt


def _stop_again(ignored_until: float, number: int, frame: FrameType | None) -> None:
    """Ignore a second signal within `PATIENCE`; after that, exit at once."""
    if time.monotonic() > ignored_until:
        _exit_at_once(number, frame)


@contextmanager
def exit_at_once_on_signal() -> Iterator[None]:
    """Exit at once on a signal, for use during imports.

    A KeyboardInterrupt would leave modules half imported. No results can be lost at
    that time. Modules are not garbage, and collections would take a seventh of the
    start, so there are none.
    """
    handled = [number for number in SIGNALS if signal.getsignal(number) is _stop]
    collecting = gc.isenabled()
    gc.disable()
    for number in handled:
        signal.signal(number, _exit_at_once)
    try:
        yield
    finally:
        if collecting:
            gc.freeze()
            gc.enable()
        for number in handled:
            signal.signal(number, _stop)


def _exit_at_once(number: int, frame: FrameType | None) -> None:
    os.write(2, b"stopped\n")
    os._exit(130)


@contextmanager
def stop_as_interrupt() -> Iterator[None]:
    """Raise KeyboardInterrupt instead of an error that follows a signal.

    Other code may replace the KeyboardInterrupt of a signal: an import may raise an
    ImportError, and Python 3.11 raises a RuntimeError in the body of a class.
    """
    try:
        yield
    except Exception as error:
        handler = signal.getsignal(signal.SIGINT)
        if getattr(handler, "func", None) is not _stop_again:
            raise
        raise KeyboardInterrupt from error


@contextmanager
def resume_line(kept: str) -> Iterator[None]:
    """Print what is kept and how to resume if the command is interrupted."""
    try:
        with stop_as_interrupt():
            yield
    except KeyboardInterrupt:
        _say_resume(kept)


@contextmanager
def resume_hint(folder: "Folder") -> Iterator[None]:
    """Print how to resume if the command is interrupted."""
    try:
        with stop_as_interrupt():
            yield
    except KeyboardInterrupt:
        try:
            kept = folder.kept()
        except SimilitudeError:  # the folder does not exist yet
            kept = 0
        _say_resume(f"{kept} {folder.holds} are kept in {folder.path}")


def _say_resume(kept: str) -> None:
    sys.stderr.write(f"stopped: {kept}; run the same command again to resume.\n")
    sys.exit(130)


def close_stdout() -> None:
    """Redirect stdout to the null device, after its reader closed the pipe."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        pass  # stdout is not a file, for example in a test
