"""An entry of the cache, a data set or an encoder: facts, source, and files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from ._cache import Builder, Cached, cached, folder_of
from ._clients import Progress


def known_files(name: str) -> dict[str, str]:
    """The known sha256 of the files of an entry, from `pins.sha256`."""
    words = (Path(__file__).parent / "pins.sha256").read_text("ascii").split()
    found = dict(zip(words[1::2], words[::2], strict=True))
    start = f"{name}/"
    return {k.removeprefix(start): v for k, v in found.items() if k.startswith(start)}


@dataclass(frozen=True, kw_only=True)
class CacheEntry:
    """Files that `similitude data fetch` puts into the cache.

    about
        The content, in a few words.
    source
        Where it is downloaded; empty if only a local copy is accepted.
    license
        License of the data or weights.
    bytes
        Size in the cache; 0 if nothing is stored.
    room
        Bytes that fetching needs on the disk.
    pins
        Known sha256 of the files in the cache. Empty for data that change over time.
    local
        The local files that ``--from`` accepts; empty if it does not accept any.
    """

    kind: ClassVar[str]

    name: str
    about: str
    source: str
    license: str
    bytes: int = 0
    room: int = 0
    pins: Mapping[str, str] = field(default_factory=dict)
    local: str = ""

    @property
    def stored(self) -> bool:
        """Whether it has files in the cache."""
        return self.bytes > 0

    @property
    def folder(self) -> Path:
        """The folder in the cache, which may not exist."""
        return folder_of(self.name)

    @property
    def present(self) -> bool:
        """Whether the cache has it; its files are not verified here."""
        return (self.folder / "manifest.json").is_file()

    def download(self, folder: Path, progress: Progress) -> Path:
        """Download into a folder; return the path of the files for `convert`."""
        raise NotImplementedError

    def fetch(self, folder: Path, out: Builder, progress: Progress) -> None:
        """Download into a folder, and write the files of the cache."""
        self.convert(self.download(folder, progress), out, progress)

    def convert(self, source: Path, out: Builder, progress: Progress) -> None:
        """Read published files, and write the files of the cache."""
        raise NotImplementedError

    def files(self) -> Cached:
        return cached(self.name, self.pins, self.source, kind=self.kind)

    def is_published(self) -> bool:
        """Whether the cached files have the known sha256, as far as there are any."""
        files = self.files().manifest.files
        return all(files.get(file) == sha256 for file, sha256 in self.pins.items())
