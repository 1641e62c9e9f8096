"""The folder that keeps rows while they are made.

It has `run.json` and `parts/*.jsonl`. Every process appends to a part of its own, one
line a row, so that two of them cannot disturb each other; a line that a kill has torn
is ignored. Reading merges: of two rows of one job the fuller one counts.
"""

import errno
import json
import os
import secrets
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from ..errors import InvalidInput
from ..store import write_atomically
from ._rows import row_from_dict


class Kept(Protocol):
    """What a folder keeps: the outcome of a job, which may be complete or not yet."""

    @property
    def job(self) -> str: ...

    @property
    def complete(self) -> bool: ...

    def line(self) -> bytes: ...


class Folder:
    """Where rows go as soon as they are there, and where they are found again.

    Parameters
    ----------
    path
        The folder, which is made.
    read
        A row out of the JSON of its line; a ValueError, LookupError or TypeError if it
        is none.
    holds
        What the rows are of, in messages. A folder holds rows of one kind.
    """

    def __init__(
        self,
        path: str | Path,
        read: Callable[[Any], Any] = row_from_dict,
        holds: str = "scores",
    ) -> None:
        self.path, self.read, self.holds = Path(path), read, holds
        self._part: Any = None

    def start(self, run: dict[str, Any]) -> None:
        """Make the folder, and say what the run is; in one step, whole or not."""
        if self.path.exists() and not self.path.is_dir():
            raise InvalidInput(f"{self.path} is a file; name a folder, which is made.")
        earlier = self._earlier(run) if (self.path / "run.json").exists() else []
        known = {"schema": 1, "holds": self.holds, **run, "earlier": earlier}
        text = json.dumps(known)
        with self._writing():
            write_atomically(
                self.path / "run.json", lambda file: file.write(text.encode())
            )
            (self.path / "parts").mkdir(exist_ok=True)

    def _earlier(self, run: dict[str, Any]) -> list[str]:
        """Jobs of runs before this one that compared the very same representations.

        Others may be of values that have changed since, under the same names.
        """
        last = self.run()  # what is not ours is not written over
        if last.get("representations") != run.get("representations"):
            return []
        now = set(run["jobs"])
        jobs = dict.fromkeys([*last.get("jobs", []), *last.get("earlier", [])])
        return [job for job in jobs if job not in now]

    def append(self, rows: Iterable[Kept]) -> None:
        with self._writing():
            if self._part is None:
                name = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
                path = self.path / "parts" / f"{name}.jsonl"
                self._part = path.open("ab", buffering=0)
            for row in rows:
                # One write call a line: a kill tears the last line at most.
                line = row.line()
                if self._part.write(line) < len(line):  # a disk that is filling up
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """What a disk cannot take is said with the folder, and what to do."""
        try:
            yield
        except OSError as error:
            raise OSError(
                error.errno,
                f"{error.strerror}. Rows that were written are kept: make room and "
                f"repeat the same to go on.",
                str(self.path),
            ) from error

    def close(self) -> None:
        if self._part is not None:
            self._part.close()
            self._part = None

    def run(self) -> dict[str, Any]:
        path = self.path / "run.json"
        if not path.exists():
            raise InvalidInput(f"{self.path} holds no results: it has no run.json.")
        try:
            run = json.loads(path.read_text())
        except ValueError:
            run = None
        if not isinstance(run, dict) or "schema" not in run:
            raise InvalidInput(
                f"{path} is damaged, or was not written by similitude. Choose another "
                f"folder, or remove that file: rows that are in parts/ are kept."
            )
        if run["schema"] != 1:
            raise InvalidInput(
                f"{path} has schema {run['schema']!r}, and this version reads 1. "
                f"Update similitude, or choose another folder."
            )
        if (other := run.get("holds", "scores")) != self.holds:
            raise InvalidInput(
                f"{self.path} holds {other}, not {self.holds}. Choose another folder."
            )
        return run

    def rows(self) -> dict[str, Any]:
        """The rows of all parts by job; the most complete of each."""
        found: dict[str, Kept] = {}
        for part in sorted((self.path / "parts").glob("*.jsonl")):
            for line in part.read_bytes().split(b"\n"):
                row = self._parse(line)
                if row is None:
                    continue
                known = found.get(row.job)
                if known is None or (row.complete and not known.complete):
                    found[row.job] = row
        return found

    def kept(self) -> int:
        """How many jobs of the last run have a row."""
        return len(self.rows().keys() & set(self.run().get("jobs", ())))

    def _parse(self, line: bytes) -> Kept | None:
        """A row, or None for what a kill has left of one."""
        if not line.strip():
            return None
        try:
            return self.read(json.loads(line))
        except (ValueError, TypeError, LookupError, RecursionError):
            return None
