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


def is_frame(values: Any) -> bool:
    """Whether the values are a data frame of pandas, polars or a similar library."""
    methods = ("columns", "to_numpy", "__getitem__")
    return all(hasattr(values, name) for name in methods) and not isinstance(
        values, np.ndarray
    )


def frame_parts(frame: Any, name: str) -> FrameParts:
    """Split a data frame into columns of numbers, sample ids and blocks.

    Sample ids are the column ``id`` if there is one, otherwise the index of a pandas
    data frame, also if it only counts rows. Blocks are the column ``block``.
    """
    labels = {kind: _label_column(frame, kind, name) for kind in (_IDS, _BLOCKS)}
    units = [column for column in frame.columns if column not in labels.values()]
    if not units:
        raise InvalidInput(f"{name} is a data frame without a column of numbers.")
    if len(set(units)) < len(units):
        raise InvalidInput(f"{name} has two columns with the same name; rename one.")
    values = np.column_stack([_numbers(frame[unit], unit, name) for unit in units])
    ids_column, blocks_column = labels[_IDS], labels[_BLOCKS]
    index = getattr(frame, "index", None)  # polars does not have one
    ids: np.ndarray | None = None
    if ids_column is not None:
        ids = _labels(frame[ids_column])
    elif index is not None:
        ids = _index(index, name)
    blocks = None if blocks_column is None else _labels(frame[blocks_column])
    return FrameParts(values, ids, blocks)


def _label_column(frame: Any, names: tuple[str, ...], name: str) -> Any:
    """The column of ids or blocks; its name may have upper-case letters."""
    found = [column for column in frame.columns if str(column).lower() in names]
    if len(found) > 1:
        raise InvalidInput(
            f"{name} has two columns of {names[1]}, {found[0]} and {found[1]}; remove "
            f"one of them."
        )
    return found[0] if found else None


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
