"""Kernels between rows, and the median rule for their bandwidth."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .. import _array, _config, _linalg
from .._array import Array
from .._validate import sum_of_squares
from ..errors import Undefined

KernelName = Literal["linear", "rbf", "laplacian", "polynomial"]


@dataclass(frozen=True)
class Kernel:
    """A block of a Gram matrix, up to an additive constant, which centring removes.

    ==========  ==================================================
    linear      <x, y>
    rbf         exp(-|x - y|^2 / 2), rows divided by the bandwidth
    laplacian   exp(-|x - y|), rows divided by the bandwidth
    polynomial  (<x, y> / d + 1)^3 - 1
    ==========  ==================================================

    What is compared is a difference from that constant. For a wide kernel all entries
    are nearly 1, and the difference is in the digits that only expm1 keeps; for a
    narrow one they are nearly 0, and exp keeps them.
    """

    name: KernelName
    narrow: bool = False

    def __call__(self, a: Array, b: Array) -> Array:
        xp = _array.namespace(a, b)
        if self.name == "linear":
            return _linalg.cross_product(a.T, b.T)
        if self.name == "polynomial":
            with np.errstate(over="ignore", invalid="ignore"):  # `gram` looks at it
                t = a @ b.T / a.shape[1]
                return t * (t * (t + 3.0) + 3.0)
        squares = _linalg.squared_distances(a, b)
        fall = squares / -2.0 if self.name == "rbf" else -_linalg.safe_sqrt(squares)
        return xp.exp(fall) if self.narrow else xp.expm1(fall)

    @staticmethod
    def of_bandwidth(name: KernelName, rows: Array) -> "Kernel":
        """The kernel for rows that have been divided by the bandwidth."""
        plain = _array.stop_gradient(rows)
        spread = plain - _array.namespace(plain).mean(plain, axis=0)
        square = 2.0 * sum_of_squares(spread) / rows.shape[0]
        if not 0 < square < math.inf:
            raise Undefined(
                "the bandwidth is so far from the distances of rows that the kernel is "
                "constant. Give another sigma=, or leave it to the median rule."
            )
        typical = square / 2.0 if name == "rbf" else math.sqrt(square)
        return Kernel(name, narrow=typical > math.log(2.0))


def median_distance(rows: Array) -> float:
    """Median Euclidean distance between two different rows: exact, no n x n array.

    Squared distances are counted by the leading 16 bits of their float32 form, which
    sort as the numbers do; then only the buckets with the middle ranks are looked at.
    """
    n = rows.shape[0]
    pairs = n * (n - 1) // 2
    if pairs == 0:
        raise Undefined("the median distance needs at least two rows; got one.")
    rows = _array.to_numpy(rows)
    # Once if all pairs fit into memory, otherwise again for each pass.
    fits = 4 * 8 * pairs <= _config.current().memory_budget
    stored = list(_linalg.pair_distances(rows, "sqeuclidean")) if fits else None
    counts = np.zeros(2**16, dtype=np.int64)
    for squares in stored or _linalg.pair_distances(rows, "sqeuclidean"):
        counts += np.bincount(_bucket(squares), minlength=2**16)
    below = np.cumsum(counts) - counts
    middle = []
    for rank in {(pairs - 1) // 2, pairs // 2}:
        bucket = int(np.searchsorted(below, rank, side="right")) - 1
        blocks = stored or _linalg.pair_distances(rows, "sqeuclidean")
        inside = np.concatenate([s[_bucket(s) == bucket] for s in blocks])
        middle.append(np.partition(inside, rank - below[bucket])[rank - below[bucket]])
    median = float(np.mean(np.sqrt(middle)))
    if median == 0:
        raise Undefined(
            "at least half of all pairs of rows are duplicates, so the median distance "
            "is 0 and no bandwidth follows from it. Drop duplicates, or give sigma=."
        )
    return median


def _bucket(squares: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):  # beyond float32 is the last bucket
        return squares.astype(np.float32).view(np.uint32) >> 16
