"""Parts of long computations in a results folder, until the run is complete."""

import hashlib
import io
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._base._progress import Progress
from ..errors import InvalidInput
from ..store import read_sealed, write_sealed


@dataclass(frozen=True)
class KeptParts:
    """Sealed files in `partial/`, each an array in the format of numpy.

    A damaged file is not used. Copies in worker processes do not report progress.
    """

    folder: Path | None
    progress: Progress | None = None

    def __reduce__(self) -> tuple[type["KeptParts"], tuple[Path | None]]:
        return KeptParts, (self.folder,)

    def load(self, key: Any) -> np.ndarray | None:
        # The key of a short computation is not worth its hash.
        if self.folder is None or not self.folder.is_dir():
            return None
        try:
            content = read_sealed(self._path(key), "remove it")
        except (InvalidInput, OSError):
            return None
        found: np.ndarray = np.load(io.BytesIO(content), allow_pickle=False)
        return found

    def save(self, key: Any, parts: np.ndarray) -> None:
        if self.folder is not None:
            file = io.BytesIO()
            np.save(file, parts, allow_pickle=False)
            write_sealed(self._path(key), file.getvalue())

    def show(self, name: str, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress(name, done, total)

    def clear(self) -> None:
        """Remove all parts; their rows are written."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, key: Any) -> Path:
        assert self.folder is not None
        digest = hashlib.sha256()
        for part in key:
            if isinstance(part, np.ndarray):
                digest.update(f"{part.dtype} {part.shape} ".encode())
                digest.update(np.ascontiguousarray(part).data)
            else:
                digest.update(f"{part!r} ".encode())
        return self.folder / f"{digest.hexdigest()[:32]}.part"
