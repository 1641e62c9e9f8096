"""Read tables: .parquet, Arrow files and streams, and saved data sets of Hugging Face.

A table has one column per unit, or columns of lists: one list of numbers per row.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..._base._strict_json import parse, read_limited
from ...errors import require
from ._arrow_file import arrow_batches, arrow_schema
from ._columns import LABELS, MAX_TEXT, integers_or_texts, label_columns, unit_columns
from ._content import Content, chosen_name
from ._limits import ReadLimits
from ._parquet_file import parquet_batches, parquet_schema
from ._table_columns import fact, kind_of, lists, matrix, text_bytes, texts

_MAX_STATE = 2**20  # bytes of the list of files of a data set


def read_table(path: Path, limits: ReadLimits, column: str | None = None) -> Content:
    require("pyarrow", feature=f"reading {path.name}", extra="tables")
    files = dataset_files(path) if path.is_dir() else [path]
    schema = (parquet_schema if _is_parquet(files[0]) else arrow_schema)(files[0])
    kinds = {field.name: kind_of(field.type) for field in schema}
    index = _pandas_index((schema.metadata or {}).get(b"pandas"))
    names = [field.name for field in schema]
    header = [name.strip() for name in names]
    labels = {label: names[i] for i, label in label_columns(header).items()}
    named = [n for n, kind in kinds.items() if kind == "lists"]
    wanted = [n for n in named if n not in labels.values()]
    if column is not None:
        wanted = [chosen_name(column, wanted, "columns of lists of numbers")]
    if not wanted:
        units = _units(schema, header, index)
        table = _read(files, schema, limits, [*units, *labels.values()])
        return Content({"": matrix(table, units, limits)} | _labels(table, labels))
    if "ids" not in labels and (unnamed := [n for n in index if n not in LABELS]):
        raise ValueError(
            f"column {unnamed[0]!r} may be a row index; call it id, or remove it"
        )
    used = {*named, *labels.values()}
    fields = [n for n, kind in kinds.items() if n not in used and kind != "other"]
    if limits.rows is not None:
        fields = []
    table = _read(files, schema, limits, [*wanted, *labels.values(), *fields])
    arrays = {name: lists(table, name, limits) for name in wanted}
    found, most = {}, MAX_TEXT
    for name in fields:
        size = text_bytes(table[name]) + 8 * len(table)
        if size <= most:
            most -= size
            found[name] = fact(table[name])
    left = [n for n in kinds if n not in used and n not in found]
    note = f"has columns that were left out: {', '.join(left)}" if left else None
    several = len(named) > 1
    return Content(arrays | _labels(table, labels), note, found, several=several)


def count_rows(path: Path) -> int:
    """The number of rows of a Parquet file."""
    require("pyarrow", feature=f"reading {path.name}", extra="tables")
    from pyarrow import parquet

    with path.open("rb") as file:
        return int(parquet.read_metadata(file).num_rows)


def _is_parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"PAR1"


def _read(
    files: Sequence[Path], schema: Any, limits: ReadLimits, names: Sequence[str]
) -> Any:
    """A table with these columns."""
    import pyarrow

    read = parquet_batches if _is_parquet(files[0]) else arrow_batches
    batches = [batch for file in files for batch in read(file, limits, names)]
    names = list(dict.fromkeys(names))
    if not batches:
        return pyarrow.schema([schema.field(name) for name in names]).empty_table()
    return pyarrow.Table.from_batches(batches).select(names)


def is_dataset(path: Path) -> bool:
    """Whether this is a folder that `datasets.save_to_disk` wrote."""
    return (path / "state.json").is_file() and (path / "dataset_info.json").is_file()


def dataset_files(folder: Path) -> list[Path]:
    """The Arrow files of a saved data set, in the order of its rows."""
    text = read_limited(folder / "state.json", _MAX_STATE)
    state = parse(text, _MAX_STATE)
    if state.get("_indices_data_files") or state.get("_indices_files"):
        raise ValueError(
            "its rows are selected by a file of indices; call flatten_indices() before "
            "save_to_disk()"
        )
    names = [entry["filename"] for entry in state["_data_files"]]
    if not names or any(Path(name).name != name for name in names):
        raise ValueError("state.json does not list the files of the data set")
    return [folder / name for name in names]


def _units(schema: Any, header: list[str], index: list[str]) -> list[str]:
    units = [schema.field(i) for i in unit_columns(header, index)]
    for field in units:
        kind = kind_of(field.type)
        if kind != "numbers":
            raise ValueError(
                f"column {field.name!r} holds "
                f"{field.type if kind == 'other' else kind} instead of numbers"
            )
    return [field.name for field in units]


def _labels(table: Any, labels: dict[str, str]) -> dict[str, np.ndarray]:
    found = {}
    for label, name in labels.items():
        if text_bytes(table[name]) > MAX_TEXT:
            raise ValueError("its ids or blocks are too long")
        found[label] = integers_or_texts(texts(table[name]))
    return found


def _pandas_index(note: bytes | None) -> list[str]:
    """The columns that pandas used as names of rows."""
    if note is None:
        return []
    try:
        found = json.loads(note)["index_columns"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    return [name for name in found if isinstance(name, str)]
