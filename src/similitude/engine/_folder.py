"""The results folder, to which rows are written as they are computed.

It has `run.json` and `parts/*.jsonl`. Every process appends to its own part, one line
per row, so processes do not interfere. Every line has a checksum. A damaged line is
named and not used, so its job is computed again. A last line that was truncated by a
kill is ignored. If a job has several rows, the most complete one is read.
"""

import errno
import os
import re
import secrets
import socket
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np

from .._base import _strict_json
from .._base._printable import printable
from .._base._printable import some as some
from ..errors import InvalidInput
from ..store import check_writable, explain_failed_write, sync_folder, write_atomically
from ._barcodes import intact, path_of_barcodes, write_barcodes
from ._rows import ROWS, Row
from ._run_record import RUN_BYTES, RUNS, SCHEMA, RunRecord
from ._schema import LINE_BYTES, Schema, has_checksum

PART_BYTES = 2**33  # a limit, so that a damaged folder does not exhaust the memory
SYNC_SECONDS = 3.0  # a power failure loses at most the rows of this time


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
    schema
        Reads the rows. All rows of a folder are of one kind.
    holds
        The kind of rows, for messages.
    """

    def __init__(
        self, path: str | Path, schema: Schema[Any] = ROWS, holds: str = "scores"
    ) -> None:
        self.path, self.schema, self.holds = Path(path), schema, holds
        self.damaged: list[str] = []  # the damaged lines that `rows` found
        name = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
        self._own = self.path / "parts" / f"{name}.jsonl"
        self._part: Any = None
        self._read: dict[Path, int] = {}  # bytes of each part that were read
        self._synced = 0.0  # when the part was last flushed to the disk

    def start(self, run: RunRecord) -> None:
        """Create the folder, and write `run.json` atomically."""
        if self.path.exists() and not self.path.is_dir():
            raise InvalidInput(
                f"{self.path} is a file; give a folder. It is created if missing."
            )
        check_writable(self.path)
        earlier = self._earlier(run) if (self.path / "run.json").exists() else ()
        line = replace(run, holds=self.holds, earlier=earlier).line()
        try:
            _strict_json.check_limits(line, RUN_BYTES)
        except ValueError as error:
            raise InvalidInput(
                f"the description of this run {error}; shorten the meta of the "
                f"representations, or compare fewer at a time."
            ) from error
        with self._writing():
            write_atomically(self.path / "run.json", lambda file: file.write(line))
            (self.path / "parts").mkdir(exist_ok=True)

    def _earlier(self, run: RunRecord) -> tuple[str, ...]:
        """Jobs of earlier runs, if these compared the same representations.

        Otherwise the values may have changed under the same names.
        """
        last = self.run()  # raises, instead of overwriting a file of another program
        if last.inputs != run.inputs:
            return ()
        now = set(run.jobs)
        jobs = dict.fromkeys([*last.jobs, *last.earlier])
        return tuple(job for job in jobs if job not in now)

    def append(self, rows: Iterable[StoredRow]) -> None:
        with self._writing():
            if self._part is None:
                self._part = self._own.open("ab", buffering=0)
                sync_folder(self._own.parent)
                self._synced = time.monotonic()
            for row in rows:
                # One write call per line: a kill truncates at most the last line.
                line = row.line()
                if self._part.write(line) < len(line):  # the disk is full
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if time.monotonic() - self._synced > SYNC_SECONDS:
                self._sync()

    def save_barcodes(self, job: str, barcodes: dict[str, np.ndarray]) -> str:
        """Write the barcodes of a job, and return their checksum."""
        with self._writing():
            return write_barcodes(self.path, job, barcodes)

    def _writing(self) -> AbstractContextManager[None]:
        """Add the folder and the next step to the message of an OSError."""
        return explain_failed_write(
            self.path, lambda: "The rows written so far are kept."
        )

    def _sync(self) -> None:
        """Flush the part to the disk, so that its rows survive a power failure."""
        os.fsync(self._part.fileno())
        self._synced = time.monotonic()

    def close(self) -> None:
        """Flush all rows to the disk. A later `append` opens the part again."""
        if self._part is not None:
            part, self._part = self._part, None
            with self._writing(), part:
                os.fsync(part.fileno())

    def content(self) -> str:
        """The kind of rows in the folder: "scores", or "cells" of a stitching table."""
        return self._last_run().holds

    def run(self) -> RunRecord:
        """The request of the last run; an error if the folder holds other rows."""
        run = self._last_run()
        if run.holds != self.holds:
            raise InvalidInput(
                f"{self.path} holds {printable(run.holds)}, not {self.holds}. Choose "
                f"another folder."
            )
        return run

    def _last_run(self) -> RunRecord:
        path = self.path / "run.json"
        if not path.exists():
            raise InvalidInput(
                f"{self.path} is not a results folder: run.json is missing. Give the "
                f"folder of an earlier run."
            )
        line = b""
        try:
            line = _strict_json.read_limited(path, RUN_BYTES)
            return RUNS.read(line)
        except ValueError:
            # A file of another version is complete, but it has another schema.
            schema = re.match(rb'\{"schema": (\d{1,9})\b', line)
            if schema is None or int(schema[1]) == SCHEMA or has_checksum(line):
                raise InvalidInput(
                    f"{path} is damaged, or was not written by similitude. Choose "
                    f"another folder, or remove this file; the rows in parts/ are kept."
                ) from None
            raise InvalidInput(
                f"{path} has schema {int(schema[1])}, but this version reads schema "
                f"{SCHEMA}. Choose another folder."
            ) from None

    def rows(self) -> dict[str, Any]:
        """The rows of all parts, by job; the most complete row of each job."""
        self.damaged.clear()
        found: dict[str, StoredRow] = {}
        for part in sorted((self.path / "parts").glob("*.jsonl")):
            _add(found, self._rows_of(part))
        return found

    def new_rows(self) -> dict[str, Any]:
        """The rows that other processes have written since the last call or `rows`."""
        found: dict[str, StoredRow] = {}
        for part in sorted((self.path / "parts").glob("*.jsonl")):
            if part == self._own or not part.is_file():
                continue
            start, size = self._read.get(part, 0), part.stat().st_size
            if start < size <= PART_BYTES:
                with part.open("rb") as file:
                    file.seek(start)
                    _add(found, self._complete_rows(part, file))
        return found

    def _complete_rows(self, part: Path, file: BinaryIO) -> Iterator[StoredRow]:
        """The rows of whole lines; the next call reads a line that is not complete."""
        for line in _lines(file):
            if not line.endswith(b"\n"):
                return
            self._read[part] = file.tell()
            with suppress(ValueError):  # `rows` names damaged lines
                yield self.schema.read(line)

    def _rows_of(self, part: Path) -> Iterator[StoredRow]:
        if not part.is_file() or part.stat().st_size > PART_BYTES:
            self.damaged.append(f"{part} (not a file, or too large)")
            return
        with part.open("rb") as file:
            for number, line in enumerate(_lines(file), start=1):
                if line.endswith(b"\n"):
                    self._read[part] = file.tell()
                try:
                    yield self.schema.read(line)
                except ValueError:
                    if line.endswith(b"\n") or self._complete(line[:-1]):
                        self.damaged.append(f"{part} line {number}")

    def _complete(self, line: bytes) -> bool:
        """Whether a line is a row. A kill truncates a row, but does not extend it."""
        try:
            self.schema.read(line)
        except ValueError:
            return False
        return True

    def notes(self) -> tuple[str, ...]:
        """A sentence that names the damaged lines, if `rows` found any."""
        if not self.damaged:
            return ()
        return (
            f"damaged and not used: {some(self.damaged)}. The same command computes "
            f"missing rows again.",
        )

    def damaged_barcodes(self, rows: Mapping[str, Row]) -> tuple[set[str], str]:
        """The jobs of these rows with damaged barcodes, and a note that names them."""
        jobs = [
            job
            for job, row in rows.items()
            if row.barcodes is not None and not intact(self.path, job, row.barcodes)
        ]
        paths = [str(path_of_barcodes(self.path, job)) for job in jobs]
        return set(jobs), f"damaged and computed again: {some(paths)}." if jobs else ""

    def kept(self) -> int:
        """The number of jobs of the last run that have a row."""
        return len(self.rows().keys() & set(self.run().jobs))


def unfinished(jobs: Collection[str], rows: Mapping[str, StoredRow]) -> str:
    """How many of these jobs have a score, and statistics; empty if all have both."""
    found = [rows[job] for job in jobs if job in rows]
    complete = sum(row.complete for row in found)
    if complete == len(jobs):
        return ""
    return (
        f"unfinished: {len(found):,} of {len(jobs):,} rows have a score, and "
        f"{complete:,} their statistics. To resume, run the same command again."
    )


def _add(found: dict[str, StoredRow], rows: Iterable[StoredRow]) -> None:
    """Keep the most complete row of each job."""
    for row in rows:
        previous = found.get(row.job)
        if previous is None or (row.complete and not previous.complete):
            found[row.job] = row


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file; a line that is too long is replaced by an empty line."""
    while line := file.readline(LINE_BYTES):
        if len(line) < LINE_BYTES or line.endswith(b"\n"):
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(LINE_BYTES)
        yield b"\n"
