"""The store: a folder of elements that can be listed, read, checked and removed."""

import json
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ..inputs import Outputs, SoftmaxModel
from ..representation import Representation, Role, arrays_of
from ._element import (
    SCHEMA,
    Writer,
    checksum,
    content_of,
    flush,
    manifest_text,
    read_shard,
    sha256,
    sync_folder,
)


@dataclass(frozen=True)
class Stored:
    """Values in a store, read when they are asked for."""

    folder: Path
    role: Role
    shape: tuple[int, ...]
    content: str
    arrays: tuple[str, ...]
    mmap: bool = True

    def read(self) -> Any:
        folder, mmap = self.folder, self.mmap
        values = {name: _array(folder, name, mmap=mmap) for name in self.arrays}
        if self.role == "outputs":
            return Outputs(**values)
        if self.role == "softmax":
            return SoftmaxModel(**values)
        return values["rows"]


@dataclass(frozen=True)
class Store:
    """Representations in a folder; `open_store` makes one.

    Elements are whole or absent, never changed, and carry the sha256 of every file.
    """

    path: Path

    @property
    def elements(self) -> Path:
        return self.path / "elements"

    def ids(self) -> list[str]:
        """The ids of all elements, sorted."""
        return sorted(
            folder.name
            for folder in self.elements.iterdir()
            if not folder.name.startswith(".") and (folder / "manifest.json").exists()
        )

    def manifest(self, element: str) -> dict[str, Any]:
        return _manifest(self._folder(element))

    def get(self, element: str, *, mmap: bool = True) -> Representation:
        """One representation; its values stay on the disk until they are loaded."""
        folder = self._folder(element)
        about = _manifest(folder)
        arrays = about["arrays"]
        labels: dict[str, Any] = {
            what: _array(folder, what, mmap=False)
            for what in ("ids", "blocks")
            if what in arrays
        }
        names = tuple(sorted(arrays.keys() - {"ids", "blocks"}))
        stored = Stored(
            folder, about["role"], _shape(about), about["content"], names, mmap
        )
        where = {key: about.get(key) for key in ("model", "layer", "step")}
        return Representation(
            about["name"], stored, **labels, **where, meta=about.get("meta", {})
        )

    def select(
        self, *, model: str | None = None, layer: str | None = None
    ) -> list[Representation]:
        """All representations of a model or a layer, or of both; all, by default."""
        wanted = {"model": model, "layer": layer}
        chosen = [
            element
            for element in self.ids()
            if all(
                value is None or self.manifest(element).get(key) == value
                for key, value in wanted.items()
            )
        ]
        return [self.get(element) for element in chosen]

    def put(self, representation: Representation, **about: Any) -> str:
        """Store a representation; its id. What is already there is not written again.

        `about` goes into the manifest: ``data=`` (the fingerprint of the data set),
        ``reducer=`` (how other axes were pooled).
        """
        with self.writer(representation, **about) as writer:
            for name, array in arrays_of(representation.load()):
                writer.append(array, name)
            for name in ("ids", "blocks"):
                if getattr(representation, name) is not None:
                    writer.append(getattr(representation, name), name)
            return writer.commit(representation.role)

    def writer(self, key: Representation | str, **about: Any) -> Writer:
        """A writer for rows that come in parts; use it in a `with`, then `commit`."""
        if isinstance(key, str):
            return Writer(self.elements, key, **about)
        known = {
            name: getattr(key, name)
            for name in ("model", "layer", "step")
            if getattr(key, name) is not None
        }
        if key.meta:
            known["meta"] = dict(key.meta)
        return Writer(self.elements, key.name, **known, **about)

    def remove(self, element: str) -> None:
        """Forget an element; in one step, so that nobody sees half of it."""
        folder = self._folder(element)
        hidden = folder.with_name(f".removing-{secrets.token_hex(8)}")
        folder.rename(hidden)
        shutil.rmtree(hidden)

    def verify(self) -> list[str]:
        """What is wrong, one sentence each; empty if every bit is as it was written."""
        return [p for element in self.ids() for p in self._problems(element)]

    def leftovers(self) -> list[Path]:
        """Folders of writers that did not finish; harmless, and nobody reads them."""
        return sorted(p for p in self.elements.iterdir() if p.name.startswith("."))

    def _problems(self, element: str) -> list[str]:
        folder = self._folder(element)
        try:
            about = _manifest(folder)
            arrays = about["arrays"]
            shards = [shard for array in arrays.values() for shard in array["shards"]]
            for shard in shards:
                path = folder / shard["file"]
                if not path.exists():
                    return [f"{element}: {shard['file']} is missing"]
                if sha256(path) != shard["sha256"]:
                    return [f"{element}: {shard['file']} is not what was written"]
            if content_of(folder, arrays) != about["content"]:
                return [f"{element}: manifest.json does not describe its arrays"]
            text = (folder / "manifest.json").read_text()
            if about["checksum"] != checksum(about) or text != manifest_text(about):
                return [f"{element}: manifest.json is not what was written"]
        except (InvalidInput, KeyError, TypeError, ValueError, OSError) as error:
            return [f"{element}: {error or type(error).__name__}"]
        return []

    def _folder(self, element: str) -> Path:
        folder = self.elements / element
        if element.startswith(".") or not (folder / "manifest.json").exists():
            raise InvalidInput(
                f"there is no element {element!r} in {self.path}; "
                f"`similitude store list {self.path}` shows what there is."
            )
        return folder


def open_store(path: str | Path, *, create: bool = False) -> Store:
    """The store in a folder; with `create`, a new one where there is none."""
    path = Path(path)
    index = path / "store.json"
    if not index.exists():
        if not create:
            raise InvalidInput(
                f"{path} is not a store: it has no store.json. `similitude store add` "
                f"makes one, as open_store(..., create=True) does."
            )
        (path / "elements").mkdir(parents=True, exist_ok=True)
        temporary = path / ".store.json"
        with temporary.open("w") as file:
            json.dump({"schema": SCHEMA}, file)
            flush(file)
        temporary.replace(index)
        sync_folder(path)
    _read_json(index)
    return Store(path)


def _manifest(folder: Path) -> dict[str, Any]:
    return _read_json(folder / "manifest.json")


def _read_json(path: Path) -> dict[str, Any]:
    """A document of our schema, or an error that says what is wrong with it."""
    try:
        document = json.loads(path.read_text())
    except ValueError as error:
        raise InvalidInput(f"{path} is damaged: {error}.") from error
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != SCHEMA:
        raise InvalidInput(
            f"{path} has schema {schema!r}, and this version reads {SCHEMA}. "
            f"Update similitude, or restore the file."
        )
    return document


def _shape(about: dict[str, Any]) -> tuple[int, ...]:
    """n x d of what is compared."""
    arrays = about["arrays"]
    for name in ("rows", "embeddings", "log_probs"):
        if name in arrays:
            return tuple(arrays[name]["shape"])
    return (arrays["labels"]["shape"][0], 1)


def _array(folder: Path, name: str, *, mmap: bool) -> np.ndarray:
    shards = _manifest(folder)["arrays"][name]["shards"]
    parts = [read_shard(folder / shard["file"]) for shard in shards]
    if len(parts) == 1:
        return parts[0] if mmap else np.array(parts[0])
    return np.concatenate(parts)
