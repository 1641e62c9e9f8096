"""Records of options: frozen keyword-only fields, checked against their types."""

import abc
import contextlib
import functools
import json
import operator
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from types import NoneType, UnionType
from typing import (
    Any,
    ClassVar,
    Literal,
    Self,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from ..errors import InvalidInput

Option = str | int | float | bool | None


@dataclass(frozen=True, kw_only=True)
class Record(abc.ABC):
    """A name and options; they define equality, hash, JSON form and citations.

    A concrete record is a frozen dataclass whose fields are its options.
    """

    name: ClassVar[str]
    refs: ClassVar[tuple[str, ...]]  # keys into references.bib

    def __post_init__(self) -> None:
        """Convert options to their annotated types, and run the annotated checks.

        Numpy scalars become Python scalars. A bound on one option is part of its type,
        as in `_validate.Count`. Subclasses extend this method for other restrictions.
        """
        for name, hint in self._hints().items():
            object.__setattr__(self, name, as_option(name, getattr(self, name), hint))
        for name, check in self._checks():
            check(name, getattr(self, name))

    @classmethod
    @functools.cache
    def _hints(cls) -> dict[str, Any]:
        hints = get_type_hints(cls)
        return {f.name: hints[f.name] for f in fields(cls)}

    @classmethod
    @functools.cache
    def _checks(cls) -> list[tuple[str, Callable[[str, Any], None]]]:
        """Checks from the ``Annotated`` types of the options."""
        hints = get_type_hints(cls, include_extras=True)
        return [
            (f.name, note)
            for f in fields(cls)
            for note in getattr(hints[f.name], "__metadata__", ())
            if callable(note)
        ]

    @property
    def options(self) -> dict[str, Any]:
        """All options by name, as JSON values."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def label(self) -> str:
        """The name, with the options that differ from their defaults.

        `parse_label` reads it: ``cka(kernel=rbf, fraction=0.5)``.
        """
        changed = [
            f"{f.name}={value if isinstance(value, str) else repr(value)}"
            for f in fields(self)
            if (value := getattr(self, f.name)) != f.default
        ]
        return f"{self.name}({', '.join(changed)})" if changed else self.name

    def variants(self) -> list[Self]:
        """This record, and its copies with one option changed to each listed value.

        A value that is valid only together with another option is skipped.
        """
        records = [self]
        for name, hint in self._hints().items():
            for value in listed_values(hint):
                with contextlib.suppress(InvalidInput):
                    records.append(replace(self, **{name: value}))
        return list(dict.fromkeys(records))

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "options": self.options}


def parse_label(text: str) -> tuple[str, dict[str, Any]]:
    """The name and the options in ``name(option=value, option=value)``.

    Numbers, true, false and None are values; other values are text, which may have
    quotes.

    >>> parse_label("cka(kernel=rbf, fraction=0.5)")
    ('cka', {'kernel': 'rbf', 'fraction': 0.5})
    """
    name, opened, rest = text.strip().partition("(")
    if not opened and ")" not in text:
        return name.strip(), {}
    options: dict[str, Any] = {}
    if not rest.endswith(")") or not name.strip():
        raise InvalidInput(f"{text!r}: write options as name(option=value, ...).")
    for item in split_labels(rest[:-1]):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not key or not value or key in options:
            what = "is given twice" if key in options else "is not option=value"
            raise InvalidInput(
                f"{text!r}: {item!r} {what}; write options as "
                f"{name.strip()}(option=value, ...)."
            )
        options[key] = _value(value)
    return name.strip(), options


def split_labels(text: str) -> list[str]:
    """Split at commas that are not in parentheses, brackets or quotes.

    >>> split_labels("cka(kernel=rbf, fraction=0.5), rsa")
    ['cka(kernel=rbf, fraction=0.5)', 'rsa']
    """
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append("")
            continue
        parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _value(text: str) -> Any:
    """A number, true, false, None or a JSON list; other text as it is."""
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    word = {"True": "true", "False": "false", "None": "null"}.get(text, text)
    try:
        return json.loads(word)
    except ValueError:
        return text


def listed_values(hint: Any) -> tuple[Option, ...]:
    """Values of a Literal or boolean type; empty for other types."""
    if hint is bool:
        return (False, True)
    return get_args(hint) if get_origin(hint) is Literal else ()


def as_option(name: str, value: Any, hint: Any) -> Option:
    """Convert `value` to the Python scalar type `hint`, or raise `InvalidInput`."""
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
