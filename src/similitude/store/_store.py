"""The store: a folder of elements, with methods to list, read, verify and remove."""

import json
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._printable import printable
from ..errors import InvalidInput
from ..representation import Representation, arrays_of
from ._atomic import write_atomically
from ._element import Writer
from ._manifest import SCHEMA, checksum, content_of, manifest_text, sha256
from ._reading import read_element, read_json, read_manifest


@dataclass(frozen=True)
class Store:
    """A folder of representations, opened by `open_store`.

    Elements are written atomically and never changed. Each one lists the sha256 of its
    files.
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
        return read_manifest(self._folder(element))

    def get(self, element: str, *, mmap: bool = True) -> Representation:
        """Get one representation. Its values stay on the disk until they are loaded."""
        return read_element(self._folder(element), mmap=mmap)

    def select(
        self, *, model: str | None = None, layer: str | None = None
    ) -> list[Representation]:
        """All representations, or those with this model, this layer, or both."""
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

    def put(self, representation: Representation, **fields: Any) -> str:
        """Store a representation, unless it is stored already. Return its id.

        `fields` are added to the manifest: ``data=`` (the fingerprint of the data set),
        ``reducer=`` (how other axes were pooled).
        """
        with self.writer(representation, **fields) as writer:
            for name, array in arrays_of(representation.load()):
                writer.append(array, name)
            for name in ("ids", "blocks"):
                if getattr(representation, name) is not None:
                    writer.append(getattr(representation, name), name)
            return writer.commit(representation.domain)

    def writer(self, key: Representation | str, **fields: Any) -> Writer:
        """A writer for rows that arrive in parts. Use it in a `with`, then `commit`."""
        if isinstance(key, str):
            return Writer(self.elements, key, **fields)
        origin = {
            name: getattr(key, name)
            for name in ("model", "layer", "step", "baseline", "twin_of")
            if getattr(key, name) is not None
        }
        if key.meta:
            origin["meta"] = dict(key.meta)
        return Writer(self.elements, key.name, **origin, **fields)

    def remove(self, element: str) -> None:
        """Remove an element. Readers never see a part of it."""
        folder = self._folder(element)
        hidden = folder.with_name(f".removing-{secrets.token_hex(8)}")
        folder.rename(hidden)
        shutil.rmtree(hidden)

    def verify(self) -> list[str]:
        """Check every file, and list the problems, one sentence each."""
        return [p for element in self.ids() for p in self._problems(element)]

    def leftovers(self) -> list[Path]:
        """Folders of unfinished writers. They are harmless, and readers ignore them."""
        return sorted(p for p in self.elements.iterdir() if p.name.startswith("."))

    def _problems(self, element: str) -> list[str]:
        try:
            problem = _first_problem(self._folder(element))
        except Exception as error:  # damaged files raise any type of error
            problem = printable(str(error) or type(error).__name__)
        return [f"{element}: {problem}"] if problem else []

    def _folder(self, element: str) -> Path:
        folder = self.elements / element
        inside = Path(element).name == element and not element.startswith(".")
        if not inside or not (folder / "manifest.json").exists():
            raise InvalidInput(
                f"there is no element {element!r} in {self.path}; "
                f"`similitude store list {self.path}` lists the elements."
            )
        return folder


def _first_problem(folder: Path) -> str | None:
    manifest = read_json(folder / "manifest.json")
    arrays = manifest["arrays"]
    for shard in [shard for array in arrays.values() for shard in array["shards"]]:
        path = folder / Path(shard["file"]).name
        if not path.exists():
            return f"{path.name} is missing"
        if sha256(path) != shard["sha256"]:
            return f"{path.name} has changed since it was written"
    if content_of(folder, arrays) != manifest["content"]:
        return "manifest.json does not describe its arrays"
    text, expected = (folder / "manifest.json").read_bytes(), manifest_text(manifest)
    if manifest["checksum"] != checksum(manifest) or text != expected.encode():
        return "manifest.json has changed since it was written"
    read_element(folder)
    return None


def open_store(path: str | Path, *, create: bool = False) -> Store:
    """Open the store in a folder. With `create`, make a new one if it is missing."""
    path = Path(path)
    index = path / "store.json"
    if not index.exists():
        if not create:
            raise InvalidInput(
                f"{path} is not a store: store.json is missing. Create a store with "
                f"`similitude store add` or open_store(..., create=True)."
            )
        if path.exists() and not path.is_dir():
            raise InvalidInput(f"{path} is not a folder; give the folder of a store.")
        (path / "elements").mkdir(parents=True, exist_ok=True)
        text = json.dumps({"schema": SCHEMA})
        write_atomically(index, lambda file: file.write(text.encode()))
    read_json(index)
    return Store(path)
