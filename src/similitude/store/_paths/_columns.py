"""One entry per row in files: classes, and train, test and anchor splits."""

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..._base._printable import printable
from ...errors import InvalidInput
from ...representation import Representation
from .._files import read_arrays

_MAX_BYTES = 2**28  # of a text file of labels

_ARRAYS, _TABLES = (".npy", ".npz", ".safetensors"), (".csv", ".txt")
#: Suffixes of files that `read_column` reads.
COLUMN_FILES = (*_ARRAYS, *_TABLES)
NAMES = ("labels", "label", "targets", "target", "class", "split")


def read_column(path: Path, rep: Representation) -> np.ndarray:
    """Read one entry per row of `rep`, matched by ids if both have ids.

    ``.npy`` holds one array. ``.npz`` and ``.safetensors`` hold an array called
    ``labels`` (or ``targets``), and may hold ``ids``. ``.csv`` has one column, or a
    column with one of these names and a column ``id``.
    """
    arrays = _read(path)
    ids = next((arrays.pop(name) for name in ("ids", "id") if name in arrays), None)
    named = [name for name in NAMES if name in arrays]
    name = next(iter(arrays)) if len(arrays) == 1 else named[0] if named else None
    if name is None:
        raise InvalidInput(f"{path} has no column or array called 'labels'.")
    values = arrays[name]
    if values.ndim != 1:
        raise InvalidInput(
            f"{path} must have one entry per row; got shape {values.shape}."
        )
    if ids is not None and rep.ids is not None:
        place = {str(key): i for i, key in enumerate(ids.tolist())}
        missing = [key for key in rep.ids.tolist() if str(key) not in place]
        if missing:
            raise InvalidInput(f"{path} has no entry for the sample {missing[0]}.")
        return values[[place[str(key)] for key in rep.ids.tolist()]]
    if len(values) != rep.n:
        where = printable(str(rep.meta.get("file", rep.name)))
        raise InvalidInput(
            f"{path} has {len(values)} entries and {where} has {rep.n} rows."
        )
    return values


def table_column(
    path: Path, names: Sequence[str]
) -> tuple[np.ndarray | None, np.ndarray] | None:
    """The ids and the values of a table with one column, or one of these names.

    None if the file is not a table, or if it has several columns of values.
    """
    if path.suffix.lower() not in _TABLES:
        return None
    arrays = _read(path, headers=names)
    ids = next((arrays.pop(name) for name in ("ids", "id") if name in arrays), None)
    named = [name for name in arrays if name in names]
    if len(arrays) != 1 and len(named) != 1:
        return None
    return ids, arrays[named[0] if named else next(iter(arrays))]


def _read(path: Path, headers: Sequence[str] = NAMES) -> dict[str, np.ndarray]:
    if not path.exists():
        raise InvalidInput(f"{path} does not exist.")
    try:
        return _arrays(path, headers)
    except (ValueError, OSError, KeyError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"{path} cannot be read: {error}.") from error


def _arrays(path: Path, headers: Sequence[str]) -> dict[str, np.ndarray]:
    suffix = path.suffix.lower()
    if suffix in _ARRAYS:
        return dict(read_arrays(path))
    if suffix not in _TABLES:
        raise InvalidInput(
            f"{path}: files ending in {suffix!r} cannot be read as labels. Use one "
            f"of {', '.join(COLUMN_FILES)}."
        )
    if path.stat().st_size > _MAX_BYTES:
        raise ValueError(f"it is larger than the limit of {_MAX_BYTES:,} bytes")
    with path.open(newline="", encoding="utf-8-sig") as file:
        lines = [[field.strip() for field in line] for line in csv.reader(file) if line]
    if not lines or len({len(line) for line in lines}) > 1:
        raise ValueError("it is empty, or its lines have different lengths")
    known = {"id", "ids", *headers}
    head = [field.lower() for field in lines[0]]
    header = lines.pop(0) if known & set(head) else [str(i) for i in range(len(head))]
    if len({name.lower() for name in header}) < len(header):
        raise ValueError("two of its columns have the same name; rename one of them")
    columns = zip(*lines, strict=True)
    return {
        name.lower(): _typed(list(column))
        for name, column in zip(header, columns, strict=True)
    }


def _typed(column: list[str]) -> np.ndarray:
    try:
        return np.array([int(value) for value in column])
    except ValueError:
        return np.array(column)
