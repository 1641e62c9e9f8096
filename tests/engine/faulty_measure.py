"""A measure that raises a chosen exception at a chosen place, while a file exists."""

import builtins
import os
import signal
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import similitude.errors
from similitude import Measure
from similitude._base._parallel import WorkerDied
from similitude.measures import Claims, Coverage


def _below(kind: type[Exception]) -> Iterator[type[Exception]]:
    yield kind
    for other in kind.__subclasses__():
        if other.__module__ in {"builtins", "similitude.errors"}:
            yield from _below(other)


#: All exceptions of Python and of this package, and some of libraries.
EXCEPTIONS: dict[str, type[Exception]] = {
    kind.__name__: kind
    for kind in (
        *_below(Exception),
        *(np.linalg.LinAlgError, BrokenExecutor, BrokenProcessPool, WorkerDied),
    )
    if not issubclass(kind, Warning | StopIteration | StopAsyncIteration)
    and not issubclass(kind, ExceptionGroup)
}
#: Errors of the machine. No other exception leaves a job open.
MACHINE = {
    name
    for name, kind in EXCEPTIONS.items()
    if issubclass(kind, MemoryError | OSError | BrokenExecutor | WorkerDied)
}
TEXTS = {
    "threads": RuntimeError("can't start new thread"),
    "cuda": RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"),
}


def raised(name: str) -> Exception:
    """An exception of this kind."""
    if name in TEXTS:
        return TEXTS[name]
    if name == "caused":  # as readers of files raise it
        error = similitude.errors.InvalidInput("x.npy cannot be read")
        error.__cause__ = OSError(24, "Too many open files")
        return error
    kind = EXCEPTIONS[name]
    if name in {"UnicodeDecodeError", "UnicodeEncodeError", "UnicodeTranslateError"}:
        parts: Any = {
            "UnicodeDecodeError": ("utf-8", b"x", 0, 1, "text"),
            "UnicodeEncodeError": ("utf-8", "x", 0, 1, "text"),
            "UnicodeTranslateError": ("x", 0, 1, "text"),
        }[name]
        return kind(*parts)
    if kind is similitude.errors.MissingExtra:
        return kind("text", "report")  # type: ignore[call-arg]
    assert kind.__module__ != "builtins" or getattr(builtins, name) is kind
    return kind("text")


@dataclass(frozen=True, kw_only=True)
class Faulty(Measure):
    """The squared correlation of the first columns."""

    name = "faulty"
    refs = ()

    place: str = ""
    error: str = ""
    flag: str = ""  # a file; without it, nothing is raised
    rows: int = 0

    def _fail(self, place: str) -> None:
        if place == self.place and Path(self.flag).exists():
            if self.error != "killed":
                raise raised(self.error)
            if os.getpid() != int(Path(self.flag).read_text()):  # in a worker only
                os.kill(os.getpid(), signal.SIGKILL)

    def claims(self) -> Claims:
        return Claims(
            kind="similarity", range=(0.0, 1.0), interval=Coverage("correlation", 20)
        )

    def prepare(self, x: Any, seed: Any = None) -> np.ndarray:
        self._fail("prepare")
        if len(x) < self.rows:
            self._fail("groups")
        return np.asarray(x)[:, 0]

    def compare(self, p: np.ndarray, q: np.ndarray) -> np.float64:
        self._fail("compare")
        return np.float64(np.corrcoef(p, q)[0, 1] ** 2)

    def details(self, p: np.ndarray, q: np.ndarray) -> dict[str, Any]:
        self._fail("details")
        return {}

    def barcodes(self, p: np.ndarray, q: np.ndarray) -> dict[str, np.ndarray]:
        self._fail("barcodes")
        return {"bars": np.zeros((1, 2))}

    def permute(self, q: np.ndarray, order: np.ndarray) -> np.ndarray:
        self._fail("permute")
        return q[order]

    def offers(self, method: str) -> bool:
        if method == "compare_all":
            return self.place == "compare_all"
        return super().offers(method)

    def compare_all(self, ps: Any) -> np.ndarray:
        self._fail("compare_all")
        return np.array([[np.corrcoef(p, q)[0, 1] ** 2 for q in ps] for p in ps])
