"""One element, read: its manifest, checked, and its values, when they are asked for."""

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
    """Values in a store, read when they are asked for."""

    folder: Path
    domain: Domain
    shape: tuple[int, ...]
    content: str
    arrays: tuple[str, ...]
    mmap: bool = True

    def read(self) -> Any:
        about = read_manifest(self.folder)["arrays"]
        values = {
            name: read_array(self.folder, about[name], mmap=self.mmap)
            for name in self.arrays
        }
        if self.domain == "outputs":
            return Outputs(**values)
        if self.domain == "softmax":
            return SoftmaxModel(**values)
        return values["rows"]


def read_element(
    folder: Path, about: Mapping[str, Any] | None = None, *, mmap: bool = True
) -> Representation:
    """A representation whose values stay on the disk until they are loaded."""
    about = read_manifest(folder) if about is None else about
    try:
        arrays = about["arrays"]
        labels: dict[str, Any] = {
            what: read_array(folder, arrays[what], mmap=False)
            for what in ("ids", "blocks")
            if what in arrays
        }
        names = tuple(sorted(arrays.keys() - {"ids", "blocks"}))
        shape, content = _shape(arrays), about["content"]
        stored = Stored(folder, about["domain"], shape, content, names, mmap)
        known = ("model", "layer", "step", "baseline", "twin_of")
        where = {key: about.get(key) for key in known}
        return Representation(
            about["name"], stored, **labels, **where, meta=about.get("meta", {})
        )
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise InvalidInput(
            f"{folder / 'manifest.json'} is not as FORMAT.md has it: {error!r}."
        ) from error


def read_manifest(folder: Path) -> dict[str, Any]:
    """What an element says of itself, every bit of it as it was written."""
    path = folder / "manifest.json"
    about = read_json(path)
    if about.get("checksum") != checksum(about):
        raise InvalidInput(
            f"{path} is not what was written; `similitude store verify` says what else "
            f"is not. Remove the element, and add it again."
        )
    return about


def read_json(path: Path) -> dict[str, Any]:
    """A document of our schema, or an error that says what is wrong with it."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path} is damaged: {error}.") from error
    schema = document.get("schema") if isinstance(document, dict) else None
    if type(schema) is not int or schema != SCHEMA:  # True is 1, too
        raise InvalidInput(
            f"{path} has schema {schema!r}, and this version reads {SCHEMA}. "
            f"Update similitude, or restore the file."
        )
    return document


def read_array(folder: Path, about: Mapping[str, Any], *, mmap: bool) -> np.ndarray:
    """The shards of one array, mapped where there is a single one."""
    dtype, shape = np.dtype(about["dtype"]), tuple(about["shape"])
    parts = []
    for shard in about["shards"]:
        path = folder / Path(shard["file"]).name  # nothing outside is an array of it
        try:
            part = read_shard(path)
        except Exception as error:  # numpy raises many kinds on bad headers
            raise InvalidInput(f"{path} cannot be read: {error}.") from error
        if part.dtype != dtype or part.shape != (shard["rows"], *shape[1:]):
            raise InvalidInput(
                f"{path} has shape {part.shape} and dtype {part.dtype}, which is not "
                f"what its manifest says."
            )
        parts.append(part)
    if sum(len(part) for part in parts) != shape[0]:
        raise InvalidInput(f"{folder}: the shards do not have {shape[0]} rows.")
    if len(parts) == 1:
        return parts[0] if mmap else np.array(parts[0])
    return np.concatenate(parts)


def _shape(arrays: Mapping[str, Any]) -> tuple[int, ...]:
    """n x d of what is compared."""
    for name in ("rows", "embeddings", "log_probs"):
        if name in arrays:
            return tuple(arrays[name]["shape"])
    return (arrays["labels"]["shape"][0], 1)
