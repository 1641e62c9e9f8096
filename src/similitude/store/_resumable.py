"""Writing several elements batch by batch, with a journal to resume from."""

import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterable, Mapping, Set
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ..representation import Representation
from ._element import Writer, sync_folder
from ._shard_file import ShardFiles, write_all
from ._work import locked

SYNC_SECONDS = 5.0  # between flushes to the disk; a kill alone loses nothing


@dataclass(frozen=True)
class Rows:
    """Shape and dtype of all rows of one element."""

    count: int
    width: int
    dtype: str


class ResumableWriter:
    """Writes the rows of several elements; `commit` adds one element to the store.

    After each batch, one line of a journal says how many rows are complete. A killed
    writer leaves the rows and the journal in a folder that readers ignore. The next
    writer with the same key verifies the rows and continues after the last line.
    """

    def __init__(self, elements: Path, key: str) -> None:
        self.store = elements.parent
        self._elements = elements
        self._folder = elements / f".resumable-{key}"
        self._files: dict[str, ShardFiles] = {}
        self._journal: Any = None
        self._lock = ExitStack()
        self._synced = time.monotonic()

    def __enter__(self) -> "ResumableWriter":
        busy = InvalidInput(
            f"another process writes the same elements to {self.store}; wait until it "
            f"has finished."
        )
        self._lock.enter_context(locked(self._folder / "lock", busy))
        return self

    def __exit__(self, error: type | None, *_: object) -> None:
        self._close()
        if error is None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._lock.close()

    def _close(self) -> None:
        for file in self._files.values():
            file.close()
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def start(
        self, elements: Mapping[str, Rows], stored: Set[str] = frozenset()
    ) -> int:
        """Open the files, and return the number of batches that are complete.

        Elements in `stored` were committed by the writer that was killed; their rows
        are no longer here.
        """
        path = self._folder / "journal"
        first, *lines = _lines(path) or [{}]
        plan = {key: asdict(rows) for key, rows in elements.items()}
        done = 0
        if plan.items() <= first.get("plan", {}).items() and lines:
            self._files = self._shards(elements, first["plan"])
            done = self._resume(lines, stored)
        if not done:
            self._close()
            self._remove_rows()
            self._files = self._shards(elements, plan)
            for file in self._files.values():
                file.folder.mkdir()
            sync_folder(self._folder)
            self._journal = path.open("wb", buffering=0)
            self._write({"plan": plan})
            return 0
        _truncate_torn_line(path)
        self._journal = path.open("ab", buffering=0)
        return done

    def append(self, rows: Mapping[str, np.ndarray]) -> None:
        """Append the rows of one batch to every element."""
        closed = {key: self._files[key].append(array) for key, array in rows.items()}
        line = {
            "rows": {key: file.done for key, file in self._files.items()},
            "closed": {key: hashes for key, hashes in closed.items() if hashes},
            "open": {key: file.open_digest() for key, file in self._files.items()},
        }
        if time.monotonic() - self._synced > SYNC_SECONDS:
            for file in self._files.values():
                file.sync()
            os.fsync(self._journal.fileno())
            self._synced = time.monotonic()
        self._write(line)

    def commit(self, key: str, rep: Representation, **fields: Any) -> str:
        """Add one complete element with the name, origin and ids of `rep`."""
        arrays = {"rows": self._files[key].entry()}
        folder = self._files[key].folder
        origin = {
            name: getattr(rep, name)
            for name in ("model", "layer", "step", "baseline", "twin_of")
        }
        meta = {"meta": dict(rep.meta)} if rep.meta else {}
        with Writer(
            self._elements,
            rep.name,
            folder=folder,
            arrays=arrays,
            hashes={"rows": self._files[key].content()},
            **origin,
            **meta,
            **fields,
        ) as writer:
            for name in ("ids", "blocks"):
                if getattr(rep, name) is not None:
                    writer.append(getattr(rep, name), name)
            return writer.commit()

    def _resume(self, lines: list[dict[str, Any]], stored: Set[str]) -> int:
        """The number of batches on the disk, after a check of all their bytes."""
        closed: dict[str, list[str]] = {key: [] for key in self._files}
        for line in lines:
            for key, hashes in line["closed"].items():
                closed.setdefault(key, []).extend(hashes)
        last = lines[-1]
        for key, file in self._files.items():
            done, digest = last["rows"].get(key, 0), last["open"].get(key, "")
            if key in stored and not file.folder.exists():
                complete = done == file.shape[0]
            else:
                complete = done > 0 and file.resume(done, closed[key], digest)
            if not complete:
                return 0
        return len(lines)

    def _shards(
        self, elements: Mapping[str, Rows], plan: Iterable[str]
    ) -> dict[str, ShardFiles]:
        """One folder per element of the plan, numbered in the order of their keys."""
        places = {key: number for number, key in enumerate(sorted(plan))}
        found = {}
        for key, rows in elements.items():
            folder = self._folder / f"{places[key]:05d}"
            found[key] = ShardFiles(folder, (rows.count, rows.width), rows.dtype)
        return found

    def _remove_rows(self) -> None:
        for folder in self._folder.iterdir():
            if folder.is_dir():
                shutil.rmtree(folder)

    def _write(self, line: dict[str, Any]) -> None:
        text = json.dumps(line, sort_keys=True)
        checksum = hashlib.sha256(text.encode()).hexdigest()
        write_all(self._journal, memoryview(f"{checksum} {text}\n".encode()))


def _lines(path: Path) -> list[dict[str, Any]]:
    """The complete lines of a journal, up to the first one that is damaged."""
    found: list[dict[str, Any]] = []
    if not path.exists():
        return found
    for line in path.read_bytes().split(b"\n")[:-1]:  # the last one is torn or empty
        checksum, _, text = line.partition(b" ")
        if hashlib.sha256(text).hexdigest().encode() != checksum:
            break
        found.append(json.loads(text))
    return found


def _truncate_torn_line(path: Path) -> None:
    """Remove what follows the last complete line."""
    complete, size = len(_lines(path)), 0
    for line in path.read_bytes().split(b"\n")[:complete]:
        size += len(line) + 1
    os.truncate(path, size)
