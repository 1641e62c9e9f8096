"""Distances as weights of edges: held in a matrix, or computed from rows when read.

Engines need all weights in float32, and bars need the float64 weights of a few edges.
So the float64 distances of a large cloud are not kept: they are computed twice, in the
same blocks and therefore with the same bits.
"""

import abc
import math
from typing import Any

import numpy as np

from .._base._validate import Points
from ._engines._pairs import Reader
from ._filtration import euclidean, euclidean_blocks, matrix_unit, unit_of

# Rows of a cloud whose float64 distances are kept; they take at most 32 MiB.
_MOST_KEPT = 2048


class EdgeWeights(abc.ABC):
    """Normalized distances of n points."""

    n: int
    largest: float  # of the finite weights

    @abc.abstractmethod
    def single(self, exponent: int) -> np.ndarray:
        """All weights times 2^-exponent, n x n in float32; -0 becomes 0."""

    @abc.abstractmethod
    def reader(self, edges: np.ndarray) -> Reader:
        """A function that reads weights of these edges (i, j), i < j, or of (-1, -1).

        The weight of (-1, -1), which is not an edge, is 0.
        """


class MatrixWeights(EdgeWeights):
    """Entries of a validated n x n matrix, divided by `unit`."""

    def __init__(self, matrix: np.ndarray, unit: float = 1.0) -> None:
        self.matrix, self.unit, self.n = matrix, unit, len(matrix)
        peak = float(np.max(matrix, initial=0.0))
        if peak == math.inf:
            peak = float(np.max(matrix, initial=0.0, where=np.isfinite(matrix)))
        self.largest = peak / unit

    def single(self, exponent: int) -> np.ndarray:
        found = np.empty((self.n, self.n), np.float32)
        step = max(1, 2**20 // max(self.n, 1))
        for s in range(0, self.n, step):
            block = self.matrix[s : s + step]
            if self.unit != 1:
                block = block / self.unit
            _round(block, exponent, found[s : s + step])
        return found

    def reader(self, edges: np.ndarray) -> Reader:
        def read(edges: np.ndarray) -> np.ndarray:
            if not len(edges):
                return np.empty(0)
            i, j = edges.T
            return self.matrix[i, j] / self.unit

        return read


class RowWeights(EdgeWeights):
    """Distances between the rows of a cloud, divided by their unit."""

    def __init__(self, x: Points, normalize: str, quantile: float, name: str) -> None:
        self.x, self.n = x, x.n
        pairs = np.empty(x.n * (x.n - 1) // 2)  # i > j, row after row
        columns = np.arange(x.n)
        firsts = columns * (columns - 1) // 2
        for start, _, block in euclidean_blocks(x):
            for i, row in enumerate(block, start):
                pairs[firsts[i + 1 :] + i] = row[i + 1 :]
        self.unit = unit_of(pairs, name, normalize, quantile)
        pairs /= self.unit
        self.largest = float(pairs.max(initial=0.0))
        self.rounded: np.ndarray | None = None
        if _common_exponent(self.largest) == 0:
            self.rounded = np.zeros((x.n, x.n), np.float32)
            for i, first in enumerate(firsts):
                self.rounded[i, :i] = pairs[first : first + i]
            _mirror(self.rounded)

    def single(self, exponent: int) -> np.ndarray:
        if exponent == 0 and self.rounded is not None:
            return self.rounded
        found = np.zeros((self.n, self.n), np.float32)
        for start, stop, block in euclidean_blocks(self.x):
            _round(block / self.unit, exponent, found[start:stop])
        found = np.triu(found, 1).T.copy()
        _mirror(found)
        return found

    def reader(self, edges: np.ndarray) -> Reader:
        codes = np.unique(edges[edges[:, 0] >= 0] @ [self.n, 1])
        values = np.empty(len(codes))
        for start, stop, block in euclidean_blocks(self.x):
            first, last = np.searchsorted(codes, [start * self.n, stop * self.n])
            i, j = np.divmod(codes[first:last], self.n)
            values[first:last] = block[i - start, j] / self.unit

        def read(edges: np.ndarray) -> np.ndarray:
            found = np.zeros(len(edges))
            real = edges[:, 0] >= 0
            found[real] = values[np.searchsorted(codes, edges[real] @ [self.n, 1])]
            return found

        return read


def cloud_weights(
    x: Points, normalize: str, quantile: float, name: str = "one side"
) -> EdgeWeights:
    """Normalized distances between all rows of a cloud."""
    if x.n > _MOST_KEPT:
        return RowWeights(x, normalize, quantile, name)
    distances = euclidean(x)
    distances /= matrix_unit(distances, name, normalize, quantile)
    return MatrixWeights(distances)


def singles(*weights: EdgeWeights) -> list[np.ndarray]:
    """All weights in float32, which defines the order of events.

    If float32 would overflow, all are multiplied by one power of two, which keeps the
    order.
    """
    exponent = _common_exponent(max(w.largest for w in weights))
    return [w.single(exponent) for w in weights]


def _common_exponent(largest: float) -> int:
    exponent = math.frexp(largest)[1]
    return exponent if abs(exponent) >= 100 else 0


def _round(block: np.ndarray, exponent: int, out: np.ndarray) -> None:
    """|block| times 2^-exponent, in float32: engines sort bits, so -0 becomes 0."""
    if exponent:
        block = np.ldexp(block, -exponent)
    options: Any = {"dtype": np.float32, "casting": "same_kind"}
    np.abs(block, out=out, **options)


def _mirror(lower: np.ndarray) -> None:
    """Copy the lower half to the upper half, in place."""
    for s in range(0, len(lower), 256):
        corner = lower[s : s + 256, s : s + 256]
        corner += np.triu(corner.T, 1) - np.triu(corner, 1)
        lower[s : s + 256, s + 256 :] = lower[s + 256 :, s : s + 256].T
