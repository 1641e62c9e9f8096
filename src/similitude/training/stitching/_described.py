"""What a function is known by in a folder of cells: its code and all that it holds."""

import functools
import secrets
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

from ... import _array
from ...representation import fingerprint

_PLAIN = (type(None), type(...), bool, int, float, complex, str, bytes)


def described(thing: Any) -> str:
    """A text that is another one when what `thing` computes may be another.

    Options of partials, closures, fields of objects and weights of modules are looked
    into; so is code, but for that of this library, and for what functions find in
    global names. What cannot be looked into is never the same again.
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
        return thing.__name__
    named = hasattr(thing, "__qualname__")  # a function, a class, or of a class
    about = thing if named else type(thing)
    return f"{about.__module__}.{about.__qualname__} {_text(_inside(thing, about))}"


def _inside(thing: Any, about: Any) -> list[Any]:
    """What a thing holds, and its code unless it is of this library."""
    ours = about.__module__.partition(".")[0] == "similitude"
    ours = ours and "<" not in about.__qualname__
    if isinstance(thing, functools.partial):
        return [thing.func, thing.args, thing.keywords]
    if isinstance(thing, types.MethodType):
        return [thing.__func__, thing.__self__]
    if isinstance(thing, types.FunctionType):
        held = [cell.cell_contents for cell in thing.__closure__ or ()]
        rest = [thing.__code__, thing.__defaults__, thing.__kwdefaults__, held]
        return [] if ours else rest
    if isinstance(thing, types.CodeType):
        return [thing.co_code, thing.co_names, thing.co_consts]
    if isinstance(thing, type | types.BuiltinFunctionType):
        return []
    return [vars(thing), [] if ours else _methods(type(thing))]


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
