"""Rows of a table of results, and the folder that keeps them while they are made.

A folder has `run.json` and `parts/*.jsonl`. Every process appends to a part of its
own, one line a row, so that two of them cannot disturb each other; a line that a kill
has torn is ignored. Reading merges: of two rows of one job the fuller one counts.
"""

import errno
import json
import math
import os
import secrets
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from ..errors import InvalidInput
from ..store import write_whole

Status = Literal["ok", "undefined", "failed"]


@dataclass(frozen=True)
class Row:
    """One score, and how far it can be trusted.

    `status` is "ok", "undefined" (the quantity does not exist for these data) or
    "failed" (something went wrong); `reason` says why. Statistics are None where they
    were not computed. `seconds` is not part of equality.
    """

    job: str
    a: str
    b: str
    measure: str
    options: dict[str, Any]
    kind: str
    status: Status
    n: int
    d_a: int
    d_b: int
    version: str
    seed: int | None = None
    a_model: str | None = None
    a_layer: str | None = None
    b_model: str | None = None
    b_layer: str | None = None
    label: str = ""  # the measure, with the options that are not at their defaults
    reason: str | None = None
    score: float | None = None
    null_mean: float | None = None
    null_sd: float | None = None
    null_q95: float | None = None
    p: float | None = None
    p_method: str | None = None
    q: float | None = None
    calibrated: float | None = None
    low: float | None = None
    high: float | None = None
    interval_method: str | None = None
    permutations: int | None = None
    baselines: dict[str, float] = field(default_factory=dict)
    advice: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)
    baseline_of: str | None = None  # the role, where the row is only a baseline
    complete: bool = False  # statistics have been computed, as far as asked for
    seconds: float = field(default=0.0, compare=False)

    def to_dict(self) -> dict[str, Any]:
        document = {name: getattr(self, name) for name in _FIELDS}
        return document | {"advice": list(self.advice)}

    def line(self) -> bytes:
        """One line of JSON, without what is as it is by default."""
        known = {
            name: value
            for name, value in self.to_dict().items()
            if name not in _DEFAULTS or value != _DEFAULTS[name]
        }
        return json.dumps(known).encode() + b"\n"


_FIELDS = tuple(f.name for f in fields(Row))
_DEFAULTS: dict[str, Any] = {
    f.name: f.default_factory() if callable(f.default_factory) else f.default
    for f in fields(Row)
    if f.default is not MISSING or f.default_factory is not MISSING
} | {"advice": []}


def row_from_dict(document: Any) -> Row:
    """A row from a line; keys of later versions are ignored."""
    if not isinstance(document, dict) or not isinstance(document.get("job"), str):
        raise ValueError("a row is an object with a job")
    if not isinstance(document.get("score"), int | float | None):
        raise ValueError("a score is a number")
    known = {key: value for key, value in document.items() if key in _FIELDS}
    return Row(**known | {"advice": tuple(known.get("advice", ()))})


class Folder:
    """Where rows go as soon as they are there, and where they are found again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._part: Any = None

    def start(self, run: dict[str, Any]) -> None:
        """Make the folder, and say what the run is; in one step, whole or not."""
        earlier = self._earlier(run) if (self.path / "run.json").exists() else []
        text = json.dumps({"schema": 1, **run, "earlier": earlier})
        with self._writing():
            write_whole(self.path / "run.json", lambda file: file.write(text.encode()))
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

    def append(self, rows: Iterable[Row]) -> None:
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
        return run

    def rows(self) -> dict[str, Row]:
        """The rows of all parts by job; the most complete of each."""
        found: dict[str, Row] = {}
        for part in sorted((self.path / "parts").glob("*.jsonl")):
            for line in part.read_bytes().split(b"\n"):
                row = _parse(line)
                if row is None:
                    continue
                known = found.get(row.job)
                if known is None or (row.complete and not known.complete):
                    found[row.job] = row
        return found


def _parse(line: bytes) -> Row | None:
    """A row, or None for what a kill has left of one."""
    if not line.strip():
        return None
    try:
        return row_from_dict(json.loads(line))
    except (ValueError, TypeError, RecursionError):
        return None


def plain(value: Any) -> Any:
    """For JSON that others read: infinities as text, since JSON has none."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return value
