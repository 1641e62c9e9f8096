"""Options: JSON scalars, of the type that their field says."""

import operator
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from ..errors import InvalidInput

Option = str | int | float | bool | None


def listed_values(hint: Any) -> tuple[Option, ...]:
    """The values that a Literal type lists, or a boolean has."""
    if hint is bool:
        return (False, True)
    return get_args(hint) if get_origin(hint) is Literal else ()


def as_option(name: str, value: Any, hint: Any) -> Option:
    """`value` as the Python scalar that `hint` asks for, or `InvalidInput`."""
    if get_origin(hint) in {Union, UnionType}:
        if value is None and NoneType in get_args(hint):
            return None
        hint = next(arg for arg in get_args(hint) if arg is not NoneType)
    listed = listed_values(hint)
    if listed:
        for choice in listed:
            if isinstance(value, str | bool) and value == choice:
                return choice
        choices = ", ".join(repr(choice) for choice in listed)
        raise InvalidInput(f"{name}={value!r} is not offered; choose from {choices}.")
    try:
        if isinstance(value, bool | str) and hint is not str:
            raise TypeError
        return operator.index(value) if hint is int else hint(value)
    except (TypeError, ValueError, OverflowError):
        kind = {int: "an integer", float: "a number"}.get(hint, hint)
        raise InvalidInput(f"{name}={value!r}; it must be {kind}.") from None
