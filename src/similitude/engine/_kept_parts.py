"""Parts of long computations in a results folder, until the run is complete."""

import hashlib
import io
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._progress import Progress
from ..store import write_atomically


@dataclass(frozen=True)
class KeptParts:
    """Files in `partial/`: a sha256, and the array in the format of numpy.

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
            content = self._path(key).read_bytes()
        except OSError:
            return None
        digest, array = content[:32], content[32:]
        if hashlib.sha256(array).digest() != digest:
            return None
        found: np.ndarray = np.load(io.BytesIO(array), allow_pickle=False)
        return found

    def save(self, key: Any, parts: np.ndarray) -> None:
        if self.folder is None:
            return
        file = io.BytesIO()
        np.save(file, parts, allow_pickle=False)
        array = file.getvalue()
        content = hashlib.sha256(array).digest() + array
        write_atomically(self._path(key), lambda file: file.write(content))

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
