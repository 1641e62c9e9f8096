"""Parquet files: the batches of a table, with their sizes before decoding."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ._limits import ReadLimits
from ._table_columns import is_text

_BYTES = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT96": 12}  # others: 8
_ROWS = 2**14  # of a batch


def parquet_schema(path: Path) -> Any:
    from pyarrow import parquet

    with path.open("rb") as file:
        found = parquet.ParquetFile(file)
        return found.schema_arrow.with_metadata(found.metadata.metadata)


def parquet_batches(
    path: Path, limits: ReadLimits, names: Sequence[str]
) -> Iterator[Any]:
    """The batches with these columns, and of the rows in `limits`, which counts them.

    A text that is repeated is one entry of a dictionary, in the file and in memory.
    """
    from pyarrow import parquet

    schema, columns = parquet_schema(path), list(dict.fromkeys(names))
    repeated = [name for name in columns if is_text(schema.field(name).type)]
    with path.open("rb") as opened:
        file = parquet.ParquetFile(opened, read_dictionary=repeated)
        first, last = limits.rows or (0, file.metadata.num_rows)
        groups, skipped, start = [], 0, 0
        for i in range(file.num_row_groups):
            rows = file.metadata.row_group(i).num_rows
            if start + rows <= first:
                skipped += rows
            elif start < last:
                limits.admit(_decoded(file.metadata, i, columns))
                groups.append(i)
            start += rows
        start = skipped
        for batch in file.iter_batches(_ROWS, groups, columns, use_threads=False):
            begin = max(first - start, 0)
            count = min(last - start, batch.num_rows) - begin
            start += batch.num_rows
            if count > 0:
                yield batch.slice(begin, count)
            if start >= last:
                return


def _decoded(metadata: Any, group: int, columns: Sequence[str]) -> int:
    """The bytes of some columns of a group of rows in memory."""
    wanted, size = set(columns), 0
    found = metadata.row_group(group)
    for i in range(found.num_columns):
        chunk = found.column(i)
        parts = chunk.path_in_schema.split(".")
        if not any(".".join(parts[:n]) in wanted for n in range(1, len(parts) + 1)):
            continue
        kind = chunk.physical_type
        size += chunk.num_values * _BYTES.get(kind, 8)
        if "BYTE_ARRAY" in kind:
            # Of equal beginnings of texts, only one may be stored.
            times = chunk.num_values if "DELTA_BYTE_ARRAY" in chunk.encodings else 1
            size += max(chunk.total_uncompressed_size, 0) * times
    return size
