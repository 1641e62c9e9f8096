"""The program of a child process that reads tables with polars; see `_child`."""

import json
import os
import resource
import sys
from typing import Any

_SLACK = 2**31  # address space in addition to the tables
_EXACT = 2**53
_END = b"\xff\xff\xff\xff\0\0\0\0"  # of an Arrow stream


def send(document: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps(document).encode() + b"\n")
    sys.stdout.buffer.flush()


def refuse(message: str) -> None:
    sys.stderr.write(message)
    sys.exit(3)


def limit(more: int) -> None:
    """Limit the address space to what is used now, and `more` bytes."""
    with open("/proc/self/statm") as statm:
        used = int(statm.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + more + _SLACK,) * 2)


class Tables:
    """The files of one table: Parquet, or Arrow as a file or as a stream."""

    def __init__(self, polars: Any, files: list[str]) -> None:
        self.polars, self.files = polars, [open(file, "rb") for file in files]
        # A buffered read would move the descriptor, which polars reads.
        self.start = os.pread(self.files[0].fileno(), 6, 0)
        self.parquet = self.start.startswith(b"PAR1")
        if not self.start.startswith((b"PAR1", b"ARROW1")):
            for file in self.files:
                size = os.fstat(file.fileno()).st_size
                # Without its end mark, a stream may lack any number of rows.
                if size < 8 or os.pread(file.fileno(), 8, size - 8) != _END:
                    refuse("it is damaged: the end of the Arrow stream is missing")

    def _each(self) -> Any:
        for file in self.files:
            file.seek(0)
            yield file

    def schema(self) -> dict[str, Any]:
        polars, first, rows = self.polars, next(self._each()), None
        if self.parquet:
            found = polars.read_parquet_schema(first)
            lazy = [polars.scan_parquet(file) for file in self._each()]
            rows = sum(each.select(polars.len()).collect().item() for each in lazy)
        elif self.start.startswith(b"ARROW1"):
            found = polars.read_ipc_schema(first)
        else:
            found = polars.read_ipc_stream(first, n_rows=0).schema
        columns = [[name, str(t), self._kind(t)] for name, t in found.items()]
        return {"rows": rows, "columns": columns, "pandas": self._notes()}

    def _notes(self) -> Any:
        if self.parquet:
            return self.polars.read_parquet_metadata(next(self._each())).get("pandas")
        # The schema is at the start of Arrow files, and its notes are JSON texts.
        head = os.pread(self.files[0].fileno(), 2**20, 0)
        place = head.find(b'{"index_columns"')
        if place < 0:
            return None
        text = head[place:].decode(errors="replace")
        try:
            return json.dumps(json.JSONDecoder().raw_decode(text)[0])
        except (ValueError, RecursionError):
            return None

    def _kind(self, dtype: Any) -> str:
        def number(kind: Any) -> bool:
            return kind.is_numeric() or kind == self.polars.Boolean

        inner = getattr(dtype, "inner", None)
        if dtype == self.polars.List or dtype == self.polars.Array:
            flat = len(getattr(dtype, "shape", (1,))) == 1
            return "list" if inner is not None and number(inner) and flat else "other"
        if number(dtype):
            return "number"
        texts = (self.polars.String, self.polars.Categorical, self.polars.Enum)
        plain = dtype in texts or dtype.is_temporal()
        return "text" if plain else "other"

    def read(self, columns: list[str], span: list[int] | None) -> Any:
        polars = self.polars
        if span is not None:
            lazy = polars.concat([polars.scan_parquet(file) for file in self._each()])
            return lazy.select(columns).slice(span[0], span[1] - span[0]).collect()
        if self.parquet:
            parts = [polars.read_parquet(f, columns=columns) for f in self._each()]
        elif self.start.startswith(b"ARROW1"):
            parts = [polars.read_ipc(f, columns=columns) for f in self._each()]
        else:
            parts = [polars.read_ipc_stream(f, columns=columns) for f in self._each()]
        return polars.concat(parts) if len(parts) > 1 else parts[0]


