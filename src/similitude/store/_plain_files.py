"""Files of other parts of this package: JSON documents and CSV tables."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._base import _strict_json
from .._base._printable import csv_cell, printable
from ..errors import InvalidInput
from ._atomic import write_atomically
from ._json import MAX_BYTES


def read_json(path: str | Path) -> Any:
    """Read a JSON document of at most 16 MiB and 32 levels, without NaN.

    A file that is missing, damaged or too large is an `InvalidInput` that names it.
    """
    try:
        text = _strict_json.read_limited(Path(path), MAX_BYTES)
        return _strict_json.parse(text, MAX_BYTES)
    except ValueError as error:
        raise InvalidInput(f"{path} {printable(str(error))}.") from error


def write_table(
    path: str | Path, columns: Mapping[str, Sequence[Any] | np.ndarray]
) -> None:
    """Write columns of equal length to a CSV file, atomically.

    No cell is a formula for a spreadsheet.
    """
    lists = [[_plain(value) for value in column] for column in columns.values()]
    if len({len(column) for column in lists}) > 1:
        sizes = (f"{name} {len(c)}" for name, c in zip(columns, lists, strict=True))
        raise InvalidInput(
            f"the columns of {path} have different lengths: {', '.join(sizes)}."
        )
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(csv_cell(name) for name in columns)
    for row in zip(*lists, strict=True):
        writer.writerow(csv_cell(value) for value in row)
    write_atomically(path, lambda file: file.write(text.getvalue().encode()))


def _plain(value: Any) -> Any:
    """Numbers of numpy as numbers of Python."""
    return value.item() if isinstance(value, np.generic) else value
