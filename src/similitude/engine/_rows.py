"""Rows of a results table."""

import json
import math
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal

Status = Literal["ok", "undefined", "failed"]


@dataclass(frozen=True)
class Row:
    """The score of one pair under one measure, with its statistics.

    `status` is "ok", "undefined" (the score does not exist for these data) or "failed"
    (an error occurred); `reason` says why. Statistics that were not computed are None.
    `seconds` is ignored by `==`.
    """

    job: str
    a: str
    b: str
    measure: str
    options: dict[str, Any]
    kind: str
    status: Status
    n: int
    d_a: int
    d_b: int
    version: str
    seed: int | None = None
    a_model: str | None = None
    a_layer: str | None = None
    b_model: str | None = None
    b_layer: str | None = None
    label: str = ""  # the measure, with its non-default options
    reading: str = ""  # how to interpret the score, in words
    paired: bool = True  # whether row i must be the same stimulus on both sides
    reason: str | None = None
    score: float | None = None
    null_mean: float | None = None
    null_sd: float | None = None
    null_q95: float | None = None
    p: float | None = None
    p_method: str | None = None
    q: float | None = None
    calibrated: float | None = None
    low: float | None = None
    high: float | None = None
    interval_method: str | None = None
    interval_note: str = ""  # the quantity of the interval, if not the score itself
    permutations: int | None = None
    baselines: dict[str, float] = field(default_factory=dict)
    advice: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)
    baseline_of: str | None = None  # the name of the baseline, for baseline rows
    complete: bool = False  # whether all requested statistics are computed
    seconds: float = field(default=0.0, compare=False)

    def to_dict(self) -> dict[str, Any]:
        document = {name: getattr(self, name) for name in _FIELDS}
        return document | {"advice": list(self.advice)}

    def line(self) -> bytes:
        """One line of JSON, without fields that have their default value."""
        fields_set = {
            name: value
            for name, value in self.to_dict().items()
            if name not in _DEFAULTS or value != _DEFAULTS[name]
        }
        return json.dumps(fields_set).encode() + b"\n"


_FIELDS = tuple(f.name for f in fields(Row))
_DEFAULTS: dict[str, Any] = {
    f.name: f.default_factory() if callable(f.default_factory) else f.default
    for f in fields(Row)
    if f.default is not MISSING or f.default_factory is not MISSING
} | {"advice": []}


def row_from_dict(document: Any) -> Row:
    """A row from the JSON of a line; unknown keys of later versions are ignored."""
    if not isinstance(document, dict) or not isinstance(document.get("job"), str):
        raise ValueError("a row must be an object with a job")
    if not isinstance(document.get("score"), int | float | None):
        raise ValueError("a score must be a number")
    values = {key: value for key, value in document.items() if key in _FIELDS}
    return Row(**values | {"advice": tuple(values.get("advice", ()))})


def plain(value: Any) -> Any:
    """Replace infinities by text, since standard JSON does not have them."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return value
