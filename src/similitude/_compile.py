"""Modules of compiled kernels, loaded on first use, with a word when that takes long.

A kernel module compiles when it is imported, because its functions carry their
signatures; ``cache=True`` keeps the result on disk, so that this happens once on a
machine.
"""

import functools
import importlib
import sys
import threading
from types import ModuleType
from typing import Any

_PATIENCE = 1.0  # seconds of compiling before a caller is told what is going on


def kernels(name: str) -> ModuleType:
    """The module of that full name; it and numba are imported now if not before."""
    if name in sys.modules:  # perhaps in the middle of an import by another thread
        return importlib.import_module(name)
    from numba.core import event

    notice = threading.Timer(_PATIENCE, _say)
    notice.daemon = True

    class Compiling(event.Listener):
        """Not told of kernels that come from the disk."""

        def on_start(self, event: Any) -> None:
            if notice.ident is None:
                notice.start()

        def on_end(self, event: Any) -> None: ...

    with event.install_listener("numba:compile", Compiling()):
        try:
            return importlib.import_module(name)
        finally:
            notice.cancel()


@functools.cache  # said once, however many modules compile
def _say() -> None:
    sys.stderr.write("similitude: compiling kernels, once\n")
