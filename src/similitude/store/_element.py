"""Writing one element of a store."""

import os
import platform
import re
import secrets
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ..representation import Domain
from . import _manifest
from ._reading import read_element

SHARD_BYTES = 2**28  # small shards, so that verify can name the damaged part


class Writer:
    """Writes an element shard by shard; `commit` makes it part of the store.

    Before `commit` returns, readers do not see the element. All files are written into
    a folder that readers ignore, flushed, and the folder is renamed in one step.
    """

    def __init__(self, elements: Path, name: str, **fields: Any) -> None:
        self._elements = elements
        self._folder = elements / f".writing-{secrets.token_hex(8)}"
        self._fields = {"name": name, **fields}
        self._arrays: dict[str, dict[str, Any]] = {}

    def __enter__(self) -> "Writer":
        self._folder.mkdir(parents=True)
        return self

    def __exit__(self, error: type | None, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)  # absent after a commit

    def append(self, array: np.ndarray, to: str = "rows") -> None:
        """Append rows to one array."""
        array = np.ascontiguousarray(array)
        if array.dtype.hasobject:
            raise InvalidInput(
                f"{to}: Python objects cannot be stored; convert them to numbers."
            )
        entry = self._arrays.setdefault(
            to, {"dtype": array.dtype.str, "shape": [0, *array.shape[1:]], "shards": []}
        )
        found = array.dtype.str, list(array.shape[1:])
        if found != (entry["dtype"], entry["shape"][1:]):
            raise InvalidInput(
                f"{to}: rows of shape {array.shape[1:]} and dtype {array.dtype} cannot "
                f"follow rows of shape {tuple(entry['shape'][1:])} and dtype "
                f"{entry['dtype']}."
            )
        step = max(1, SHARD_BYTES // max(1, array[:1].nbytes))
        for start in range(0, len(array), step):
            self._write_shard(to, entry, array[start : start + step])

    def _write_shard(self, to: str, entry: dict[str, Any], rows: np.ndarray) -> None:
        path = self._folder / f"{to}-{len(entry['shards']):05d}.npy"
        with path.open("wb") as file:
            np.save(file, rows, allow_pickle=False)
            flush(file)
        entry["shards"].append(
            {"file": path.name, "rows": len(rows), "sha256": _manifest.sha256(path)}
        )
        entry["shape"][0] += len(rows)

    def commit(self, domain: Domain = "points") -> str:
        """Add the element to the store, unless it exists already. Return its id."""
        _manifest.check_arrays(domain, self._arrays, self._fields["name"])
        _manifest.check_json(self._fields)
        manifest: dict[str, Any] = {
            "schema": _manifest.SCHEMA,
            **self._fields,
            "domain": domain,
            "arrays": self._arrays,
            "content": _manifest.content_of(self._folder, self._arrays),
        }
        # The id is a hash of all stored data: equal elements are stored once, and
        # different elements have different ids.
        digest = _manifest.checksum(manifest)[:12]
        final = self._elements / f"{_slug(self._fields['name'])}-{digest}"
        versions = {"python": platform.python_version(), "numpy": np.__version__}
        manifest["versions"] = versions
        manifest["checksum"] = _manifest.checksum(manifest)
        with (self._folder / "manifest.json").open("w") as file:
            file.write(_manifest.manifest_text(manifest))
            flush(file)
        written = read_element(self._folder)  # an unreadable element is not committed
        if domain != "points":
            written.load()
        sync_folder(self._folder)
        try:
            self._folder.rename(final)
        except OSError:
            if not (final / "manifest.json").exists():
                raise  # not a race of two writers with the same content
        sync_folder(self._elements)
        return final.name


def flush(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Flush a folder to the disk, so that new file names survive a crash."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _slug(name: str) -> str:
    """Turn a name into a folder name that is valid on every system."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-")[:60] or "element"
