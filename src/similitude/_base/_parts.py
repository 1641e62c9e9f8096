"""Long computations in parts: their progress, and parts that survive a kill."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np

SAVING = 20.0  # seconds between two writes; a kill loses at most this time


class Keeper(Protocol):
    """Keeps the parts of long computations, and reports their progress."""

    def load(self, key: Any) -> "np.ndarray | None":
        """The first parts of this computation, if they were saved."""

    def save(self, key: Any, parts: "np.ndarray") -> None: ...

    def show(self, name: str, done: int, total: int) -> None: ...


_keeper: ContextVar[Keeper | None] = ContextVar("similitude_keeper", default=None)


def keeper() -> Keeper | None:
    return _keeper.get()


@contextmanager
def kept_by(chosen: Keeper | None) -> Iterator[None]:
    """Let this keeper have the parts of long computations in this block."""
    token = _keeper.set(chosen)
    try:
        yield
    finally:
        _keeper.reset(token)


def in_parts(
    name: str, key: Any, total: int, compute: "Callable[[int], Iterable[np.ndarray]]"
) -> "np.ndarray":
    """An array of `total` rows from consecutive parts.

    `compute(k)` yields the parts from row k on; k is 0, or the end of an earlier part.
    `key` determines the rows: a tuple of arrays, numbers and texts.
    """
    import numpy as np

    chosen = _keeper.get()
    if chosen is None:
        return np.concatenate(list(compute(0)))
    first = chosen.load(key)
    found = [] if first is None else [first]
    done, saved = sum(map(len, found)), time.monotonic()
    for part in compute(done):
        found.append(part)
        done += len(part)
        chosen.show(name, done, total)
        if time.monotonic() >= saved + SAVING:
            found, saved = [np.concatenate(found)], time.monotonic()
            chosen.save(key, found[0])
    return np.concatenate(found)
