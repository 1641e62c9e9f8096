"""Where the command `similitude` starts, before numpy and the rest are there.

To import them takes a second, in which people press Ctrl-C as in any other. Outside the
package, since Python imports all of that before anything inside it.
"""

import os
import signal


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup and & ask for
            signal.signal(number, _leave)
    from similitude.cli import main as run

    try:
        run()
    except SystemExit as stop:
        if stop.code == 130:  # has been told; on the way out Python hears no more of it
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise


def _leave(number: int, frame: object) -> None:
    """Nothing has been done that could be lost, nor finished that could be told."""
    os.write(2, b"stopped\n")
    os._exit(130)
