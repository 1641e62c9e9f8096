"""Modules of compiled kernels, loaded on first use, with a word when that takes long.

A kernel module compiles when it is imported, because its functions carry their
signatures; ``cache=True`` keeps the result on disk, so that this happens once on a
machine.
"""

import importlib
import sys
import threading
from types import ModuleType

_PATIENCE = 1.0  # seconds before a caller is told what is going on


def kernels(name: str) -> ModuleType:
    """The module of that full name; it and numba are imported now if not before."""
    if name in sys.modules:
        return sys.modules[name]
    importlib.import_module("numba")  # takes its time too, but does not compile
    notice = threading.Timer(_PATIENCE, _say)
    notice.daemon = True
    notice.start()
    try:
        return importlib.import_module(name)
    finally:
        notice.cancel()


def _say() -> None:
    sys.stderr.write("similitude: compiling kernels, once\n")
