"""Results as a tidy table: one line per row, one column per value."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .._rows import Row, plain
from ..text._numbers import SMALLEST_P

# The first columns, each with its field of `Row`. Baselines follow, then other fields.
_FIRST = {
    "a": "a",
    "b": "b",
    "measure": "label",
    "score": "score",
    "low": "low",
    "high": "high",
    "null": "null_mean",
    "p": "p",
    "q": "q",
    "n": "n",
}
_SECOND = {
    "status": "status",
    "reason": "reason",
    "calibrated": "calibrated",
    "null_sd": "null_sd",
    "null_q95": "null_q95",
    "measure_name": "measure",  # without options, which have their own column
}


def tidy(
    rows: Sequence[Row], baselines: Sequence[str], reducers: Mapping[str, str]
) -> list[dict[str, Any]]:
    """One mapping of columns to values per row; nested values are JSON text."""
    return [
        _line(row, baselines)
        | {"a_reducer": reducers.get(row.a), "b_reducer": reducers.get(row.b)}
        for row in rows
    ]


def columns(
    rows: Sequence[Row], baselines: Sequence[str], reducers: Mapping[str, str]
) -> dict[str, list[Any]]:
    """The same table by column, even if it has no rows."""
    lines = tidy(rows, baselines, reducers)
    names = lines[0] if lines else {**_FIRST, **_SECOND}
    return {name: [line[name] for line in lines] for name in names}


def _line(row: Row, baselines: Sequence[str]) -> dict[str, Any]:
    fields = exported(row)
    scores = fields.pop("baselines")
    del fields["baseline_of"]  # None, since these are not rows of baselines
    line = {name: fields.pop(field) for name, field in _FIRST.items()}
    line |= {f"baseline_{name}": scores.get(name) for name in baselines}
    line |= {name: fields.pop(field) for name, field in _SECOND.items()}
    return line | {key: _cell(value) for key, value in fields.items()}


def exported(row: Row) -> dict[str, Any]:
    """The fields of a row. A p-value below the accuracy of its tail is its bound."""
    bounds = {
        name: max(value, SMALLEST_P)
        for name in ("p", "q")
        if (value := getattr(row, name)) is not None
    }
    return row.to_dict() | bounds


def _cell(value: Any) -> Any:
    return json.dumps(plain(value)) if isinstance(value, dict | list) else value
