"""Exceptions, optional dependencies (extras), and the "did you mean" hint.

Every message names the argument, the received value, and what to do. The same sentence
reaches users of Python and of the command line: `either` picks the form of an option
that fits, and the command line runs inside `in_shell`.
"""

import types
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

__all__ = [
    *("EXTRAS", "FetchFailed", "InvalidInput", "MissingData", "MissingExtra"),
    *("OverBudget", "SimilitudeError", "Undefined", "check_extra", "check_known"),
    *("did_you_mean", "either", "in_shell", "install_command", "require"),
]

#: The modules that each extra of this package installs.
EXTRAS: Mapping[str, tuple[str, ...]] = types.MappingProxyType(
    {
        "report": ("jinja2",),
        "plot": ("matplotlib",),
        "torch": ("torch",),
        "tables": ("polars", "pyarrow"),
        "hdf5": ("h5py",),
        "pandas": ("pandas",),
        "dask": ("dask", "distributed"),
        "ot": ("ot",),
        "onnx": ("onnx", "onnxruntime"),
        "huggingface": ("transformers",),
        "images": ("PIL",),
        "digits": ("sklearn",),
    }
)

_SHELL = ContextVar("similitude_in_shell", default=False)


class SimilitudeError(Exception):
    """Base class of all errors that this package raises."""


class InvalidInput(SimilitudeError, ValueError):
    """An argument is invalid: wrong shape, non-finite values, an unknown option."""


class OverBudget(InvalidInput, MemoryError):
    """A computation does not fit into the memory budget."""


class Undefined(SimilitudeError, ArithmeticError):
    """The arguments are valid, but the quantity does not exist for these data.

    Examples are the correlation with a constant, and canonical correlations of two
    representations with ranks so large that every fit is perfect.
    """


class MissingData(SimilitudeError, LookupError):
    """A data set is not in the cache; the message names the command that fetches it."""


class FetchFailed(SimilitudeError):
    """A data set could not be fetched or written; the cache is unchanged."""


class MissingExtra(SimilitudeError, ImportError):
    """A feature needs an optional dependency that is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs the extra {extra}: {install_command(extra)}")


def install_command(extra: str) -> str:
    """The command that installs the requirements of an extra of this package.

    It names them, and not ``similitude[extra]``, which pip would look for in the
    index. This package may be installed from a clone.
    """
    from importlib.metadata import PackageNotFoundError, requires

    try:
        known = requires("similitude") or []
    except PackageNotFoundError:  # run from a source tree
        known = []
    mark = f'extra == "{extra}"'
    needed = [
        text.partition(";")[0].strip()
        for text in known
        if mark in text.replace("'", '"')
    ]
    return f"pip install {' '.join(map(repr, needed or EXTRAS.get(extra, (extra,))))}"


def check_extra(feature: str, extra: str) -> None:
    """Raise `MissingExtra` if a module of this extra is not installed."""
    from importlib.util import find_spec

    if any(find_spec(name) is None for name in EXTRAS.get(extra, ())):
        raise MissingExtra(feature, extra)


def require(module: str, *, feature: str, extra: str) -> Any:
    """Import an optional dependency, or raise `MissingExtra`."""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra(feature, extra) from error


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """ " Did you mean ...?" with the closest of the choices, or an empty string."""
    import difflib

    close = difflib.get_close_matches(word.lower(), list(choices), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def check_known(name: str, choices: Iterable[str], problem: str) -> None:
    """Raise `InvalidInput` with the problem and all choices, unless `name` is one."""
    choices = list(choices)
    if name not in choices:
        hint, names = did_you_mean(name, choices), ", ".join(choices)
        raise InvalidInput(f"{problem}.{hint} Choose from {names}.")


@contextmanager
def in_shell() -> Iterator[None]:
    """Name options as command-line options inside this block."""
    token = _SHELL.set(True)
    try:
        yield
    finally:
        _SHELL.reset(token)


def either(*, python: str, shell: str) -> str:
    """The text for users of Python, or for users of the command line.

    >>> either(python="rows='0:300'", shell="--rows 0:300")
    "rows='0:300'"
    >>> with in_shell():
    ...     either(python="rows='0:300'", shell="--rows 0:300")
    '--rows 0:300'
    """
    return shell if _SHELL.get() else python
