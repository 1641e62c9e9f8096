"""Writing one element of a store."""

import hashlib
import io
import os
import platform
import re
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ..representation import Domain
from . import _manifest
from ._json import SCHEMA, json_text
from ._reading import content_of, parse_manifest, read_element, read_manifest
from ._schema import ArrayEntry, Extraction

SHARD_BYTES = 2**28  # small shards, so that verify can name the damaged part


class Writer:
    """Writes an element shard by shard; `commit` makes it part of the store.

    Before `commit` returns, readers do not see the element. All files are written into
    a folder that readers ignore, flushed, and the folder is renamed in one step.
    """

    def __init__(
        self,
        elements: Path,
        name: str,
        *,
        folder: Path | None = None,
        arrays: Mapping[str, dict[str, Any]] | None = None,
        hashes: Mapping[str, str] | None = None,
        **fields: Any,
    ) -> None:
        self._elements = elements
        # A given folder has shards already, whose values have these hashes. It
        # survives a failure for another try.
        self._hashes = dict(hashes or {})
        self._kept = folder is not None
        self._folder = folder or elements / f".writing-{secrets.token_hex(8)}"
        if isinstance(extraction := fields.get("extraction"), Extraction):
            fields["extraction"] = extraction.model_dump()
        given = {key: value for key, value in fields.items() if value is not None}
        self._fields = {"name": name, **given}
        self._arrays: dict[str, dict[str, Any]] = dict(arrays or {})

    def __enter__(self) -> "Writer":
        self._folder.mkdir(parents=True, exist_ok=self._kept)
        return self

    def __exit__(self, error: type | None, *_: object) -> None:
        if error is None or not self._kept:
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
        header = npy_header(rows.shape, rows.dtype)
        # Hash the bytes in memory: `commit` reads the file, and detects a failed write.
        digest = hashlib.sha256()
        with path.open("wb") as file:
            for part in (header, rows.reshape(-1).view(np.uint8).data):
                digest.update(part)
                file.write(part)
            flush(file)
        entry["shards"].append(
            {"file": path.name, "rows": len(rows), "sha256": digest.hexdigest()}
        )
        entry["shape"][0] += len(rows)

    def commit(self, domain: Domain = "points") -> str:
        """Add the element to the store, unless it exists already. Return its id."""
        fields = _manifest.as_json(self._fields)
        extra = [field["array"] for field in fields.get("fields", {}).values()]
        _manifest.check_arrays(domain, self._arrays, fields["name"], extra)
        entries = {n: ArrayEntry.model_validate(e) for n, e in self._arrays.items()}
        manifest: dict[str, Any] = {
            **fields,
            "schema": SCHEMA,
            "domain": domain,
            "arrays": self._arrays,
            "content": content_of(self._folder, entries, self._hashes),
        }
        # The id is a hash of all stored data: equal elements are stored once, and
        # different elements have different ids.
        digest = _manifest.checksum(manifest)[:12]
        # A folder name that is valid on every system.
        slug = re.sub(r"[^A-Za-z0-9._-]+", "-", fields["name"]).strip(".-")[:60]
        final = self._elements / f"{slug or 'element'}-{digest}"
        self._check_case(final)
        versions = {"python": platform.python_version(), "numpy": np.__version__}
        manifest["versions"] = versions
        manifest["checksum"] = _manifest.checksum(manifest)
        text = json_text(manifest)
        parse_manifest(text, f"element {fields['name']!r}")
        with (self._folder / "manifest.json").open("wb") as file:
            file.write(text)
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

    def _check_case(self, final: Path) -> None:
        """Refuse a name that is the same as another on macOS and Windows."""
        slug, name = final.name.rpartition("-")[0], str(self._fields["name"])
        for folder in self._elements.iterdir():
            other = folder.name.rpartition("-")[0]
            if other != slug and other.casefold() == slug.casefold():
                stored = read_manifest(folder).name
                if stored.casefold() == name.casefold():
                    raise InvalidInput(
                        f"the name {name!r} differs from {stored!r}, which the store "
                        f"has, only in upper and lower case. Choose another name."
                    )


def npy_header(shape: tuple[int, ...], dtype: np.dtype) -> bytes:
    """The header of a .npy file of version 1.0 in C order."""
    header = io.BytesIO()
    fields = {
        "descr": np.lib.format.dtype_to_descr(dtype),
        "fortran_order": False,
        "shape": shape,
    }
    np.lib.format.write_array_header_1_0(header, fields)
    return header.getvalue()


def flush(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Flush a folder to the disk, so that new file names survive a crash."""
    if os.name == "nt":  # Windows does not open folders
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
