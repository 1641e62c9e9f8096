"""Kernels between rows, and the median rule for their bandwidth."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from .. import _array, _config, _linalg
from .._array import Array
from ..errors import Undefined

KernelName = Literal["linear", "rbf", "laplacian", "polynomial"]
KERNELS: tuple[str, ...] = get_args(KernelName)


@dataclass(frozen=True)
class Kernel:
    """A block of a Gram matrix, up to an additive constant, which centring removes.

    ==========  =====================================================
    linear      <x, y>
    rbf         exp(-|x - y|^2 / (2 sigma^2)) - 1
    laplacian   exp(-|x - y| / sigma) - 1
    polynomial  (<x, y> / d + 1)^3
    ==========  =====================================================

    The bounded kernels go through expm1: for a wide kernel all entries are nearly 1,
    and what is compared is in the digits that exp would have thrown away.
    """

    name: KernelName
    sigma: float | None = None

    def __call__(self, a: Array, b: Array) -> Array:
        xp = _array.namespace(a, b)
        if self.name == "linear":
            return _linalg.cross_product(a.T, b.T)
        if self.name == "polynomial":
            return (a @ b.T / a.shape[1] + 1.0) ** 3
        squares = _linalg.squared_distances(a, b)
        assert self.sigma is not None
        if self.name == "rbf":
            return xp.expm1(squares / (-2.0 * self.sigma**2))
        return xp.expm1(_linalg.safe_sqrt(squares) / -self.sigma)


def median_distance(rows: Array) -> float:
    """Median Euclidean distance between two different rows: exact, no n x n array.

    Squared distances are counted by the leading 16 bits of their float32 form, which
    sort as the numbers do; then only the buckets with the middle ranks are looked at.
    """
    n = rows.shape[0]
    pairs = n * (n - 1) // 2
    if pairs == 0:
        raise Undefined("the median distance needs at least two rows; got one.")
    # Once if all pairs fit into memory, otherwise again for each pass.
    fits = 4 * 8 * pairs <= _config.current().memory_budget
    stored = list(_pair_squares(rows)) if fits else None
    counts = np.zeros(2**16, dtype=np.int64)
    for squares in stored or _pair_squares(rows):
        counts += np.bincount(_bucket(squares), minlength=2**16)
    below = np.cumsum(counts) - counts
    middle = []
    for rank in {(pairs - 1) // 2, pairs // 2}:
        bucket = int(np.searchsorted(below, rank, side="right")) - 1
        blocks = stored or _pair_squares(rows)
        inside = np.concatenate([s[_bucket(s) == bucket] for s in blocks])
        middle.append(np.partition(inside, rank - below[bucket])[rank - below[bucket]])
    median = float(np.mean(np.sqrt(middle)))
    if median == 0:
        raise Undefined(
            "at least half of all pairs of rows are duplicates, so the median distance "
            "is 0 and no bandwidth follows from it. Drop duplicates, or give sigma=."
        )
    return median


def _pair_squares(rows: Array) -> Iterator[np.ndarray]:
    """Squared distances of all pairs i < j, block by block, in numpy."""
    n = rows.shape[0]
    for start, stop, block in _linalg.distance_blocks(rows, "sqeuclidean"):
        later = np.arange(n)[None, :] > np.arange(start, stop)[:, None]
        yield _array.to_numpy(block)[later]


def _bucket(squares: np.ndarray) -> np.ndarray:
    return squares.astype(np.float32).view(np.uint32) >> 16
