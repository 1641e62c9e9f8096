"""The store: a folder of elements, with methods to list, read, verify and remove."""

import secrets
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .._base._printable import printable
from ..errors import InvalidInput
from ..representation import Representation, arrays_of
from ._atomic import check_writable, write_atomically
from ._element import Writer
from ._fields import described, stored
from ._json import SCHEMA, json_text
from ._order import Places, in_order
from ._reading import content_of, read_element, read_manifest, read_store_file
from ._resumable import ResumableWriter
from ._schema import Extraction
from ._verified import Verified


@dataclass(frozen=True, repr=False)
class Store:
    """A folder of representations, opened by `open_store`.

    Elements are written atomically and never changed. Each one lists the sha256 of its
    files, which every read verifies.
    """

    path: Path
    _verified: Verified = field(
        default_factory=Verified, init=False, compare=False, repr=False
    )

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r}, {len(self.ids())} representations)"

    @property
    def elements(self) -> Path:
        return self.path / "elements"

    @property
    def places(self) -> Places:
        """The places of elements in the forward pass of their model."""
        return Places(self.path)

    def ids(self) -> list[str]:
        """The ids of all elements, sorted."""
        return sorted(
            folder.name
            for folder in self.elements.iterdir()
            if not folder.name.startswith(".") and (folder / "manifest.json").exists()
        )

    def manifest(self, element: str) -> dict[str, Any]:
        """The manifest of one element, with the keys that it has."""
        found = read_manifest(self.folder(element))
        return found.model_dump(by_alias=True, exclude_unset=True)

    def get(self, element: str) -> Representation:
        """Get one representation. Its values stay on the disk until they are loaded.

        `load` reads the values into memory, and verifies the bytes in memory. Values
        up to a sixteenth of the memory budget stay there for the next `load`.
        """
        return read_element(self.folder(element), self._verified)

    def select(
        self, *, model: str | None = None, layer: str | None = None
    ) -> list[Representation]:
        """All representations, or those with this model, this layer, or both.

        The layers of a model are in the order in which they run, if `extract` or
        `Monitor` stored it, and otherwise in natural order.
        """
        wanted = {"model": model, "layer": layer}
        chosen = [
            element
            for element in self.ids()
            if all(
                value is None or self.manifest(element).get(key) == value
                for key, value in wanted.items()
            )
        ]
        return [rep for _, rep in self.ordered(chosen)]

    def ordered(self, elements: Iterable[str]) -> list[tuple[str, Representation]]:
        """Ids and representations of elements, in the order of `select`."""
        found = ((element, self.get(element)) for element in elements)
        return in_order(found, self.places.read())

    def find(self, extraction: Extraction | Mapping[str, Any]) -> list[str]:
        """The ids of elements that were extracted with exactly these fields.

        `extraction` is a whole `Extraction`, or some of its fields.
        """
        if isinstance(extraction, Extraction):
            extraction = extraction.model_dump()
        found = []
        for element in self.ids():
            fields = self.manifest(element).get("extraction")
            if fields is not None and all(
                fields[key] == value for key, value in extraction.items()
            ):
                found.append(element)
        return found

    def put(self, representation: Representation, **fields: Any) -> str:
        """Store a representation, unless it is stored already. Return its id.

        `fields` are added to the manifest: ``data=`` (the fingerprint of the data set),
        ``reducer=`` (how other axes were pooled), ``extraction=`` (an `Extraction`, or
        a mapping of its fields). They are part of the id.
        """
        extra = described(representation.fields)
        with self.writer(representation, fields=extra, **fields) as writer:
            for name, array in arrays_of(representation.load()):
                writer.append(array, name)
            for name, array in stored(representation.fields):
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

    def resumable(self, key: str) -> ResumableWriter:
        """A writer of several elements whose rows arrive in batches.

        A writer with the same `key` (letters, digits and `-`) continues after the last
        complete batch of a writer that was killed.
        """
        return ResumableWriter(self.elements, key)

    def remove(self, element: str) -> None:
        """Remove an element. Readers never see a part of it."""
        folder = self.folder(element)
        hidden = folder.with_name(f".removing-{secrets.token_hex(8)}")
        folder.rename(hidden)
        shutil.rmtree(hidden)
        self.places.remove(element)

    def verify(self) -> list[str]:
        """Check every file, and list the problems, one sentence each."""
        return [p for element in self.ids() for p in self._problems(element)]

    def leftovers(self) -> list[Path]:
        """Folders of unfinished writers. They are harmless, and readers ignore them."""
        return sorted(p for p in self.elements.iterdir() if p.name.startswith("."))

    def _problems(self, element: str) -> list[str]:
        folder = self.folder(element)
        try:
            read_element(folder)  # verifies ids and blocks
            manifest = read_manifest(folder)
            if content_of(folder, manifest.arrays) == manifest.content:
                return []
            problem = "manifest.json does not describe its arrays."
        except Exception as error:  # damaged files raise any type of error
            problem = printable(str(error) or type(error).__name__, 1000)
        return [f"{element}: {problem}"]

    def folder(self, element: str) -> Path:
        """The folder of an element, which may be damaged."""
        folder = self.elements / element
        inside = Path(element).name == element and not element.startswith(".")
        if not inside or not (folder / "manifest.json").exists():
            raise InvalidInput(
                f"there is no element {element!r} in {self.path}; "
                f"`similitude store list {self.path}` lists the elements."
            )
        return folder


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
        check_writable(path)
        (path / "elements").mkdir(parents=True, exist_ok=True)
        text = json_text({"schema": SCHEMA})
        write_atomically(index, lambda file: file.write(text))
    read_store_file(index)
    return Store(path)
