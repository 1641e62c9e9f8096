"""Data frames of pandas and polars: numbers, sample ids and blocks.

Neither library is imported; a data frame is recognized by its methods.
"""

from typing import Any, NamedTuple

import numpy as np

from ..errors import InvalidInput

_IDS, _BLOCKS = ("id", "ids"), ("block", "blocks")


class FrameParts(NamedTuple):
    """The parts of a data frame; `ids` and `blocks` are None if missing."""

    values: np.ndarray
    ids: np.ndarray | None
    blocks: np.ndarray | None
    fields: dict[str, np.ndarray]


def is_frame(values: Any) -> bool:
    """Whether the values are a data frame of pandas, polars or a similar library."""
    methods = ("columns", "to_numpy", "__getitem__")
    return all(hasattr(values, name) for name in methods) and not isinstance(
        values, np.ndarray
    )


def frame_parts(frame: Any, name: str) -> FrameParts:
    """Split a data frame into columns of numbers, sample ids, blocks and fields.

    If one column has a list or an array of numbers in each row, these are the values,
    and all other columns are fields of the stimuli. Sample ids are the column ``id`` if
    there is one, otherwise the index of a pandas data frame, even if it only counts
    rows. Blocks are the column ``block``.
    """
    labels = {kind: _label_column(frame, kind, name) for kind in (_IDS, _BLOCKS)}
    units = [column for column in frame.columns if column not in labels.values()]
    if not units:
        raise InvalidInput(f"{name} is a data frame without a column of numbers.")
    if len(set(units)) < len(units):
        raise InvalidInput(f"{name} has two columns with the same name; rename one.")
    columns = {unit: np.asarray(frame[unit].to_numpy()) for unit in units}
    lists = [unit for unit, column in columns.items() if _has_lists(column)]
    if len(lists) > 1:
        raise InvalidInput(
            f"{name} has {len(lists)} columns of lists, {', '.join(map(str, lists))}; "
            f"keep one of them."
        )
    fields: dict[str, np.ndarray] = {}
    if lists:
        values = _stacked(columns.pop(lists[0]), lists[0], name)
        fields = {str(unit): _texts_or_numbers(c) for unit, c in columns.items()}
    else:
        values = np.column_stack([_numbers(frame[unit], unit, name) for unit in units])
    ids_column, blocks_column = labels[_IDS], labels[_BLOCKS]
    index = getattr(frame, "index", None)  # polars does not have one
    ids: np.ndarray | None = None
    if ids_column is not None:
        ids = _labels(frame[ids_column])
    elif index is not None:
        ids = _index(index, name)
    blocks = None if blocks_column is None else _labels(frame[blocks_column])
    return FrameParts(values, ids, blocks, fields)


def _label_column(frame: Any, names: tuple[str, ...], name: str) -> Any:
    """The column of ids or blocks; its name may have upper-case letters."""
    found = [column for column in frame.columns if str(column).lower() in names]
    if len(found) > 1:
        raise InvalidInput(
            f"{name} has two columns of {names[1]}, {found[0]} and {found[1]}; remove "
            f"one of them."
        )
    return found[0] if found else None


def _has_lists(column: np.ndarray) -> bool:
    """Whether the entries are lists or arrays; a column of arrays may be 2-d."""
    if column.ndim > 1:
        return True
    some = next((v for v in column.tolist() if v is not None), None)
    return column.dtype == object and isinstance(some, list | tuple | np.ndarray)


def _stacked(column: np.ndarray, unit: Any, name: str) -> np.ndarray:
    """Lists of numbers as a matrix; all need the same length."""
    where = f"{name}: column {unit!r}"
    if column.ndim > 1:
        return column
    rows = [np.asarray([] if row is None else row) for row in column]
    for number, row in enumerate(rows):
        if row.ndim != 1 or row.dtype.kind not in "biuf" or not len(row):
            raise InvalidInput(
                f"{where}, row {number}, must be a list of numbers; remove the row, or "
                f"choose another column."
            )
        if len(row) != len(rows[0]):
            raise InvalidInput(
                f"{where}: row 0 has {len(rows[0])} numbers and row {number} has "
                f"{len(row)}; all lists need the same length."
            )
    return np.stack(rows)


def _texts_or_numbers(column: np.ndarray) -> np.ndarray:
    return column if column.dtype.kind in "biuf" else column.astype(str)


def _numbers(column: Any, unit: Any, name: str) -> np.ndarray:
    values = np.asarray(column.to_numpy())
    if values.dtype.kind not in "biuf":
        raise InvalidInput(
            f"{name}: column {unit!r} is not a column of numbers (its type is "
            f"{column.dtype}). Remove it, fill its missing values, or call it id if it "
            f"names the stimuli."
        )
    return values


def _index(index: Any, name: str) -> np.ndarray:
    if getattr(index, "nlevels", 1) > 1:
        raise InvalidInput(
            f"{name} has an index of {index.nlevels} levels; give it a column id with "
            f"one distinct value per stimulus."
        )
    return _labels(index)


def _labels(values: Any) -> np.ndarray:
    """Whole numbers or texts, not Python objects."""
    return np.asarray(values.to_numpy().tolist())
