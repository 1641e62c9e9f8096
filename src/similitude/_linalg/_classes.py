"""Centering within classes, for rows whose class means are removed.

A Gram matrix is centered block by block: rows of class a against rows of class b. If
the classes differ, row and column means of the block are removed. If they are equal,
the block is U-centered for the unbiased estimator. Inner products of such matrices are
unbiased: the rows of different classes are independent, and each diagonal block is a
U-statistic. With one class this is the usual centering.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

from .._base import _array
from .._base._array import Array
from ._symmetric import without_diagonal


@dataclass(frozen=True, eq=False)
class ClassCentering:
    """Effects of rows on blocks, n x C, constants of blocks, C x C, and the classes."""

    effects: np.ndarray
    constants: np.ndarray
    classes: np.ndarray
    unbiased: bool

    @classmethod
    def of_sums(
        cls, sums: np.ndarray, classes: np.ndarray, *, unbiased: bool
    ) -> "ClassCentering":
        """The centering of a Gram, from the sums of its rows over each class, n x C.

        If unbiased, the sums leave out the diagonal.
        """
        counts = np.bincount(classes).astype(float)
        once = np.tile(counts, (len(counts), 1))  # by the class of a row, and the block
        twice = np.outer(counts, counts)
        if unbiased:
            np.fill_diagonal(once, counts - 2)
            np.fill_diagonal(twice, (counts - 1) * (counts - 2))
        totals = _one_hot(classes, len(counts)).T @ sums
        return cls(sums / once[classes], totals / twice, classes, unbiased)

    @classmethod
    def of_squares(cls, squares: Array, classes: np.ndarray) -> "ClassCentering":
        """The unbiased centering of products of rows, from their squared lengths.

        Without the diagonal, the products of a row with its own class sum to
        -|x_i|^2; with other classes, to 0.
        """
        host = _array.to_numpy(squares)
        sums = _one_hot(classes, int(classes.max()) + 1).multiply(-host[:, None])
        return cls.of_sums(sums.toarray(), classes, unbiased=True)

    def centered(self, k: Array, start: int, first: int) -> Array:
        """Center a block of the Gram that starts at row `start` and column `first`."""
        rows = slice(start, start + k.shape[0])
        i, j = self.classes[rows], self.classes[first:]
        change = self.effects[rows][:, j] + self.effects[first:][:, i].T
        change -= self.constants[np.ix_(i, j)]
        k = k - _array.widen(_array.from_numpy(change, k))
        return without_diagonal(k, start - first) if self.unbiased else k

    def permute(self, order: np.ndarray) -> "ClassCentering":
        """The rows in an order that exchanges only rows of one class."""
        return replace(self, effects=self.effects[order])


class ClassSums:
    """Sums of the rows of a symmetric matrix over classes, from its upper panels."""

    def __init__(self, classes: np.ndarray) -> None:
        self.one_hot = _one_hot(classes, int(classes.max()) + 1)
        self.sums = np.zeros(self.one_hot.shape)

    def add(self, panel: np.ndarray, start: int) -> None:
        stop = start + panel.shape[0]
        self.sums[start:stop] += panel @ self.one_hot[start:]
        self.sums[stop:] += panel[:, stop - start :].T @ self.one_hot[start:stop]


def class_terms(squares: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Terms of <U(K), U(L)> besides ``|X'Y|^2``, for the linear kernels of K sides.

    `squares` are the squared lengths of their rows, K x n; the result is K x K.
    """
    counts = np.bincount(classes).astype(float)
    weights = (counts / (counts - 2))[classes]
    traces = np.stack([np.bincount(classes, row) for row in squares])
    traces = traces / np.sqrt((counts - 1) * (counts - 2))
    return traces @ traces.T - (squares * weights) @ squares.T


def _one_hot(classes: np.ndarray, count: int) -> Any:
    n = len(classes)
    entries = (np.ones(n), classes, np.arange(n + 1))
    return scipy.sparse.csr_array(entries, shape=(n, count))
