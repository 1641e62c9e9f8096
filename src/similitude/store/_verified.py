"""Verified arrays that stay in memory, so that they are read and hashed only once."""

import weakref
from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np

from .._base import _config

Arrays = Mapping[str, np.ndarray]

SHARE = 16  # all arrays together take at most the memory budget divided by this


class Verified:
    """Arrays of the elements of one opened store.

    All stores of a process together keep a sixteenth of the memory budget. Arrays are
    released with their store. The first arrays are kept, and not the last ones: each
    pass over all elements then finds some of them. A copy in another process starts
    empty.
    """

    def __init__(self) -> None:
        self._arrays: dict[tuple[Path, str], Arrays] = {}
        _STORES.add(self)

    def __reduce__(self) -> tuple[type["Verified"], tuple[()]]:
        return Verified, ()

    @property
    def nbytes(self) -> int:
        held = list(self._arrays.values())
        return sum(array.nbytes for arrays in held for array in arrays.values())

    def get(self, folder: Path, content: str) -> Arrays | None:
        return self._arrays.get((folder, content))

    def add(self, folder: Path, content: str, arrays: Arrays) -> None:
        size = sum(array.nbytes for array in arrays.values())
        if SHARE * (held_bytes() + size) <= _config.current().memory_budget:
            self._arrays[folder, content] = arrays

    def clear(self, but: Collection[Path] = ()) -> None:
        self._arrays = {k: v for k, v in self._arrays.items() if k[0] in but}


_STORES: "weakref.WeakSet[Verified]" = weakref.WeakSet()


def held_bytes() -> int:
    """The size of the arrays of all stores of this process."""
    return sum(each.nbytes for each in list(_STORES))


def release_arrays(but: Collection[Path] = ()) -> None:
    """Release the arrays of all stores of this process; they can be read again.

    `but` are folders of elements that are needed next.
    """
    for each in list(_STORES):
        each.clear(but)