def matrix(polars: Any, frame: Any, units: list[str]) -> Any:
    """One column per unit."""
    chosen = frame.select(units)
    for name, dtype in chosen.schema.items():
        if dtype.is_integer() and len(set(chosen.dtypes)) > 1:
            low, high = chosen[name].min() or 0, chosen[name].max() or 0
            if low < -_EXACT or high > _EXACT:
                refuse(
                    f"column {name!r} has integers above 2**53, which the other "
                    f"columns' type rounds; store all as Float64"
                )
    decimals = polars.selectors.boolean() | polars.selectors.decimal()
    return chosen.with_columns(decimals.cast(polars.Float64)).to_numpy()


def lists(polars: Any, column: Any) -> Any:
    """A column of lists as a matrix; lists of different lengths are refused."""
    name, length = column.name, column.len()
    if not length:
        refuse(f"column {name!r} does not have numbers")
    if column.null_count():
        refuse(f"column {name!r}, row {column.is_null().arg_max()}: it is missing")
    lengths = column.list.len() if column.dtype == polars.List else None
    width = column.dtype.shape[0] if lengths is None else (lengths.max() or 0)
    if lengths is not None and lengths.min() != width:
        row = int((lengths != lengths[0]).arg_max())
        refuse(
            f"column {name!r}: row 0 has {lengths[0]} numbers and row {row} has "
            f"{lengths[row]}; all lists need the same length"
        )
    if not width:
        refuse(f"column {name!r} does not have numbers")
    flat = column.explode()
    if flat.null_count():
        row = int(flat.is_null().arg_max()) // width
        refuse(f"column {name!r}, row {row}: a number is missing")
    if flat.dtype == polars.Boolean or flat.dtype.is_decimal():
        flat = flat.cast(polars.Float64)
    return flat.to_numpy().reshape(length, width)


def texts(polars: Any, frame: Any, labels: dict[str, str], most: int) -> dict[str, Any]:
    found = {}
    for label, name in labels.items():
        column = frame[name].cast(polars.String)
        if (column.str.len_bytes().sum() or 0) > most:
            refuse("its ids or blocks are too long")
        found[label] = [value or "" for value in column.to_list()]
    return found


def fields(polars: Any, frame: Any, names: list[str], most: int) -> dict[str, Any]:
    """Facts about the rows as lists; columns beyond `most` bytes are left out."""
    found = {}
    for name in names:
        column = frame[name]
        written = column.cast(polars.String)
        size = (written.str.len_bytes().sum() or 0) + 8 * len(column)
        if size > most:
            continue
        most -= size
        plain = column.dtype.is_integer() or column.dtype.is_float()
        found[name] = (column if plain else written.fill_null("")).to_list()
    return found


def main(packages: str, *files: str) -> None:
    os.environ["POLARS_MAX_THREADS"] = "2"
    sys.path.append(packages)
    import polars

    try:
        tables = Tables(polars, list(files))
        send(tables.schema())
        order = json.loads(sys.stdin.readline() or "null")
        if order is None:
            sys.exit(0)
        limit(order["bytes"])
        chosen = [*order["units"], *order["lists"]]
        needed = dict.fromkeys([*chosen, *order["labels"].values(), *order["fields"]])
        frame = tables.read(list(needed), order["span"])
        reply: dict[str, Any] = {
            "texts": texts(polars, frame, order["labels"], order["text"]),
            "fields": fields(polars, frame, order["fields"], order["text"]),
        }
        arrays = {name: lists(polars, frame[name]) for name in order["lists"]}
        if order["units"]:
            arrays[""] = matrix(polars, frame, order["units"])
    except polars.exceptions.PolarsError as error:
        refuse(str(error))
    shapes = [[name, a.dtype.str, a.shape] for name, a in arrays.items()]
    send({**reply, "arrays": shapes})
    for values in arrays.values():
        for start in range(0, len(values), 4096):
            sys.stdout.buffer.write(values[start : start + 4096].tobytes())
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
