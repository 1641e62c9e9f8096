"""A text that identifies a function in a folder of cells: its code and its data."""

import functools
import secrets
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..._base import _array
from ..._base._former import first_name, first_path
from ...representation import fingerprint

_PLAIN = (type(None), type(...), bool, int, float, complex, str, bytes)


def identity(thing: Any) -> str:
    """Return a text that changes if the result of `thing` may change.

    It covers options of partials, closures, fields of objects, weights of modules, and
    code. It does not cover code of this library or values of global names. For a thing
    that cannot be inspected, every call returns a different text.
    """
    try:
        return _text(thing)
    except (TypeError, ValueError, AttributeError, RecursionError):
        return secrets.token_hex(16)


def _text(thing: Any) -> str:
    if isinstance(thing, _PLAIN):
        return repr(thing)
    if isinstance(thing, np.generic) or _array.is_array(thing):
        return _array_text(_array.to_numpy(thing))
    if isinstance(thing, set | frozenset):
        return f"set {sorted(map(_text, thing))}"
    if isinstance(thing, Mapping):
        return f"mapping {_text(list(thing.items()))}"
    if isinstance(thing, list | tuple):
        return f"[{', '.join(map(_text, thing))}]"
    if hasattr(thing, "state_dict") and not isinstance(thing, type):
        return f"{thing!r} {_text(thing.state_dict())}"
    if isinstance(thing, types.ModuleType):
        return first_path(thing.__name__)
    has_name = hasattr(thing, "__qualname__")  # a function, a class or a method
    named = thing if has_name else type(thing)
    return f"{first_name(named)} {_text(_contents(thing, named))}"


def _contents(thing: Any, named: Any) -> list[Any]:
    """List the data of a thing, and its code unless this library defines it."""
    in_library = named.__module__.partition(".")[0] == "similitude"
    in_library = in_library and "<" not in named.__qualname__
    if isinstance(thing, functools.partial):
        return [thing.func, thing.args, thing.keywords]
    if isinstance(thing, types.MethodType):
        return [thing.__func__, thing.__self__]
    if isinstance(thing, types.FunctionType):
        enclosed = [cell.cell_contents for cell in thing.__closure__ or ()]
        parts = [thing.__code__, thing.__defaults__, thing.__kwdefaults__, enclosed]
        return [] if in_library else parts
    if isinstance(thing, types.CodeType):
        return [thing.co_code, thing.co_names, thing.co_consts]
    if isinstance(thing, type | types.BuiltinFunctionType):
        return []
    return [vars(thing), [] if in_library else _methods(type(thing))]


def _methods(kind: type) -> list[Any]:
    return [
        value
        for base in kind.__mro__
        for value in vars(base).values()
        if isinstance(value, types.FunctionType)
    ]


def _array_text(values: np.ndarray) -> str:
    if values.dtype.hasobject:
        raise TypeError
    return f"{values.shape} {fingerprint(np.atleast_1d(values))}"
