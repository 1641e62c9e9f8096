"""Reading one element: its manifest is checked, its values are loaded on demand."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ..inputs import Outputs, SoftmaxModel
from ..representation import Domain, Representation
from ._manifest import SCHEMA, checksum, read_shard


@dataclass(frozen=True)
class Stored:
    """Values in a store, loaded on demand."""

    folder: Path
    domain: Domain
    shape: tuple[int, ...]
    content: str
    arrays: tuple[str, ...]
    mmap: bool = True

    def read(self) -> Any:
        entries = read_manifest(self.folder)["arrays"]
        values = {
            name: read_array(self.folder, entries[name], mmap=self.mmap)
            for name in self.arrays
        }
        if self.domain == "outputs":
            return Outputs(**values)
        if self.domain == "softmax":
            return SoftmaxModel(**values)
        return values["rows"]


def read_element(
    folder: Path, manifest: Mapping[str, Any] | None = None, *, mmap: bool = True
) -> Representation:
    """A representation whose values stay on the disk until they are loaded."""
    manifest = read_manifest(folder) if manifest is None else manifest
    try:
        arrays = manifest["arrays"]
        labels: dict[str, Any] = {
            name: read_array(folder, arrays[name], mmap=False)
            for name in ("ids", "blocks")
            if name in arrays
        }
        names = tuple(sorted(arrays.keys() - {"ids", "blocks"}))
        shape, content = _shape(arrays), manifest["content"]
        stored = Stored(folder, manifest["domain"], shape, content, names, mmap)
        keys = ("model", "layer", "step", "baseline", "twin_of")
        origin = {key: manifest.get(key) for key in keys}
        return Representation(
            manifest["name"], stored, **labels, **origin, meta=manifest.get("meta", {})
        )
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise InvalidInput(
            f"{folder / 'manifest.json'} does not follow FORMAT.md: {error!r}."
        ) from error


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of an element, after a check of its checksum."""
    path = folder / "manifest.json"
    manifest = read_json(path)
    if manifest.get("checksum") != checksum(manifest):
        raise InvalidInput(
            f"{path} has changed since it was written; `similitude store verify` lists "
            f"all changed files. Remove the element, and add it again."
        )
    return manifest


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object with a supported schema, or raise an error with the reason."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path} is damaged: {error}.") from error
    schema = document.get("schema") if isinstance(document, dict) else None
    if type(schema) is not int or schema != SCHEMA:  # True == 1 must not pass
        raise InvalidInput(
            f"{path} has schema {schema!r}, but this version reads schema {SCHEMA}. "
            f"Update similitude, or restore the file."
        )
    return document


def read_array(folder: Path, entry: Mapping[str, Any], *, mmap: bool) -> np.ndarray:
    """Read the shards of one array; a single shard is memory-mapped if `mmap`."""
    dtype, shape = np.dtype(entry["dtype"]), tuple(entry["shape"])
    parts = []
    for shard in entry["shards"]:
        path = folder / Path(shard["file"]).name  # never read outside the folder
        try:
            part = read_shard(path)
        except Exception as error:  # numpy raises many types on damaged headers
            raise InvalidInput(f"{path} cannot be read: {error}.") from error
        if part.dtype != dtype or part.shape != (shard["rows"], *shape[1:]):
            raise InvalidInput(
                f"{path} has shape {part.shape} and dtype {part.dtype}, which differs "
                f"from its manifest."
            )
        parts.append(part)
    if sum(len(part) for part in parts) != shape[0]:
        raise InvalidInput(f"{folder}: the shards do not add up to {shape[0]} rows.")
    if len(parts) == 1:
        return parts[0] if mmap else np.array(parts[0])
    return np.concatenate(parts)


def _shape(arrays: Mapping[str, Any]) -> tuple[int, ...]:
    """n x d of the array that is compared."""
    for name in ("rows", "embeddings", "log_probs"):
        if name in arrays:
            return tuple(arrays[name]["shape"])
    return (arrays["labels"]["shape"][0], 1)
