"""Read .csv tables: one column per unit, and columns of ids and blocks."""

import csv
import itertools
import re
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import numpy as np

from ._columns import integers_or_texts, label_columns, unit_columns
from ._content import Content
from ._limits import ReadLimits

_MAX_LINE = 2**26  # characters
_STEP = 2**23  # bytes of values between two checks of the limits

_INTEGER = re.compile(r"\s*[+-]?\d+\s*")


def read_csv(path: Path, limits: ReadLimits) -> Content:
    with path.open(newline="", encoding="utf-8-sig") as file:
        return _table(_lines(file), limits)


def _table(lines: Iterator[list[str]], limits: ReadLimits) -> Content:
    first = next(lines, None)
    if first is None:
        raise ValueError("it is empty")
    named = any(_number(field) is None for field in first)
    header = (
        [n.strip() for n in first] if named else [f"{i}" for i in range(len(first))]
    )
    labels, units = label_columns(header), unit_columns(header)
    texts: dict[str, list[str]] = {label: [] for label in labels.values()}
    values, rows, admitted, integers = array("d"), 0, 0, True
    for line in lines if named else itertools.chain([first], lines):
        fields = [line[i] for i in units] if labels else line
        values.extend(_numbers(fields, [header[i] for i in units], rows))
        for i, label in labels.items():
            texts[label].append(line[i])
        rows += 1
        integers = integers and (named or all(map(_INTEGER.fullmatch, fields)))
        # The values are copied once; a text takes about 64 bytes.
        used = 2 * values.itemsize * len(values) + 64 * rows * len(labels)
        if used > admitted:
            limits.admit(used + _STEP - admitted)
            admitted = used + _STEP
    if not rows:
        raise ValueError(f"it has no rows after its header, {','.join(first)}")
    if not named:
        _check_not_names(first, integers=integers)
    found = {label: integers_or_texts(column) for label, column in texts.items()}
    matrix = np.frombuffer(values).reshape(rows, len(units))
    note = None if named else "has no header: its first line was read as values"
    return Content({"": np.asfortranarray(matrix), **found}, note)


def _lines(file: TextIO) -> Iterator[list[str]]:
    """The fields of each line. All lines have equal length."""
    reader = csv.reader(_short_lines(file), strict=True)
    blank, count = 0, None
    for line in reader:
        if not line:
            blank = blank or reader.line_num
            continue
        if blank:
            raise ValueError(f"line {blank} is empty, but more lines follow")
        if count is not None and len(line) != count:
            raise ValueError(
                f"line {reader.line_num} has {len(line)} fields, but the first "
                f"line has {count}"
            )
        count = len(line)
        yield line


def _short_lines(file: TextIO) -> Iterator[str]:
    while line := file.readline(_MAX_LINE):
        if len(line) == _MAX_LINE:
            raise ValueError(
                f"it has a line with more than {_MAX_LINE:,} characters; save it as "
                f".npy"
            )
        yield line


def _check_not_names(first: list[str], *, integers: bool) -> None:
    """Raise if the numbers in the first line may be the names of the columns."""
    whole = all(map(_INTEGER.fullmatch, first))
    numbers = [int(field) for field in first] if whole else []
    counted = len(first) > 1 and first == [str(i) for i in range(len(first))]
    # Layers and units are often named by increasing numbers. If only the first line
    # consists of integers, it may be a line of such names.
    rising = whole and all(a < b for a, b in itertools.pairwise(numbers))
    if counted or (rising and not integers):
        last = f" to {first[-1]}" if len(first) > 1 else ""
        raise ValueError(
            f"its first line, {first[0]}{last}, may be names or values; give the "
            f"columns names that are not numbers"
        )


def _number(field: str) -> float | None:
    try:
        return None if "_" in field else float(field)
    except ValueError:
        return None


def _numbers(fields: list[str], names: list[str], row: int) -> list[float]:
    numbers = []
    for name, field in zip(names, fields, strict=True):
        number = _number(field)
        if number is None:
            problem = "is empty" if not field.strip() else f"{field!r} is not a number"
            raise ValueError(f"column {name!r}, row {row}: {problem}")
        numbers.append(number)
    return numbers
