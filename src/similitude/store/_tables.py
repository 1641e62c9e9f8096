"""Read .csv and .parquet tables: one column per unit, and columns of ids and blocks."""

import csv
import io
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import require

LABELS = {"id": "ids", "ids": "ids", "block": "blocks", "blocks": "blocks"}


def read_csv(path: Path) -> Mapping[str, np.ndarray]:
    header, lines = _lines(path)
    columns = list(zip(*lines, strict=True))
    labels = _labels(header)
    found = {label: _integers_or_texts(columns[i]) for i, label in labels.items()}
    units = [_numbers(header[i], columns[i]) for i in _units(header)]
    return {"": np.array(units, dtype=float).reshape(len(units), -1).T, **found}


def _lines(path: Path) -> tuple[list[str], list[list[str]]]:
    """The column names, and the fields of each line. All lines have equal length."""
    lines: list[list[str]] = []
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file, strict=True)
        blank = 0
        for line in reader:
            if not line:
                blank = blank or reader.line_num
                continue
            if blank:
                raise ValueError(f"line {blank} is empty, but more lines follow")
            if lines and len(line) != len(lines[0]):
                raise ValueError(
                    f"line {reader.line_num} has {len(line)} fields, but the first "
                    f"line has {len(lines[0])}"
                )
            lines.append(line)
    if not lines:
        raise ValueError("it is empty")
    first, count = lines[0], len(lines[0])
    if all(_number(field) is not None for field in first):
        if count > 1 and first == [str(i) for i in range(count)]:
            raise ValueError(
                f"its first line, 0 to {count - 1}, may be names or values; give the "
                f"columns names that are not numbers"
            )
        return [f"{i}" for i in range(count)], lines
    if len(lines) == 1:
        raise ValueError(f"it has no rows after its header, {','.join(first)}")
    return [name.strip() for name in lines.pop(0)], lines


def _labels(header: Iterable[str]) -> dict[int, str]:
    """The indices of the columns of ids and blocks."""
    found = {
        i: LABELS[name.lower()]
        for i, name in enumerate(header)
        if name.lower() in LABELS
    }
    if len(set(found.values())) < len(found):
        raise ValueError("it has two columns of ids or two columns of blocks")
    return found


def _units(header: Iterable[str]) -> list[int]:
    """The indices of the columns of units: all except ids and blocks."""
    units = [i for i, name in enumerate(header) if name.lower() not in LABELS]
    for i, name in enumerate(header):
        if name in {"", "__index_level_0__"}:
            raise ValueError(
                f"column {i} does not have a name and may be a row index; call it id, "
                f"or remove it"
            )
    if not units:
        raise ValueError("it does not have a column of numbers")
    return units


def _number(field: str) -> float | None:
    try:
        return None if "_" in field else float(field)
    except ValueError:
        return None


def _numbers(name: str, column: Iterable[str]) -> list[float]:
    numbers = []
    for row, field in enumerate(column):
        number = _number(field)
        if number is None:
            problem = "is empty" if not field.strip() else f"{field!r} is not a number"
            raise ValueError(f"column {name!r}, row {row}: {problem}")
        numbers.append(number)
    return numbers


def _integers_or_texts(values: Iterable[str]) -> np.ndarray:
    """Integers if every text is a canonical integer (007 is not), otherwise texts."""
    texts = list(values)
    if "" in texts:
        raise ValueError(f"row {texts.index('')} has an empty id or block")
    all_integers = all(re.fullmatch(r"0|-?[1-9]\d{0,17}", text) for text in texts)
    return np.array([int(text) for text in texts]) if all_integers else np.array(texts)


# A damaged file can make polars panic and abort the process. So a child process reads
# the file, and sends its content. It is isolated (-I): it must not import Python files
# from the current folder, which may come with the data.
_READ = """
import sys
sys.path.append(sys.argv[2])
import polars
try:
    with open(sys.argv[1], "rb") as file:
        frame = polars.read_parquet(file)
except polars.exceptions.PolarsError as error:
    sys.stderr.write(str(error))
    sys.exit(3)
frame.write_ipc(sys.stdout.buffer)
"""


def read_parquet(path: Path) -> Mapping[str, np.ndarray]:
    polars = require("polars", feature=f"reading {path.name}", extra="tables")
    packages = Path(polars.__file__).parents[1]
    command = [sys.executable, "-I", "-c", _READ, str(path), str(packages)]
    child = subprocess.run(command, capture_output=True, check=False)
    if child.returncode == 3:
        raise ValueError(child.stderr.decode(errors="replace").strip())
    if child.returncode:
        raise ValueError("it is damaged")
    frame = polars.read_ipc(io.BytesIO(child.stdout))
    header = [name.strip() for name in frame.columns]
    labels = _labels(header)
    found = {}
    for i, label in labels.items():
        values = frame.to_series(i).to_list()
        found[label] = _integers_or_texts("" if v is None else str(v) for v in values)
    units = frame[:, _units(header)]
    return {"": _matrix(units), **found}


def _matrix(frame: Any) -> np.ndarray:
    """The columns of numbers as one array; missing values become NaN."""
    import polars

    for name, dtype in frame.schema.items():
        if not (dtype.is_numeric() or dtype == polars.Boolean):
            raise ValueError(f"column {name!r} holds {dtype} instead of numbers")
    decimals = polars.selectors.boolean() | polars.selectors.decimal()
    values = frame.with_columns(decimals.cast(polars.Float64)).to_numpy()
    return np.ascontiguousarray(values)
