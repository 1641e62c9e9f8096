"""The results folder, to which rows are written as they are computed.

It has `run.json` and `parts/*.jsonl`. Every process appends to its own part, one line
per row, so processes do not interfere. A line that was truncated by a kill is ignored.
If a job has several rows, the most complete one is read.
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


class StoredRow(Protocol):
    """A row of a results folder: the complete or partial result of one job."""

    @property
    def job(self) -> str: ...

    @property
    def complete(self) -> bool: ...

    def line(self) -> bytes: ...


class Folder:
    """Writes rows to a results folder, and reads them to resume.

    Parameters
    ----------
    path
        The folder; it is created if missing.
    read
        Converts the JSON of a line to a row. It raises ValueError, LookupError or
        TypeError if the JSON is not a row.
    holds
        The kind of rows, for messages. All rows of a folder are of one kind.
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
        """Create the folder, and write `run.json` atomically."""
        if self.path.exists() and not self.path.is_dir():
            raise InvalidInput(
                f"{self.path} is a file; give a folder. It is created if missing."
            )
        earlier = self._earlier(run) if (self.path / "run.json").exists() else []
        document = {"schema": 1, "holds": self.holds, **run, "earlier": earlier}
        text = json.dumps(document)
        with self._writing():
            write_atomically(
                self.path / "run.json", lambda file: file.write(text.encode())
            )
            (self.path / "parts").mkdir(exist_ok=True)

    def _earlier(self, run: dict[str, Any]) -> list[str]:
        """Jobs of earlier runs, if these compared the same representations.

        Otherwise the values may have changed under the same names.
        """
        last = self.run()  # raises, instead of overwriting a file of another program
        if last.get("representations") != run.get("representations"):
            return []
        now = set(run["jobs"])
        jobs = dict.fromkeys([*last.get("jobs", []), *last.get("earlier", [])])
        return [job for job in jobs if job not in now]

    def append(self, rows: Iterable[StoredRow]) -> None:
        with self._writing():
            if self._part is None:
                name = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
                path = self.path / "parts" / f"{name}.jsonl"
                self._part = path.open("ab", buffering=0)
            for row in rows:
                # One write call per line: a kill truncates at most the last line.
                line = row.line()
                if self._part.write(line) < len(line):  # the disk is full
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Add the folder and the next step to the message of an OSError."""
        try:
            yield
        except OSError as error:
            raise OSError(
                error.errno,
                f"{error.strerror}. The rows written so far are kept. Free some space, "
                f"and run the same command again to resume.",
                str(self.path),
            ) from error

    def close(self) -> None:
        if self._part is not None:
            self._part.close()
            self._part = None

    def run(self) -> dict[str, Any]:
        path = self.path / "run.json"
        if not path.exists():
            raise InvalidInput(
                f"{self.path} is not a results folder: run.json is missing. Give the "
                f"folder of an earlier run."
            )
        try:
            run = json.loads(path.read_text())
        except ValueError:
            run = None
        if not isinstance(run, dict) or "schema" not in run:
            raise InvalidInput(
                f"{path} is damaged, or was not written by similitude. Choose another "
                f"folder, or remove this file; the rows in parts/ are kept."
            )
        if run["schema"] != 1:
            raise InvalidInput(
                f"{path} has schema {run['schema']!r}, but this version reads schema "
                f"1. Update similitude, or choose another folder."
            )
        if (other := run.get("holds", "scores")) != self.holds:
            raise InvalidInput(
                f"{self.path} holds {other}, not {self.holds}. Choose another folder."
            )
        return run

    def rows(self) -> dict[str, Any]:
        """The rows of all parts, by job; the most complete row of each job."""
        found: dict[str, StoredRow] = {}
        for part in sorted((self.path / "parts").glob("*.jsonl")):
            for line in part.read_bytes().split(b"\n"):
                row = self._parse(line)
                if row is None:
                    continue
                previous = found.get(row.job)
                if previous is None or (row.complete and not previous.complete):
                    found[row.job] = row
        return found

    def kept(self) -> int:
        """The number of jobs of the last run that have a row."""
        return len(self.rows().keys() & set(self.run().get("jobs", ())))

    def _parse(self, line: bytes) -> StoredRow | None:
        """The row of a line, or None if the line is truncated or damaged."""
        if not line.strip():
            return None
        try:
            return self.read(json.loads(line))
        except (ValueError, TypeError, LookupError, RecursionError):
            return None
