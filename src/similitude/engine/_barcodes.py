"""Barcodes of topological measures, in the results folder: `barcodes/<job>.npz`."""

import hashlib
import io
import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .._base import _strict_json
from ..errors import InvalidInput
from ..store import write_atomically
from ._plan import Plan
from ._rows import Row

if TYPE_CHECKING:
    from ._folder import Folder

MOST_PAIRS = 200
FILE_BYTES = 2**28


class KeptBarcodes:
    """The jobs of a run whose barcodes are stored.

    Parameters
    ----------
    folder
        The results folder; without one, barcodes are not stored.
    planned
        The barcodes of its first pairs are stored.
    rows
        The rows of earlier runs. Barcodes that are damaged since are computed again.

    Attributes
    ----------
    damaged
        The jobs whose barcodes are missing, though their rows name them.
    notes
        A sentence that names the damaged files, if there are any.
    """

    def __init__(
        self, folder: "Folder | None", planned: Plan, rows: Mapping[str, Row]
    ) -> None:
        self.folder = folder
        self.first: frozenset[str] = frozenset()
        self.damaged: set[str] = set()
        self.notes: tuple[str, ...] = ()
        if folder is None:
            return
        with_bars = [m for m in planned.statistics if m.offers("barcodes")]
        jobs = (job for measure in with_bars for job in planned.of(measure))
        mains = (job.hash for job in jobs if job.baseline_of is None)
        self.first = frozenset(itertools.islice(mains, MOST_PAIRS))
        self.damaged, note = folder.damaged_barcodes(rows)
        self.notes = (note,) if note else ()

    def wanted(self) -> frozenset[str]:
        """The jobs whose barcodes are computed with their scores."""
        return self.first | self.damaged

    def save(self, job: str, barcodes: dict[str, np.ndarray]) -> str | None:
        """Write the barcodes of a job, and return their checksum for its row."""
        return None if self.folder is None else self.folder.save_barcodes(job, barcodes)


def write_barcodes(folder: Path, job: str, barcodes: dict[str, np.ndarray]) -> str:
    """Write the arrays to a file, and return its checksum for the row of the job."""
    file = io.BytesIO()
    np.savez(file, **barcodes)  # type: ignore[arg-type]
    write_atomically(
        path_of_barcodes(folder, job), lambda out: out.write(file.getbuffer())
    )
    return _checksum(file.getvalue())


def intact(folder: Path, job: str, checksum: str) -> bool:
    """Whether the file of a job is as it was written."""
    return _content(path_of_barcodes(folder, job), checksum) is not None


def read_barcodes(folder: Path, job: str, checksum: str) -> dict[str, np.ndarray]:
    """The arrays of a file, or an error if its checksum differs."""
    path = path_of_barcodes(folder, job)
    content = _content(path, checksum)
    if content is None:
        raise InvalidInput(
            f"{path} is damaged or missing. Run the same comparison with this folder "
            f"again to compute it."
        )
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return dict(arrays)
    except Exception as error:  # other libraries raise any type on damaged files
        raise InvalidInput(f"{path} was not written by similitude.") from error


def path_of_barcodes(folder: Path, job: str) -> Path:
    # Never outside the folder. A damaged job may also contain NUL.
    name = Path(job.replace("\0", "")).name
    return folder / "barcodes" / f"{name}.npz"


def _content(path: Path, checksum: str) -> bytes | None:
    """The bytes of a file, or None if they are damaged."""
    try:
        content = _strict_json.read_limited(path, FILE_BYTES)
    except ValueError:
        return None
    return content if _checksum(content) == checksum else None


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
