"""Results as a tidy table: one line per row, one column per value."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..._printable import csv_cell
from .._rows import Row, plain

# The first columns. The columns of the baselines follow.
_FIRST = (
    *("label", "a", "b", "score", "low", "high", "p", "q"),
    *("null_mean", "calibrated", "status", "reason"),
)


def tidy(rows: Sequence[Row], baselines: Sequence[str]) -> list[dict[str, Any]]:
    """One mapping of columns to values per row; nested values are JSON text."""
    return [_line(row, baselines) for row in rows]


def _line(row: Row, baselines: Sequence[str]) -> dict[str, Any]:
    fields = row.to_dict()
    scores = fields.pop("baselines")
    del fields["baseline_of"]  # None, since these are not rows of baselines
    line = {key: fields.pop(key) for key in _FIRST}
    line |= {f"baseline_{name}": scores.get(name) for name in baselines}
    return line | {key: _cell(value) for key, value in fields.items()}


def _cell(value: Any) -> Any:
    return json.dumps(plain(value)) if isinstance(value, dict | list) else value


def write_csv(path: Path, rows: Sequence[Row], baselines: Sequence[str]) -> None:
    """Write the tidy table; no cell is a formula for a spreadsheet."""
    lines = tidy(rows, baselines)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([csv_cell(name) for name in (lines[0] if lines else _FIRST)])
        for line in lines:
            writer.writerow([csv_cell(value) for value in line.values()])
