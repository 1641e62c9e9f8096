"""The errors a caller meets, the extras and the hint that some of them name.

Every message names the argument, says what was received and what to do about it.
"""

import types
from collections.abc import Iterable, Mapping
from typing import Any

#: The modules that each optional dependency of this package provides.
EXTRAS: Mapping[str, tuple[str, ...]] = types.MappingProxyType(
    {
        "report": ("jinja2", "plotly"),
        "plot": ("matplotlib",),
        "torch": ("torch",),
        "tables": ("polars",),
        "dask": ("dask", "distributed"),
        "ot": ("ot",),
        "onnx": ("onnxruntime",),
    }
)


class SimilitudeError(Exception):
    """Base of every error raised on purpose by this package."""


class InvalidInput(SimilitudeError, ValueError):
    """The question is malformed: wrong shape, non-finite values, an unknown option."""


class Undefined(SimilitudeError, ArithmeticError):
    """The question is well-formed, but the quantity does not exist for these data.

    For instance the correlation with a constant, or canonical correlations of two
    representations whose ranks leave no room for anything but perfect fits.
    """


class MissingExtra(SimilitudeError, ImportError):
    """A feature needs an optional dependency that is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs an optional dependency: pip install 'similitude[{extra}]'"
        )


def check_extra(feature: str, extra: str) -> None:
    """Raise `MissingExtra` unless the modules of an extra are there to be imported."""
    from importlib.util import find_spec

    if any(find_spec(name) is None for name in EXTRAS.get(extra, ())):
        raise MissingExtra(feature, extra)


def require(module: str, *, feature: str, extra: str) -> Any:
    """An optional dependency, imported now, or `MissingExtra`."""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra(feature, extra) from error


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A question about the nearest known word, or nothing."""
    import difflib

    close = difflib.get_close_matches(word.lower(), list(known), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
