"""Reading one element: its manifest is checked, its values are loaded on demand."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ..inputs import Outputs, SoftmaxModel
from ..representation import Domain, Representation, take_rows
from ._fields import is_label, restored
from ._json import json_text, parse_object, read_text, validate
from ._manifest import checksum
from ._schema import ArrayEntry, Manifest, StoreFile
from ._shards import changed, read_array, read_batches, read_shards
from ._verified import Arrays, Verified

_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Stored:
    """Values in a store, read and verified on demand."""

    folder: Path
    domain: Domain
    shape: tuple[int, ...]
    content: str
    arrays: tuple[str, ...]
    verified: Verified = field(default_factory=Verified, compare=False, repr=False)
    dtype: np.dtype | None = None  # of the rows

    def read(self) -> Any:
        values = self.verified.get(self.folder, self.content)
        if values is None:
            values = self._read()
            self.verified.add(self.folder, self.content, values)
        if self.domain == "outputs":
            return Outputs(**values)
        if self.domain == "softmax":
            return SoftmaxModel(**values)
        return values["rows"]

    def batches(self, rows: int) -> Iterator[np.ndarray]:
        """All rows of points, in batches of `rows`; the last one may be smaller.

        They are verified when the iterator ends, so results must not be used before. A
        batch is valid until the next one is read.
        """
        return read_batches(self.folder, self._entries()["rows"], rows)

    def take(self, rows: np.ndarray) -> Any:
        """The values of these rows; one shard at a time is in memory."""
        if self.domain != "points" or self._is_held:
            return take_rows(self.read(), rows)
        rows = np.arange(self.shape[0])[rows]  # negative numbers, masks and slices
        entry = self._entries()["rows"]
        found = np.empty((len(rows), self.shape[1]), np.dtype(entry.dtype))
        start = 0
        for part in read_shards(self.folder, entry):
            wanted = np.flatnonzero((start <= rows) & (rows < start + len(part)))
            found[wanted] = part[rows[wanted] - start]
            start += len(part)
        return found

    @property
    def _is_held(self) -> bool:
        return self.verified.get(self.folder, self.content) is not None

    def _entries(self) -> Mapping[str, ArrayEntry]:
        manifest = read_manifest(self.folder)
        if manifest.content != self.content:
            raise changed(self.folder / "manifest.json")
        return manifest.arrays

    def _read(self) -> Arrays:
        entries = self._entries()
        return {name: read_array(self.folder, entries[name]) for name in self.arrays}


def read_element(folder: Path, verified: Verified | None = None) -> Representation:
    """A representation whose values stay on the disk until they are loaded."""
    manifest = read_manifest(folder)
    arrays = manifest.arrays
    labels: dict[str, Any] = {
        name: read_array(folder, arrays[name])
        for name in ("ids", "blocks")
        if name in arrays
    }
    labels["fields"] = {
        label: restored(read_array(folder, arrays[entry.array]), as_json=entry.json_)
        for label, entry in sorted(
            manifest.fields.items(), key=lambda item: int(item[1].array[6:])
        )  # JSON sorts the names
    }
    names = tuple(sorted(name for name in arrays if not is_label(name)))
    shape = tuple(manifest.main_array.shape)
    stored = Stored(
        folder,
        manifest.domain,
        (*shape, 1)[:2],
        manifest.content,
        names,
        Verified() if verified is None else verified,
        np.dtype(manifest.main_array.dtype),
    )
    keys = ("model", "layer", "step", "baseline", "twin_of", "meta")
    origin = {key: getattr(manifest, key) for key in keys}
    if manifest.reducer is not None:  # tables name it, since scores depend on it
        origin["meta"] = {**manifest.meta, "reducer": manifest.reducer}
    return Representation(manifest.name, stored, **labels, **origin)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of an element, after a check of its checksum and its schema."""
    path = folder / "manifest.json"
    return parse_manifest(read_text(path), path)


def parse_manifest(text: bytes, where: str | Path) -> Manifest:
    document = parse_object(text, where)
    if document.get("checksum") != checksum(document) or text != json_text(document):
        raise changed(where)
    return validate(Manifest, document, where)


def read_store_file(path: Path) -> None:
    """Check `store.json`."""
    text = read_text(path)
    document = parse_object(text, path)
    validate(StoreFile, document, path)
    if text != json_text(document):
        raise InvalidInput(f"{path} has changed since it was written; restore it.")


def content_of(
    folder: Path, arrays: Mapping[str, ArrayEntry], known: Mapping[str, str] = _NONE
) -> str:
    """sha256 of the values, read back from the disk to check what was written.

    Arrays in `known` were hashed while they were written, and are not read.
    """
    parts = []
    for name in sorted(name for name in arrays if not is_label(name)):
        entry = arrays[name]
        if name in known:
            parts.append(f"{name}={known[name]}")
            continue
        digest = content_digest(entry.dtype, tuple(entry.shape))
        for rows in read_shards(folder, entry):
            digest.update(np.ascontiguousarray(rows).data)
        parts.append(f"{name}={digest.hexdigest()}")
    return hashlib.sha256(" ".join(parts).encode("ascii")).hexdigest()


def content_digest(dtype: str, shape: tuple[int, ...]) -> "hashlib._Hash":
    """The hash of one array in `content`, before its values."""
    return hashlib.sha256(f"{dtype} {shape} ".encode("ascii"))
