"""Entry point of the command `similitude`; it handles Ctrl-C during imports.

This file is outside the package, because Python would import the package and its
dependencies before it could run a file inside.
"""

import os
import signal
from types import FrameType


def main() -> None:
    # Workers and other children must not import Python files of the current folder,
    # which may come with the data.
    os.environ["PYTHONSAFEPATH"] = "1"
    handled = [  # a signal that nohup or & ignores stays ignored
        number
        for number in (signal.SIGINT, signal.SIGTERM)
        if signal.getsignal(number) is not signal.SIG_IGN
    ]
    for number in handled:
        signal.signal(number, _exit_at_once)
    from similitude.cli import main as run

    # `run` installs its own handlers. After it has printed everything, ignore signals.
    for number in handled:
        signal.signal(number, _ignore)
    try:
        run()
    finally:  # handlers written in Python do not run while the interpreter shuts down
        for number in handled:
            signal.signal(number, signal.SIG_IGN)


def _exit_at_once(number: int, frame: FrameType | None) -> None:
    """Exit without cleanup, which is safe before any work has started."""
    os.write(2, b"stopped\n")
    os._exit(130)


def _ignore(number: int, frame: FrameType | None) -> None:
    pass
