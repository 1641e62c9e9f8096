"""Read .parquet tables in a child process."""

import json
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import numpy as np

from ...errors import require
from ._columns import integers_or_texts, label_columns, unit_columns
from ._content import Content
from ._limits import ReadLimits

MAX_TEXT = 2**26  # bytes of all ids and blocks
_SLACK = 2**31  # address space of the child in addition to the table
_MAX_REPLY = 2**28

# A damaged file can make polars panic and abort the process. So a child process reads
# the file, and sends its content. It is isolated (-I): it must not import Python files
# from the current folder, which may come with the data. It first sends the columns and
# the number of rows, and reads the values only if the parent agrees. The limit of its
# address space holds for pages that expand to more than the file says.
_READ = """
import json, os, resource, sys
os.environ["POLARS_MAX_THREADS"] = "2"
sys.path.append(sys.argv[2])
import polars
def send(document):
    sys.stdout.buffer.write(json.dumps(document).encode() + b"\\n")
    sys.stdout.buffer.flush()
def number(dtype):
    return dtype.is_numeric() or dtype == polars.Boolean
try:
    with open(sys.argv[1], "rb") as file:
        schema = polars.read_parquet_schema(file)
        file.seek(0)
        notes = polars.read_parquet_metadata(file)
        file.seek(0)
        rows = polars.scan_parquet(file).select(polars.len()).collect().item()
        columns = [[name, str(dtype), number(dtype)] for name, dtype in schema.items()]
        send({"rows": rows, "columns": columns, "pandas": notes.get("pandas")})
        order = json.loads(sys.stdin.readline() or "null")
        if order is None:
            sys.exit(0)
        with open("/proc/self/statm") as statm:
            used = int(statm.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + order["bytes"],) * 2)
        file.seek(0)
        frame = polars.read_parquet(file)
except polars.exceptions.PolarsError as error:
    sys.stderr.write(str(error))
    sys.exit(3)
texts = {}
for label, name in order["labels"].items():
    column = frame[name].cast(polars.String)
    if (column.str.len_bytes().sum() or 0) > order["text"]:
        sys.stderr.write("its ids or blocks are too long")
        sys.exit(3)
    texts[label] = [value or "" for value in column.to_list()]
units = frame.select(order["units"])
exact = 2**53
for name, dtype in units.schema.items():
    if dtype.is_integer() and len(set(units.dtypes)) > 1:
        low, high = units[name].min() or 0, units[name].max() or 0
        if low < -exact or high > exact:
            sys.stderr.write(f"column {name!r} has integers above 2**53, which the "
                             "other columns' type rounds; store all as Float64")
            sys.exit(3)
decimals = polars.selectors.boolean() | polars.selectors.decimal()
values = units.with_columns(decimals.cast(polars.Float64)).to_numpy()
send({"texts": texts, "dtype": values.dtype.str, "shape": values.shape})
for start in range(0, len(values), 4096):
    sys.stdout.buffer.write(values[start : start + 4096].tobytes())
sys.stdout.buffer.flush()
"""


def read_parquet(path: Path, limits: ReadLimits) -> Content:
    polars = require("polars", feature=f"reading {path.name}", extra="tables")
    packages = Path(polars.__file__).parents[1]
    command = [sys.executable, "-I", "-c", _READ, str(path), str(packages)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        try:
            return _received(child, limits)
        finally:
            child.kill()


def _received(child: Any, limits: ReadLimits) -> Content:
    table = _reply(child)
    names = [name for name, _, _ in table["columns"]]
    header = [name.strip() for name in names]
    labels = label_columns(header)
    units = unit_columns(header, _pandas_index(table["pandas"]))
    for name, dtype, number in (table["columns"][i] for i in units):
        if not number:
            raise ValueError(f"column {name!r} holds {dtype} instead of numbers")
    predicted = 8 * table["rows"] * len(units)
    limits.admit(3 * predicted)  # the columns, their table, and the parent's table
    order = {
        "bytes": 3 * predicted + _SLACK,
        "text": MAX_TEXT,
        "labels": {label: names[i] for i, label in labels.items()},
        "units": [names[i] for i in units],
    }
    child.stdin.write(json.dumps(order).encode() + b"\n")
    child.stdin.close()
    reply = _reply(child, "it is damaged, or needs more memory than it announces")
    values = np.empty(reply["shape"], np.dtype(reply["dtype"]))
    _fill(child.stdout, values)
    texts = reply["texts"].items()
    return Content({"": values, **{key: integers_or_texts(t) for key, t in texts}})


def _reply(child: Any, crashed: str = "it is damaged") -> dict[str, Any]:
    """One line from the child, or the error that it wrote."""
    line = child.stdout.readline(_MAX_REPLY)
    if line.endswith(b"\n"):
        return json.loads(line)
    child.stdout.close()
    message = child.stderr.read(4096).decode(errors="replace").strip()
    if child.wait() == 3:
        raise ValueError(message)
    raise ValueError(crashed)


def _fill(stream: IO[bytes], values: np.ndarray) -> None:
    data, read = values.reshape(-1).view(np.uint8).data, 0
    while read < len(data):
        count = stream.readinto(data[read:])  # type: ignore[attr-defined]
        if not count:
            raise ValueError("it is damaged")
        read += count


def _pandas_index(note: str | None) -> list[str]:
    """The columns that pandas used as names of rows."""
    if note is None:
        return []
    try:
        found = json.loads(note)["index_columns"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    return [name for name in found if isinstance(name, str)]
