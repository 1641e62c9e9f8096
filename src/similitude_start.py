"""Where the command `similitude` starts, before numpy and the rest are there.

To import them takes a second, in which people press Ctrl-C as in any other. Outside the
package, since Python imports all of that before anything inside it.
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
        signal.signal(number, _leave_quietly)
    try:
        run()
    except SystemExit as stop:
        if stop.code == 130:
            for number in heard:  # on its way out Python would hear no handler
                signal.signal(number, signal.SIG_IGN)
        raise


def _leave(number: int, frame: FrameType | None) -> None:
    """Nothing has been done that could be lost."""
    os.write(2, b"stopped\n")
    os._exit(130)


def _leave_quietly(number: int, frame: FrameType | None) -> None:
    os._exit(130)
