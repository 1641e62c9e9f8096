"""Read tables: .parquet, Arrow files and streams, and saved data sets of Hugging Face.

A table has one column per unit, or columns of lists: one list of numbers per row.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from ..._base._strict_json import parse, read_limited
from ...errors import require
from ._child import child
from ._columns import LABELS, integers_or_texts, label_columns, unit_columns
from ._content import Content, chosen_name
from ._limits import ReadLimits

MAX_TEXT = 2**26  # bytes of all ids and blocks, and of all fields
_MAX_STATE = 2**20  # bytes of the list of files of a data set


def read_table(path: Path, limits: ReadLimits, column: str | None = None) -> Content:
    polars = require("polars", feature=f"reading {path.name}", extra="tables")
    files = dataset_files(path) if path.is_dir() else [path]
    with child("_polars_child.py", files, polars, limits) as reader:
        table = reader.reply()
        kinds = {name: kind for name, _, kind in table["columns"]}
        index = _pandas_index(table["pandas"])
        header = [name.strip() for name in kinds]
        labels = {label: list(kinds)[i] for i, label in label_columns(header).items()}
        named = [n for n, kind in kinds.items() if kind == "list"]
        lists = [n for n in named if n not in labels.values()]
        order: dict[str, Any] = {"labels": labels, "span": limits.rows}
        order |= {"text": MAX_TEXT, "units": [], "lists": [], "fields": []}
        if column is not None:
            lists = [chosen_name(column, lists, "columns of lists of numbers")]
        if not lists:
            units = _units(table["columns"], header, index)
            first, rows = limits.rows or (0, table["rows"])
            size = None if rows is None else 8 * (rows - first) * len(units)
            reply = reader.ask({**order, "units": units}, size=size)
            return Content(reader.arrays(reply) | _texts(reply))
        if "ids" not in labels and (unnamed := [n for n in index if n not in LABELS]):
            raise ValueError(
                f"column {unnamed[0]!r} may be a row index; call it id, or remove it"
            )
        used = {*named, *labels.values()}
        fields = [n for n, kind in kinds.items() if n not in used and kind != "other"]
        order |= {"lists": lists, "fields": fields if limits.rows is None else []}
        reply = reader.ask(order, size=None)
        found = {name: np.array(values) for name, values in reply["fields"].items()}
        left = [n for n in kinds if n not in used and n not in found]
        note = f"has columns that were left out: {', '.join(left)}" if left else None
        return Content(
            reader.arrays(reply) | _texts(reply), note, found, several=len(named) > 1
        )


def count_rows(path: Path) -> int:
    """The number of rows of a Parquet file."""
    polars = require("polars", feature=f"reading {path.name}", extra="tables")
    with child("_polars_child.py", [path], polars, ReadLimits()) as reader:
        return int(reader.reply()["rows"])


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


def _units(columns: Any, header: list[str], index: list[str]) -> list[str]:
    units = [columns[i] for i in unit_columns(header, index)]
    for name, dtype, kind in units:
        if kind != "number":
            raise ValueError(f"column {name!r} holds {dtype} instead of numbers")
    return [name for name, _, _ in units]


def _texts(reply: dict[str, Any]) -> dict[str, np.ndarray]:
    return {key: integers_or_texts(texts) for key, texts in reply["texts"].items()}


def _pandas_index(note: str | None) -> list[str]:
    """The columns that pandas used as names of rows."""
    if note is None:
        return []
    try:
        found = json.loads(note)["index_columns"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    return [name for name in found if isinstance(name, str)]
