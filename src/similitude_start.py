"""Entry point of the command `similitude`; handles Ctrl-C during imports.

This module is outside the package, because Python would import `similitude` and its
imports before any module inside it.
"""

import os
import signal
from types import FrameType


def main() -> None:
    handled = [  # nohup and & ignore signals; they stay ignored
        number
        for number in (signal.SIGINT, signal.SIGTERM)
        if signal.getsignal(number) is not signal.SIG_IGN
    ]
    for number in handled:
        signal.signal(number, _exit_at_once)
    from similitude.cli import main as run

    for number in handled:  # `run` sets its own handlers; after it, ignore signals
        signal.signal(number, _ignore)
    try:
        run()
    finally:  # Python does not call handlers while it shuts down
        for number in handled:
            signal.signal(number, signal.SIG_IGN)


def _exit_at_once(number: int, frame: FrameType | None) -> None:
    """Exit; no results can be lost yet."""
    os.write(2, b"stopped\n")
    os._exit(130)


def _ignore(number: int, frame: FrameType | None) -> None:
    pass
