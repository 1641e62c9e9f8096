"""Verified arrays that stay in memory, so that they are read and hashed only once."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

Arrays = Mapping[str, np.ndarray]

MAX_BYTES = 2**28  # of all arrays together


class Verified:
    """Arrays of the elements of one opened store, up to `MAX_BYTES`.

    `compare` loads each element several times. The first elements are kept, and not the
    last ones: each pass over all elements then finds some of them. A copy in another
    process starts empty.
    """

    def __init__(self) -> None:
        self._arrays: dict[tuple[Path, str], Arrays] = {}
        self._bytes = 0

    def __reduce__(self) -> tuple[type["Verified"], tuple[()]]:
        return Verified, ()

    def get(self, folder: Path, content: str) -> Arrays | None:
        return self._arrays.get((folder, content))

    def add(self, folder: Path, content: str, arrays: Arrays) -> None:
        size = sum(array.nbytes for array in arrays.values())
        if self._bytes + size <= MAX_BYTES:
            self._bytes += size
            self._arrays[folder, content] = arrays
