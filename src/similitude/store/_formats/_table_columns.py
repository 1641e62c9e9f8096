"""Columns of Arrow tables as arrays and texts."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._limits import ReadLimits

_EXACT = 2**53


def kind_of(dtype: Any) -> str:
    """What a column of this type holds: numbers, lists, texts or other."""
    from pyarrow import types

    if _is_number(dtype):
        return "numbers"
    is_list = (types.is_list, types.is_large_list, types.is_fixed_size_list)
    if any(each(dtype) for each in is_list):
        return "lists" if _is_number(dtype.value_type) else "other"
    if is_text(dtype):
        return "texts"
    moment = (types.is_date, types.is_time, types.is_timestamp)
    return "texts" if any(each(dtype) for each in moment) else "other"


def is_text(dtype: Any) -> bool:
    from pyarrow import types

    dtype = dtype.value_type if types.is_dictionary(dtype) else dtype
    text = (types.is_string, types.is_large_string, types.is_string_view)
    return any(each(dtype) for each in text)


def _is_number(dtype: Any) -> bool:
    from pyarrow import types

    number = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
    return any(each(dtype) for each in number)


def matrix(table: Any, units: Sequence[str], limits: ReadLimits) -> np.ndarray:
    """One column per unit."""
    kinds = {table.schema.field(name).type for name in units}
    columns = [_numbers(table[name]) for name in units]
    for name, column in zip(units, columns, strict=True):
        if column.dtype.kind in "iu" and len(kinds) > 1 and column.size:
            if column.min() < -_EXACT or column.max() > _EXACT:
                raise ValueError(
                    f"column {name!r} has integers above 2**53, which the other "
                    f"columns' type rounds; store all as Float64"
                )
    dtype = np.result_type(*(column.dtype for column in columns))
    limits.admit(dtype.itemsize * len(units) * len(table))
    values = np.empty((len(table), len(units)), dtype)
    for i, column in enumerate(columns):
        values[:, i] = column
    return values


def _numbers(column: Any) -> np.ndarray:
    """A column or flat array of numbers; missing ones become NaN."""
    from pyarrow import types

    if types.is_boolean(column.type) or types.is_decimal(column.type):
        column = column.cast("float64")
    return column.to_numpy(zero_copy_only=False)


def lists(table: Any, name: str, limits: ReadLimits) -> np.ndarray:
    """A column of lists as a matrix; lists of different lengths are refused."""
    from pyarrow import compute

    column = table[name]
    if not len(column):
        raise ValueError(f"column {name!r} does not have numbers")
    if column.null_count:
        row = compute.index(column.is_null(), True).as_py()
        raise ValueError(f"column {name!r}, row {row}: it is missing")
    lengths = compute.list_value_length(column).to_numpy()
    width = int(lengths[0])
    if (lengths != width).any():
        row = int((lengths != width).argmax())
        raise ValueError(
            f"column {name!r}: row 0 has {width} numbers and row {row} has "
            f"{lengths[row]}; all lists need the same length"
        )
    if not width:
        raise ValueError(f"column {name!r} does not have numbers")
    dtype = _numbers(column.chunk(0)[:0].flatten()).dtype
    limits.admit(dtype.itemsize * width * len(column))
    row, values = 0, np.empty((len(column), width), dtype)
    for chunk in column.chunks:
        flat = chunk.flatten()
        if flat.null_count:
            row += compute.index(flat.is_null(), True).as_py() // width
            raise ValueError(f"column {name!r}, row {row}: a number is missing")
        values[row : row + len(chunk)] = _numbers(flat).reshape(len(chunk), width)
        row += len(chunk)
    return values


def text_bytes(column: Any) -> int:
    """The bytes of all texts of a column; 0 of numbers and dates."""
    if not is_text(column.type):
        return 0
    return sum(int(_lengths(chunk).sum()) for chunk in column.chunks)


def _lengths(array: Any) -> np.ndarray:
    """The lengths of texts, without making them: many may be views of one text."""
    from pyarrow import compute, types

    if types.is_dictionary(array.type):
        lengths = np.append(_lengths(array.dictionary), 0)
        return lengths[array.indices.fill_null(-1).to_numpy().astype(np.int64)]
    if types.is_string_view(array.type):
        if not len(array):
            return np.zeros(0, np.int64)
        views = np.frombuffer(array.buffers()[1], np.int32).reshape(-1, 4)[:, 0]
        found = views[array.offset : array.offset + len(array)].astype(np.int64)
        return found * array.is_valid().to_numpy(zero_copy_only=False)
    return compute.binary_length(array).fill_null(0).to_numpy().astype(np.int64)


def texts(column: Any) -> list[str]:
    """The entries of a column as texts; missing ones are empty."""
    if not is_text(column.type):
        column = column.cast("string")
    return [value or "" for value in column.to_pylist()]


def fact(column: Any) -> np.ndarray:
    """A column about the rows: integers and floats, or else texts."""
    from pyarrow import types

    plain = types.is_integer(column.type) or types.is_floating(column.type)
    return np.array(column.to_pylist() if plain else texts(column))
