"""One entry of the catalog of data sets: facts, where it comes from, how it is read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import InvalidInput
from .._cache import Builder, Cached, cached, folder_of
from .._clients import Progress
from .._dataset import Dataset


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A data set that `load_dataset` knows.

    about
        The content, in a few words.
    source
        Where `fetch_dataset` gets it; empty if only a local copy is accepted.
    license
        License of the data.
    splits
        The first one is the default of `load_dataset`.
    bytes
        Size in the cache; 0 if nothing is stored.
    room
        Bytes that fetching needs on the disk.
    pins
        Known sha256 of the files in the cache. Empty for data that change over time.
    local
        The local files that ``--from`` accepts; empty if it does not accept any.
    """

    name: str
    about: str
    source: str
    license: str
    splits: tuple[str, ...]
    bytes: int = 0
    room: int = 0
    pins: Mapping[str, str] = field(default_factory=dict)
    local: str = ""

    @property
    def stored(self) -> bool:
        """Whether the data set has files in the cache."""
        return self.bytes > 0

    @property
    def folder(self) -> Path:
        """The folder in the cache, which may not exist."""
        return folder_of(self.name)

    @property
    def present(self) -> bool:
        """Whether `load_dataset` finds it; its files are not verified here."""
        return (self.folder / "manifest.json").is_file()

    def download(self, folder: Path, progress: Progress) -> Path:
        """Download into a folder; return the folder of the files for `convert`."""
        raise NotImplementedError

    def fetch(self, folder: Path, out: Builder, progress: Progress) -> None:
        """Download into a folder, and write the arrays."""
        self.convert(self.download(folder, progress), out, progress)

    def convert(self, source: Path, out: Builder, progress: Progress) -> None:
        """Read published files, and write them as arrays."""
        raise NotImplementedError

    def read(self, split: str, **options: Any) -> Dataset:
        """Load one split."""
        raise NotImplementedError

    def files(self) -> Cached:
        return cached(self.name, self.pins, self.source)

    def is_published(self) -> bool:
        """Whether the cached files have the known sha256, as far as there are any."""
        files = self.files().manifest.files
        return all(files.get(file) == sha256 for file, sha256 in self.pins.items())

    def no_options(self, options: Mapping[str, Any]) -> None:
        if options:
            raise InvalidInput(
                f"{self.name} does not have the option {min(options)!r}; omit it."
            )
