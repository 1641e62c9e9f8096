"""Import modules of compiled kernels on first use, with a notice if compiling is slow.

The functions of a kernel module have explicit signatures, so numba compiles them at
import. The result is stored on disk: each machine compiles once. If there is no folder
to store it, each process compiles.
"""

import functools
import importlib
import sys
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

_NOTICE_AFTER = 1.0  # seconds of compiling before the notice is printed
_importing = threading.RLock()  # a kernel module may import another one


def kernels(name: str) -> ModuleType:
    """Import the kernel module with this full name, and numba with it.

    One thread imports at a time. Two threads would wait for each other: one for the
    import of numba, which the other has begun, and that one for the compiler.
    """
    with _importing:
        return _imported(name)


def _imported(name: str) -> ModuleType:
    if name in sys.modules:
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


def kernel(signature: Any, **options: Any) -> Callable[[Any], Any]:
    """Compile a function for this signature, and store the result on disk if possible.

    A package that is installed read-only cannot store it, and the home folder may be
    read-only too.
    """
    from numba import njit

    options |= {"nogil": True, "no_cfunc_wrapper": True}

    def compiled(function: Any) -> Any:
        try:
            return njit(signature, cache=True, **options)(function)
        except RuntimeError as error:  # no folder is writable
            if "cannot cache function" not in str(error):
                raise
        except OSError:  # the folder is writable, but for instance full
            pass
        _print_notice_about_cache()
        return njit(signature, **options)(function)

    return compiled


def helper(function: Any) -> Any:
    """A function that only kernels call. It cannot be called from Python.

    The code for calls from Python and from C takes a tenth of the time of compiling.
    """
    from numba import njit

    return njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)


@functools.cache
def _print_notice_about_cache() -> None:
    sys.stderr.write(
        "similitude: kernels are compiled in memory, because no cache folder is "
        "writable; set NUMBA_CACHE_DIR to compile only once\n"
    )


@functools.cache  # printed once per process, even if several modules compile
def _print_notice() -> None:
    if not _print_notice_about_cache.cache_info().currsize:
        sys.stderr.write("similitude: compiling kernels (first use only)\n")
