"""Preprocessing: a function of a batch, identified by its name, options and effect."""

import functools
import hashlib
import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

from ...._base._former import first_name
from ....errors import InvalidInput
from ._fingerprint import DataHash, synthetic_input

Preprocessing = Callable[[Any], Any]


def describe(preprocessing: Preprocessing | None, first_input: Any) -> dict[str, Any]:
    """Name and options of a preprocessing, and the hash of its effect.

    The effect is probed on a fixed synthetic input with the shape of the data, so a
    changed function with an old name is noticed.
    """
    probe = _effect(preprocessing, first_input)
    if probe != _effect(preprocessing, first_input):
        raise InvalidInput(
            f"preprocessing {_name(preprocessing)!r} gives other values for the same "
            f"input; remove its random part, because extraction must be repeatable."
        )
    return {
        "name": _name(preprocessing),
        "options": _options(preprocessing),
        "probe_sha256": probe,
    }


def _effect(preprocessing: Preprocessing | None, first_input: Any) -> str:
    made = synthetic_input(first_input)
    found = DataHash()
    found.update({"input": made if preprocessing is None else preprocessing(made)})
    return found.hexdigest()


def _name(preprocessing: Preprocessing | None) -> str:
    if preprocessing is None:
        return "none"
    if isinstance(preprocessing, functools.partial):
        return _name(preprocessing.func)
    name = getattr(preprocessing, "name", None)
    if isinstance(name, str) and name:
        return name
    kind = (
        preprocessing if hasattr(preprocessing, "__qualname__") else type(preprocessing)
    )
    return first_name(kind)


def _options(preprocessing: Preprocessing | None) -> dict[str, Any]:
    """Options: the attribute `options`, fields of a data class, or a partial's."""
    options: Any = {}
    if isinstance(preprocessing, functools.partial):
        options = dict(preprocessing.keywords)
        if preprocessing.args:
            options["arguments"] = list(preprocessing.args)
    elif isinstance(getattr(preprocessing, "options", None), dict):
        options = preprocessing.options  # type: ignore[union-attr]
    elif is_dataclass(preprocessing) and not isinstance(preprocessing, type):
        options = {
            f.name: getattr(preprocessing, f.name) for f in fields(preprocessing)
        }
    return {str(key): _as_json(value) for key, value in options.items()}


def _as_json(value: Any) -> Any:
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError):
        return hashlib.sha256(repr(value).encode()).hexdigest()
