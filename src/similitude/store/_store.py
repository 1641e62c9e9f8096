"""The store: a folder of elements that can be listed, read, checked and removed."""

import json
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._printable import printable
from ..errors import InvalidInput
from ..representation import Representation, arrays_of
from ._element import Writer
from ._manifest import SCHEMA, checksum, content_of, manifest_text, sha256
from ._reading import read_element, read_json, read_manifest
from ._atomic import write_atomically


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
        return read_manifest(self._folder(element))

    def get(self, element: str, *, mmap: bool = True) -> Representation:
        """One representation; its values stay on the disk until they are loaded."""
        return read_element(self._folder(element), mmap=mmap)

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
            return writer.commit(representation.domain)

    def writer(self, key: Representation | str, **about: Any) -> Writer:
        """A writer for rows that come in parts; use it in a `with`, then `commit`."""
        if isinstance(key, str):
            return Writer(self.elements, key, **about)
        known = {
            name: getattr(key, name)
            for name in ("model", "layer", "step", "baseline", "twin_of")
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
        try:
            problem = _first_problem(self._folder(element))
        except Exception as error:  # bytes that are wrong raise anything
            problem = printable(str(error) or type(error).__name__)
        return [f"{element}: {problem}"] if problem else []

    def _folder(self, element: str) -> Path:
        folder = self.elements / element
        inside = Path(element).name == element and not element.startswith(".")
        if not inside or not (folder / "manifest.json").exists():
            raise InvalidInput(
                f"there is no element {element!r} in {self.path}; "
                f"`similitude store list {self.path}` shows what there is."
            )
        return folder


def _first_problem(folder: Path) -> str | None:
    about = read_json(folder / "manifest.json")
    arrays = about["arrays"]
    for shard in [shard for array in arrays.values() for shard in array["shards"]]:
        path = folder / Path(shard["file"]).name
        if not path.exists():
            return f"{path.name} is missing"
        if sha256(path) != shard["sha256"]:
            return f"{path.name} is not what was written"
    if content_of(folder, arrays) != about["content"]:
        return "manifest.json does not describe its arrays"
    text = (folder / "manifest.json").read_bytes()
    if about["checksum"] != checksum(about) or text != manifest_text(about).encode():
        return "manifest.json is not what was written"
    read_element(folder)
    return None


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
        if path.exists() and not path.is_dir():
            raise InvalidInput(f"{path} is no folder, and a store is one.")
        (path / "elements").mkdir(parents=True, exist_ok=True)
        text = json.dumps({"schema": SCHEMA})
        write_atomically(index, lambda file: file.write(text.encode()))
    read_json(index)
    return Store(path)
