"""Rows of a results table."""

import math
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal

import numpy as np

from ..measures import as_stored
from ._schema import STRICT, Schema, sealed

Status = Literal["ok", "undefined", "failed"]


@dataclass(frozen=True, repr=False, slots=True)  # a dict takes five times as much
class Row:
    """The score of one pair under one measure, with its statistics.

    `status` is "ok", "undefined" (the score does not exist for these data) or "failed"
    (an error occurred); `reason` says why. Statistics that were not computed are None.
    `seconds`, `barcodes` and `source` are ignored by `==`.
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
    # The checksum of the stored barcodes; None if there are none.
    barcodes: str | None = field(default=None, compare=False)
    seconds: float = field(default=0.0, compare=False)
    # A hash of the source code of this package.
    source: str = field(default="", compare=False)

    __pydantic_config__ = STRICT

    def __repr__(self) -> str:
        score = self.status if self.score is None else f"{self.score:.4g}"
        return f"Row({self.a} - {self.b}, {self.label or self.measure}: {score})"

    def to_dict(self) -> dict[str, Any]:
        document = {name: getattr(self, name) for name in _FIELDS}
        return document | {"advice": list(self.advice)}

    def line(self) -> bytes:
        """One line of a results folder, without fields that have their default."""
        fields_set = {
            name: value
            for name, value in self.to_dict().items()
            if name not in _DEFAULTS or value != _DEFAULTS[name]
        }
        return sealed(fields_set)


_FIELDS = tuple(f.name for f in fields(Row))
_DEFAULTS: dict[str, Any] = {
    f.name: f.default_factory() if callable(f.default_factory) else f.default
    for f in fields(Row)
    if f.default is not MISSING or f.default_factory is not MISSING
} | {"advice": []}


_OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {}
MOST_OPTIONS = 256  # files of others may have any number of different options


def _check(row: Row) -> None:
    """Raise ValueError for values that `compare` does not write.

    Rows with equal options share them, as rows that were computed: a dict of options
    takes more memory than the other fields of a row.
    """
    if (row.status == "ok") != (row.score is not None):
        raise ValueError("only rows with the status ok have a score")
    counts = (row.n, row.d_a, row.d_b, row.permutations or 0)
    if min(counts) < 0 or max(counts) >= 2**63:
        raise ValueError("a count is negative or too large")
    for value in (row.score, *row.baselines.values()):
        if value is not None and math.isnan(value):
            raise ValueError("a score is NaN")
    for value in (row.p, row.q):
        if value is not None and not 0 <= value <= 1:
            raise ValueError("a p-value is outside [0, 1]")
    if not 0 <= row.seconds < math.inf:
        raise ValueError("seconds are negative or infinite")
    if len(_OPTIONS) >= MOST_OPTIONS:
        _OPTIONS.clear()
    key = repr((row.measure, row.label, row.options))
    if key not in _OPTIONS:
        _OPTIONS[key] = as_stored(row.measure, row.label, row.options)
    label, options = _OPTIONS[key]
    object.__setattr__(row, "label", label)
    object.__setattr__(row, "options", options)


ROWS = Schema(Row, _check)


def as_json(value: Any) -> Any:
    """Convert NumPy values to Python values for JSON; NaN becomes None."""
    if isinstance(value, dict):
        return {str(key): as_json(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(v) for v in value]
    if isinstance(value, np.ndarray | np.generic):
        return as_json(value.tolist())
    if isinstance(value, float) and math.isnan(value):
        return None
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def plain(value: Any) -> Any:
    """Replace infinities by text, since standard JSON does not have them."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return value
