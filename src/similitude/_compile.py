"""Import modules of compiled kernels on first use, with a notice if compiling is slow.

The functions of a kernel module have explicit signatures, so numba compiles them at
import. ``cache=True`` stores the result on disk: each machine compiles once.
"""

import functools
import importlib
import sys
import threading
from types import ModuleType
from typing import Any

_NOTICE_AFTER = 1.0  # seconds of compiling before the notice is printed


def kernels(name: str) -> ModuleType:
    """Import the kernel module with this full name, and numba with it."""
    if name in sys.modules:  # another thread may still be importing it: wait for it
        return importlib.import_module(name)
    from numba.core import event

    notice = threading.Timer(_NOTICE_AFTER, _print_notice)
    notice.daemon = True

    class Compiling(event.Listener):
        """Starts the timer; numba does not call it for kernels loaded from disk."""

        def on_start(self, event: Any) -> None:
            if notice.ident is None:
                notice.start()

        def on_end(self, event: Any) -> None: ...

    with event.install_listener("numba:compile", Compiling()):
        try:
            return importlib.import_module(name)
        finally:
            notice.cancel()


@functools.cache  # printed once per process, even if several modules compile
def _print_notice() -> None:
    sys.stderr.write("similitude: compiling kernels (first use only)\n")
