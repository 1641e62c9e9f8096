"""Apply a saved map to a file of any size, in blocks; an interrupted run resumes."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ... import _linalg, store
from ..._base._array import to_numpy
from ..._base._progress import reporting
from ..._base._validate import check_at_least, points
from ...errors import InvalidInput, require
from ...representation import Representation, fingerprint
from ..align import load_map

NAME = "embedding"  # of the array or column of the result
FORMATS = (".npy", ".safetensors", ".parquet")


@dataclass(frozen=True)
class Parts:
    """The manifest of an unfinished result: its finished blocks."""

    request: str
    files: dict[str, str] = field(default_factory=dict)


def apply_map(
    path: str | Path, rows: str | Path, out: str | Path, *, block: int = 2**15
) -> tuple[int, int]:
    """Map the rows of a file with a saved map; return the shape of the result.

    To resume an interrupted run, call it again with the same arguments: finished blocks
    are in the folder ``.OUT.parts`` next to the result, and are removed at the end.

    Parameters
    ----------
    path
        The folder of the map, as `Migration.save` wrote it.
    rows
        A file with one array, or ``FILE:name``. A file larger than memory can be .npy
        or .parquet.
    out
        The result, ending in .npy, .safetensors (array ``embedding``) or .parquet (list
        column ``embedding``, and texts ``id`` if the file has ids), in single precision
        if the rows are.
    block
        Rows that are in memory at a time.
    """
    out, found, (source, n, read) = Path(out), load_map(path), _opened(str(rows))
    check_at_least("block", block, 1)
    if out.suffix not in FORMATS or (out.exists() and out.samefile(source)):
        raise InvalidInput(f"{out} is the input, or does not end in {FORMATS}.")
    store.check_writable(out)
    arrays = [a for a in vars(found).values() if isinstance(a, np.ndarray)]
    opened = source.stat()
    request = {
        "map": [fingerprint(array) for array in arrays],
        "rows": [str(rows), opened.st_ino, opened.st_size, opened.st_mtime_ns],
        "out": [out.suffix, block],
    }
    folder = out.with_name(f".{out.name}.parts")
    busy = InvalidInput(f"another process writes {out}; wait until it has finished.")
    with store.locked(folder / "lock", busy), reporting("auto", "blocks") as report:
        work = store.Work(folder / "parts.json", Parts, f"remove {folder}")
        digest, spans = store.digest_of(request), list(_linalg.spans(n, block))
        parts = work.done(digest) or Parts(digest)
        for i, (start, stop) in enumerate(spans):
            report("mapping", i, len(spans))
            if (name := f"{i:06d}") not in parts.files:
                rep = read(start, stop)
                values = points(rep.load(), f"{rows}, from row {start},").values
                content = _part(to_numpy(found.apply(values)), rep.ids, out.suffix)
                parts = Parts(digest, {**parts.files, name: work.write(name, content)})
                work.record(parts)
        contents = (work.read(name, parts) for name in parts.files)
        files, shape = [folder / name for name in parts.files], (n, found.d_out)
        whole = folder / "whole"  # if the process is killed, it stays in the folder
        rest = (out.suffix, shape, files, contents)
        store.write_atomically(whole, lambda file: _write(file, *rest))
        whole.replace(out)
        shutil.rmtree(folder)
    return shape


def _opened(rows: str) -> tuple[Path, int, Callable[[int, int], Representation]]:
    """The file, its number of rows, and a function that reads some of them."""
    path, column = store.with_column(Path(rows))

    def read(*span: int) -> list[Representation]:
        limits = store.ReadLimits(span or None)  # type: ignore[arg-type]
        return store.read_files(path, limits=limits, column=column)

    table = path.suffix.lower() == ".parquet"
    first, *others = read(0, 1) if table else read()
    if others:
        raise InvalidInput(f"{rows} has several arrays; choose one, as {path}:NAME.")
    if table:
        return path, store.count_rows(path), lambda i, j: read(i, j)[0]
    return path, first.n, lambda i, j: first.take(np.arange(i, j))


def _part(rows: np.ndarray, ids: np.ndarray | None, suffix: str) -> bytes:
    """The .npy of a block, or a table with its ids."""
    content = BytesIO()
    if suffix != ".parquet":
        np.save(content, rows)
        return content.getvalue()
    polars = require("polars", feature="writing .parquet", extra="tables")
    columns: dict[str, Any] = {NAME: polars.Series(rows).arr.to_list()}
    if ids is not None:  # as texts, because ids of other parts may not be integers
        columns = {"id": [str(each) for each in ids.tolist()], **columns}
    polars.DataFrame(columns).write_parquet(content, compression="uncompressed")
    return content.getvalue()


def _write(file: BinaryIO, suffix: str, shape: Any, files: Any, contents: Any) -> None:
    """Write the result; reading `contents` verifies the files of the parts."""
    if suffix == ".parquet":
        import polars

        rows = max(1, shape[0] // len(list(map(len, contents))))
        polars.scan_parquet(files).sink_parquet(file, row_group_size=rows)
        return
    for i, content in enumerate(contents):
        part = np.load(BytesIO(content))
        if i == 0 and suffix == ".npy":
            header = {"descr": part.dtype.str, "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(file, header)
        elif i == 0:
            size, kind = part.itemsize * shape[0] * shape[1], f"F{8 * part.itemsize}"
            entry = {"dtype": kind, "shape": shape, "data_offsets": [0, size]}
            text = json.dumps({NAME: entry}).encode()
            text += b" " * (-len(text) % 8)  # values are aligned
            file.write(len(text).to_bytes(8, "little") + text)
        file.write(part.tobytes())
