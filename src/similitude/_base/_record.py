"""Records of options: frozen keyword-only fields, checked against their types."""

import abc
import contextlib
import functools
import json
import operator
from collections.abc import Mapping
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

from ..errors import InvalidInput, did_you_mean, either

Option = str | int | float | bool | None


@dataclass(frozen=True)
class OnlyFor:
    """Part of an option's type: it has an effect only for values of another option."""

    other: str
    values: tuple[Option, ...]

    def __str__(self) -> str:
        return f"{self.other}=" + " or ".join(map(repr, self.values))


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
        for name, note in self._notes():
            if callable(note):
                note(name, getattr(self, name))
        for name, needs in self._without_effect().items():
            # Two different records would otherwise be one.
            if getattr(self, name) != getattr(type(self), name):
                raise InvalidInput(
                    f"{name}= does nothing without {needs}; leave it out."
                )

    @classmethod
    @functools.cache
    def _hints(cls) -> dict[str, Any]:
        hints = get_type_hints(cls)
        return {f.name: hints[f.name] for f in fields(cls)}

    @classmethod
    @functools.cache
    def _notes(cls) -> list[tuple[str, Any]]:
        """Checks and restrictions from the ``Annotated`` types of the options."""
        hints = get_type_hints(cls, include_extras=True)
        return [
            (f.name, note)
            for f in fields(cls)
            for note in getattr(hints[f.name], "__metadata__", ())
        ]

    def _without_effect(self) -> dict[str, OnlyFor]:
        """Options without effect, with what they need."""
        return {
            name: note
            for name, note in self._notes()
            if isinstance(note, OnlyFor)
            and getattr(self, note.other) not in note.values
        }

    @property
    def options(self) -> dict[str, Any]:
        """All options by name, as JSON values: a record as text with its options."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {
            k: v.full_label if isinstance(v, Record) else v for k, v in values.items()
        }

    @property
    def in_effect(self) -> dict[str, Any]:
        """The options that have an effect and a value."""
        unused = self._without_effect()
        return {
            name: value
            for name, value in self.options.items()
            if name not in unused and value is not None
        }

    @property
    def label(self) -> str:
        """The name, with the options that differ from their defaults.

        `parse_label` reads it: ``cka(kernel=rbf(fraction=0.5))``.
        """
        values = {f: getattr(self, f.name) for f in fields(self)}
        changed = {f.name: v for f, v in values.items() if v != f.default}
        return labelled(self.name, changed)

    @property
    def full_label(self) -> str:
        """The name, with all options that have an effect."""
        return labelled(self.name, self.in_effect)

    @classmethod
    def choices(cls) -> "dict[str, type[Self]]":
        """The concrete records that derive from this class, by name."""
        found: dict[str, type[Self]] = {}
        for record in cls.__subclasses__():
            concrete = hasattr(record, "name")
            found |= {record.name: record} if concrete else record.choices()
        return found

    @classmethod
    def check_names(cls, options: Mapping[str, Any]) -> None:
        """Raise `InvalidInput` for names that are not options of this record."""
        hints = cls._hints()
        for key in [key for key in options if key not in hints]:
            for name, hint in hints.items():
                values = [v for v in listed_values(hint) if isinstance(v, Record)]
                having = [value for value in values if key in value.options]
                if not having:
                    continue
                typed = [value for value in having if value.name == options.get(name)]
                record = [*typed, *having][0]
                own = {k: v for k, v in options.items() if k in record.options}
                text = labelled(record.name, own)
                new = either(
                    python=f"{name}={text!r}", shell=f"{cls.name}({name}={text})"
                )
                raise InvalidInput(f"{key} is an option of the {name}; write {new}.")
            what = f"Its options are {', '.join(hints)}." if hints else "It has none."
            raise InvalidInput(
                f"{cls.name} has no option {key!r}.{did_you_mean(key, hints)} {what}"
            )

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


def labelled(name: str, options: Mapping[str, Any]) -> str:
    """The name, with options in parentheses."""
    inner = ", ".join(f"{key}={_shown(value)}" for key, value in options.items())
    return f"{name}({inner})" if inner else name


def _shown(value: Any) -> str:
    if isinstance(value, Record):
        return value.label
    return value if isinstance(value, str) else repr(value)


def parse_label(text: str) -> tuple[str, dict[str, Any]]:
    """The name and the options in ``name(option=value, option=value)``.

    Numbers, true, false and None are values; other values are text, which may have
    quotes.

    >>> parse_label("rsa(inner=cosine, outer='kendall_a')")
    ('rsa', {'inner': 'cosine', 'outer': 'kendall_a'})
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

    >>> split_labels("rsa(inner=cosine, outer=kendall_a), cka")
    ['rsa(inner=cosine, outer=kendall_a)', 'cka']
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


def listed_values(hint: Any) -> tuple[Any, ...]:
    """Values of a Literal, boolean or record type; empty for other types."""
    if hint is bool:
        return (False, True)
    if isinstance(hint, type) and issubclass(hint, Record):
        return tuple(record() for record in hint.choices().values())
    return get_args(hint) if get_origin(hint) is Literal else ()


def as_option(name: str, value: Any, hint: Any) -> Any:
    """Convert `value` to the type `hint` of an option, or raise `InvalidInput`."""
    if get_origin(hint) in {Union, UnionType}:
        if value is None and NoneType in get_args(hint):
            return None
        hint = next(arg for arg in get_args(hint) if arg is not NoneType)
    if isinstance(hint, type) and issubclass(hint, Record):
        return value if isinstance(value, hint) else _as_record(name, value, hint)
    listed = listed_values(hint)
    if listed:
        for choice in listed:
            if isinstance(value, str | bool) and value == choice:
                return choice
        raise _not_offered(name, value, listed)
    try:
        if isinstance(value, bool | str) and hint is not str:
            raise TypeError
        return operator.index(value) if hint is int else hint(value)
    except (TypeError, ValueError, OverflowError):
        kind = {int: "an integer", float: "a number"}.get(hint, hint)
        raise InvalidInput(f"{name}={value!r}; it must be {kind}.") from None


def _as_record(name: str, value: Any, hint: type[Record]) -> Record:
    """The record that a text names, with its options in parentheses."""
    choices = hint.choices()
    typed, options = parse_label(value) if isinstance(value, str) else (value, {})
    if not isinstance(typed, str) or typed not in choices:
        raise _not_offered(name, value, tuple(choices))
    choices[typed].check_names(options)
    return choices[typed](**options)


def _not_offered(name: str, value: Any, choices: tuple[Any, ...]) -> InvalidInput:
    listed = ", ".join(repr(choice) for choice in choices)
    return InvalidInput(f"{name}={value!r} is not offered; choose from {listed}.")
