"""Fields, arrays and checksum of the manifest of an element."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ._fields import is_label
from ._json import json_text

# Required and optional arrays by domain.
_ARRAYS: dict[str, tuple[set[str], set[str]]] = {
    "points": ({"rows"}, set()),
    "outputs": ({"labels"}, {"log_probs", "targets"}),
    "softmax": ({"embeddings", "unembeddings"}, {"candidates"}),
}
_PER_LABEL = {"unembeddings", "candidates"}  # all others have one row per stimulus
_ONE_DIMENSIONAL = {"labels", "targets", "candidates"}


def check_arrays(
    domain: str, arrays: Mapping[str, Any], name: str, fields: Sequence[str] = ()
) -> None:
    """Raise an error unless these arrays form an element as FORMAT.md specifies."""
    if domain not in _ARRAYS:
        raise InvalidInput(f"domain={domain!r}; choose from {', '.join(_ARRAYS)}.")
    needed, allowed = _ARRAYS[domain]
    if len(set(fields)) < len(fields):
        raise InvalidInput(f"{name}: two fields have the same array.")
    needed = needed | set(fields)
    allowed = needed | allowed | {"ids", "blocks"}
    if needed - arrays.keys() or arrays.keys() - allowed:
        raise InvalidInput(
            f"{name}: the arrays of {domain} must be {', '.join(sorted(needed))}, and "
            f"may be {', '.join(sorted(allowed - needed))}; got "
            f"{', '.join(sorted(arrays)) or 'nothing'}."
        )
    for array, entry in arrays.items():
        dtype, shape = np.dtype(entry["dtype"]), tuple(entry["shape"])
        if not is_label(array) and dtype.kind not in "biuf":
            raise InvalidInput(
                f"{name}: {array} must hold real numbers; the dtype is {dtype}."
            )
        if array in {"ids", "blocks"} and dtype.kind not in "iuU":
            raise InvalidInput(
                f"{name}: {array} must hold whole numbers or text; the "
                f"dtype is {dtype}."
            )
        dimensions = 1 if is_label(array) or array in _ONE_DIMENSIONAL else 2
        if len(shape) != dimensions or 0 in shape:
            raise InvalidInput(
                f"{name}: {array} must be {dimensions}-d and not empty; got shape "
                f"{shape}."
            )
    rows = {a: arrays[a]["shape"][0] for a in sorted(arrays.keys() - _PER_LABEL)}
    if len(set(rows.values())) > 1:
        counts = ", ".join(f"{count} in {array}" for array, count in rows.items())
        raise InvalidInput(
            f"{name}: all arrays need one row per stimulus; got {counts}."
        )


def as_json(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a manifest as they are after reading."""
    try:
        return json.loads(json.dumps(fields, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(
            f"{fields['name']}: the fields of its manifest must be JSON: {error}."
        ) from error


def checksum(manifest: Mapping[str, Any]) -> str:
    """sha256 of a manifest without its key `checksum`."""
    rest = {key: value for key, value in manifest.items() if key != "checksum"}
    return hashlib.sha256(json_text(rest)).hexdigest()
