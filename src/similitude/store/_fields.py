"""Facts about the stimuli in an element: one array per field."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .._base._strict_json import parse
from ..errors import InvalidInput

_MOST = 2**24  # bytes of one entry

Described = dict[str, dict[str, Any]]


def is_label(array: str) -> bool:
    """Whether an array describes the stimuli, and is not part of the values."""
    return array in {"ids", "blocks"} or array.startswith("field-")


def described(fields: Mapping[str, np.ndarray]) -> Described | None:
    """The key `fields` of a manifest; None if there are none.

    Entries that NumPy has no type for are stored as JSON. A missing text, None or NaN
    among texts, is null.
    """
    return {
        label: {"array": f"field-{number}", "json": np.asarray(entries).dtype.hasobject}
        for number, (label, entries) in enumerate(fields.items())
    } or None


def stored(fields: Mapping[str, np.ndarray]) -> Iterator[tuple[str, np.ndarray]]:
    """The name and the values of each array."""
    for label, entry in (described(fields) or {}).items():
        values = np.asarray(fields[label])
        if entry["json"]:
            try:
                texts = [
                    json.dumps(None if v != v else v, allow_nan=False)
                    for v in values.tolist()
                ]
            except (TypeError, ValueError) as error:
                raise InvalidInput(
                    f"the field {label!r} must have numbers or texts: {error}."
                ) from error
            values = np.array(texts)
        yield entry["array"], values


def restored(values: np.ndarray, *, as_json: bool) -> np.ndarray:
    if not as_json:
        return values
    found = np.empty(len(values), object)
    try:
        for row, text in enumerate(values.tolist()):
            found[row] = parse(text.encode(), _MOST)
    except ValueError as error:
        raise InvalidInput(f"a field {error}; add the element again.") from error
    return found
