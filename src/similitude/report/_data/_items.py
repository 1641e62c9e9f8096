"""The compared representations with the fields of their manifests."""

import math
import re
from collections.abc import Mapping
from typing import Any

from ..._base._printable import printable
from ...engine import RepresentationRecord, Results
from ...engine.text import models_and_layers

MOST_FIELDS = 40
KIND = "kind of model"  # its name without a number at the end, as of a seed
LONGEST = 1000  # characters of a name or a value


def shown(text: Any) -> str:
    """A text from the user's files, on one line and without control characters."""
    return printable(str(text), LONGEST)


def items_of(results: Results) -> dict[str, Any]:
    """Names, models, layers and steps by column, and the fields that differ."""
    origin = models_and_layers(results.rows)
    records = {
        rep.name: rep for rep in results.representations[: results.compared or None]
    }
    names = results.names
    models = [origin[name][0] for name in names]
    layers = [origin[name][1] for name in names]
    listed = [records.get(name) for name in names]
    return {
        "name": [shown(name) for name in names],
        "model": [None if model is None else shown(model) for model in models],
        "layer": [None if layer is None else shown(layer) for layer in layers],
        "step": [_step(record) for record in listed],
        "fields": _fields(models, layers, listed),
    }


def _step(record: RepresentationRecord | None) -> float | None:
    step = None if record is None else record.step
    return step if _is_finite(step) else None  # type: ignore[return-value]


def _fields(
    models: list[str | None],
    layers: list[str | None],
    records: list[RepresentationRecord | None],
) -> dict[str, list[Any]]:
    """Field -> one value per representation; fields with one value are left out."""
    columns: dict[str, list[Any]] = {"model": models, "layer": layers}
    kinds = [None if model is None else _kind(model) for model in models]
    if len(set(kinds)) < len(set(models)):
        columns[KIND] = kinds
    origins = [{} if record is None else _origin(record) for record in records]
    for field in dict.fromkeys(name for origin in origins for name in origin):
        columns.setdefault(field, [origin.get(field) for origin in origins])
    if kinds in [values for field, values in columns.items() if field != KIND]:
        columns.pop(KIND, None)  # a field of the manifests has the same values
    found: dict[str, list[Any]] = {}
    for field, values in columns.items():
        plain = [v if v is None or _is_finite(v) else shown(v) for v in values]
        if len(set(plain)) > 1 and len(found) < MOST_FIELDS:
            found[shown(field)] = plain
    return found


def _kind(model: str) -> str:
    """The name of a model without its number: `cnn` for cnn-2 and cnn_seed3.

    >>> _kind("cnn-2"), _kind("cnn_seed3"), _kind("vgg16"), _kind("7")
    ('cnn', 'cnn', 'vgg', '7')
    """
    return re.sub(r"[-_ .:]*(seed|run)?[-_ .:=]*\d+$", "", model) or model


def _is_finite(value: Any) -> bool:
    """Whether this is a number that JSON has."""
    return isinstance(value, int | float) and math.isfinite(value)


def _origin(record: RepresentationRecord) -> dict[str, Any]:
    """The fields of a record that are single values; nested ones have a dotted name."""
    shape = record.shape or ()
    found: dict[str, Any] = {"step": record.step} | dict(_flat(record.meta))
    found |= {
        "columns": shape[1] if len(shape) > 1 else None,
        "dtype": record.dtype,
        "domain": record.domain,
    }
    return {
        name: value
        for name, value in found.items()
        if value is not None
        and "sha256" not in name  # a checksum tells readers nothing
    }


def _flat(meta: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, value in meta.items():
        if isinstance(value, Mapping) and prefix.count(".") < 2:
            found += _flat(value, f"{prefix}{name}.")
        elif isinstance(value, bool | str):
            found.append((f"{prefix}{name}", str(value)))
        elif isinstance(value, int | float):
            found.append((f"{prefix}{name}", value))
    return found
