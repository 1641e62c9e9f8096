"""Reading a cached data set: every file is verified before it is used."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...._base import _config
from ....errors import InvalidInput, MissingData
from ....representation import fingerprint
from ._manifest import Manifest, digest, work


def root() -> Path:
    """The folder of all data sets."""
    return Path(_config.current().cache_dir) / "data"


def folder_of(name: str) -> Path:
    """The folder of a data set, which may not exist."""
    return root() / name


def cached(
    name: str, pins: Mapping[str, str], source: str, *, kind: str = "data set"
) -> "Cached":
    """The files of an entry, or an error that names the command to fetch it."""
    folder = folder_of(name)
    manifest = work(folder).manifest()
    if manifest is None:
        raise MissingData(
            f"the {kind} {name} is not in {root()}; run `similitude data fetch {name}`."
        )
    # Files from the known source must also be those that this version knows.
    if manifest.source == source:
        wrong = [file for file in pins if manifest.files.get(file) != pins[file]]
        if wrong:
            raise InvalidInput(
                f"{folder / wrong[0]} is not the file of {source}. {_remedy(name)}"
            )
    return Cached(name, folder, manifest)


class Cached:
    """The verified files of one data set."""

    def __init__(self, name: str, folder: Path, manifest: Manifest) -> None:
        self.name, self.folder, self.manifest = name, folder, manifest

    def array(self, file: str) -> np.ndarray:
        """A read-only memory map of an .npy file whose sha256 matches."""
        path = self._path(file)
        try:
            array = np.load(path, mmap_mode="r", allow_pickle=False)
        except Exception as error:  # parsing a damaged header can raise any exception
            raise self.damage(path) from error
        if fingerprint(array) != self.manifest.files[file]:
            raise self.damage(path)
        return array

    def lines(self, file: str) -> list[Any]:
        """The lines of a .jsonl file whose sha256 matches."""
        path = self._path(file)
        if digest(path) != self.manifest.files[file]:
            raise self.damage(path)
        with path.open(encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    def has(self, file: str) -> bool:
        return file in self.manifest.files

    def damaged(self) -> list[Path]:
        """The files whose sha256 does not match, or that are missing."""
        found = []
        for file, expected in self.manifest.files.items():
            path = self.folder / file
            try:
                sound = digest(path) == expected
            except Exception:  # as above
                sound = False
            if not sound:
                found.append(path)
        return found

    def _path(self, file: str) -> Path:
        path = self.folder / file
        if not self.has(file) or not path.is_file():
            raise InvalidInput(f"{path} is missing. {_remedy(self.name)}")
        return path

    def damage(self, path: Path) -> InvalidInput:
        """The error of a damaged file."""
        return InvalidInput(
            f"{path} is damaged: its sha256 does not match. {_remedy(self.name)}"
        )


def _remedy(name: str) -> str:
    return f"To replace it, run `similitude data fetch {name}`."
