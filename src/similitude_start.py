"""Where the command `similitude` starts, before anything is imported.

Imports take time, in which people press Ctrl-C as in any other. Outside the package,
since Python imports `similitude.cli` and what it needs before any file inside it.
"""

import os
import signal
from types import FrameType


def main() -> None:
    heard = [  # what is ignored stays so, as nohup and & ask for
        number
        for number in (signal.SIGINT, signal.SIGTERM)
        if signal.getsignal(number) is not signal.SIG_IGN
    ]
    for number in heard:
        signal.signal(number, _leave)
    from similitude.cli import main as run

    for number in heard:  # `run` has handlers of its own; after it all has been told
        signal.signal(number, _go_on)
    try:
        run()
    finally:  # what is left is to tidy up, in which Python would hear no handler
        for number in heard:
            signal.signal(number, signal.SIG_IGN)


def _leave(number: int, frame: FrameType | None) -> None:
    """Nothing has been done that could be lost."""
    os.write(2, b"stopped\n")
    os._exit(130)


def _go_on(number: int, frame: FrameType | None) -> None:
    pass
