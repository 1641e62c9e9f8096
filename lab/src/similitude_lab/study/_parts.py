"""Finished parts of a study, kept on disk so that a killed run can resume."""

import contextlib
import io
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from similitude.errors import InvalidInput
from similitude.store import read_sealed, write_sealed

Arrays = Mapping[str, Any]
Progress = Callable[[str, int, int], None]

SECONDS = "_seconds"  # in each file: how long the part took


class Parts:
    """Computes parts of a study once, and reads finished parts from a folder.

    Parameters
    ----------
    folder : Path or None
        The folder of this run. None keeps nothing.
    progress : callable, optional
        Called with the name of the study, the number of finished parts and the total.
    """

    def __init__(self, folder: Path | None, progress: Progress | None = None) -> None:
        self.folder = folder
        self.progress = progress
        self.computed: list[str] = []
        self.read: list[str] = []
        self.total = 0
        self.seconds_read = 0.0  # of computation that was not repeated
        self.seconds_shared = 0.0  # of work that other studies use too

    def expect(self, total: int) -> None:
        """Announce the number of parts, for the progress bar."""
        self.total += total

    def keep(
        self, name: str, compute: Callable[..., Arrays], *given: Any, **options: Any
    ) -> dict[str, np.ndarray]:
        """The arrays of a part: read if it is finished, computed otherwise.

        They are those of ``compute(*given, **options)``.

        `compute` must not draw from a generator that other parts use: a part that is
        read draws nothing. Spawn one generator per part.
        """
        if not re.fullmatch(r"[\w.=,-]+", name):
            raise InvalidInput(f"{name!r} is not a name of a part; use letters.")
        arrays = self._read(name)
        if arrays is None:
            began = time.monotonic()
            made = compute(*given, **options)
            arrays = {key: np.asarray(value) for key, value in made.items()}
            if any(array.dtype == object for array in arrays.values()):
                raise InvalidInput(f"part {name} has values that are not arrays.")
            self._write(name, arrays, time.monotonic() - began)
            self.computed.append(name)
        else:
            self.read.append(name)
        if self.progress is not None:
            done = len(self.computed) + len(self.read)
            self.progress("parts", done, max(self.total, done))
        return arrays

    @contextlib.contextmanager
    def not_counted(self) -> Iterator[None]:
        """Exclude a block from the duration of the study."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.seconds_shared += time.monotonic() - began

    def path(self, name: str) -> Path:
        """A path for other files of this run; `clear` removes them."""
        if self.folder is None:
            raise InvalidInput("these parts have no folder; give one.")
        return self.folder / name

    def _read(self, name: str) -> dict[str, np.ndarray] | None:
        if self.folder is None:
            return None
        try:
            content = read_sealed(self.folder / f"{name}.npz", "it is computed again")
        except (OSError, InvalidInput):
            return None  # missing or damaged: it is computed again
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
        self.seconds_read += float(arrays.pop(SECONDS))
        return arrays

    def _write(self, name: str, arrays: dict[str, np.ndarray], seconds: float) -> None:
        if self.folder is not None:
            file = io.BytesIO()
            content: dict[str, Any] = {**arrays, SECONDS: np.float64(seconds)}
            np.savez(file, **content)
            write_sealed(self.folder / f"{name}.npz", file.getvalue())

    def clear(self) -> None:
        """Delete the finished parts, and their folder if nothing else is in it."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
            with contextlib.suppress(OSError):
                self.folder.parent.rmdir()
