"""What a function is known by in a file of results: its code and all that it holds."""

import functools
import hashlib
import secrets
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

from ... import _array

_PLAIN = (type(None), bool, int, float, complex, str, bytes)
DEEP = 20  # of what holds itself, no end would be found


def described(thing: Any) -> str:
    """A text that is another one when what `thing` computes may be another.

    Options of partials, closures, fields of objects and weights of modules are looked
    into; so is code, but for that of this library, and for what functions find in
    global names. What cannot be looked into is never the same again.
    """
    try:
        return _text(thing, DEEP)
    except _UnknownError:
        return secrets.token_hex(16)


class _UnknownError(Exception):
    """Something that has no description."""


def _text(thing: Any, deep: int) -> str:
    if deep == 0:
        raise _UnknownError
    inner = functools.partial(_text, deep=deep - 1)
    if thing is ... or isinstance(thing, _PLAIN):
        return repr(thing)
    if isinstance(thing, list | tuple):
        return f"[{', '.join(map(inner, thing))}]"
    if isinstance(thing, set | frozenset):
        return f"set {sorted(map(inner, thing))}"
    if isinstance(thing, Mapping):
        return f"{{{', '.join(f'{inner(k)}: {inner(v)}' for k, v in thing.items())}}}"
    if isinstance(thing, functools.partial):
        return f"partial {inner([thing.func, thing.args, thing.keywords])}"
    if isinstance(thing, types.MethodType):
        return f"method {inner([thing.__func__, thing.__self__])}"
    if isinstance(thing, types.FunctionType):
        return f"{_name(thing)} {'' if _ours(thing) else inner(_inside(thing))}"
    if isinstance(thing, types.CodeType):
        return f"{thing.co_code.hex()} {inner([thing.co_names, thing.co_consts])}"
    if isinstance(thing, types.ModuleType):
        return thing.__name__
    if isinstance(thing, type | types.BuiltinFunctionType):
        return _name(thing)
    if isinstance(thing, np.generic) or _array.is_array(thing):
        return _array_text(thing)
    if hasattr(thing, "state_dict"):
        return f"{thing!r} {inner(dict(thing.state_dict()))}"
    if not hasattr(thing, "__dict__"):
        raise _UnknownError
    methods = [] if _ours(type(thing)) else _methods(type(thing))
    return f"{_name(type(thing))} {inner([vars(thing), methods])}"


def _ours(thing: Any) -> bool:
    """Part of this library, which is known by its version of results."""
    local = "<" in thing.__qualname__
    return thing.__module__.partition(".")[0] == "similitude" and not local


def _inside(f: types.FunctionType) -> list[Any]:
    try:
        held = [cell.cell_contents for cell in f.__closure__ or ()]
    except ValueError as error:  # a name that has not been given a value yet
        raise _UnknownError from error
    return [f.__code__, f.__defaults__, f.__kwdefaults__, held]


def _methods(kind: type) -> list[Any]:
    return [
        value
        for base in kind.__mro__
        for value in vars(base).values()
        if isinstance(value, types.FunctionType)
    ]


def _array_text(x: Any) -> str:
    values = np.ascontiguousarray(_array.to_numpy(x))
    if values.dtype.hasobject:
        raise _UnknownError
    return (
        f"{values.shape} {values.dtype} {hashlib.sha256(values.tobytes()).hexdigest()}"
    )


def _name(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"
