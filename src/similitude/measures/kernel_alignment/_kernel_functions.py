"""Kernels between rows."""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy

from ... import _linalg
from ..._base import _array
from ..._base._array import Array
from ..._base._validate import sum_of_squares
from ...errors import Undefined

KernelName = Literal["linear", "rbf", "laplacian", "polynomial", "knn", "diffusion"]


@dataclass(frozen=True)
class Kernel:
    """A block of a Gram matrix, up to an additive constant, which centering removes.

    ==========  ======================================================
    linear      ``<x, y>``
    rbf         ``exp(-|x - y|^2 / 2)``, rows divided by the bandwidth
    laplacian   ``exp(-|x - y|)``, rows divided by the bandwidth
    polynomial  ``(<x, y> / d + 1)^degree - 1``
    ==========  ======================================================

    Only differences from that constant matter. In a wide kernel all entries are nearly
    1, and only expm1 keeps the digits of the difference. In a narrow kernel all entries
    are nearly 0, and exp keeps the digits.
    """

    name: KernelName
    narrow: bool = False
    degree: int = 3

    def __call__(self, a: Array, b: Array) -> Array:
        if self.name == "linear":
            return _linalg.cross_product(a.T, b.T)
        if self.name == "polynomial":
            with np.errstate(over="ignore", invalid="ignore"):  # `gram` checks it
                t = a @ b.T / a.shape[1]
                value = t + float(self.degree)  # Horner's rule without the 1
                for power in range(self.degree - 2, 0, -1):
                    value = t * value + float(math.comb(self.degree, power))
                return t * value
        return self.of_squares(_linalg.squared_distances(a, b))

    def of_squares(self, squares: Array, sigma: float = 1.0) -> Array:
        """The kernel of squared distances; numpy arrays are overwritten."""
        xp = _array.namespace(squares)
        if not isinstance(squares, np.ndarray):
            exponent = squares / (-2.0 * sigma**2)
            if self.name == "laplacian":
                exponent = -_linalg.safe_sqrt(squares) / sigma
            return xp.exp(exponent) if self.narrow else xp.expm1(exponent)
        if self.name == "laplacian":
            np.sqrt(squares, out=squares)
            squares *= -1.0 / sigma
        else:
            squares *= -0.5 / sigma**2
        return (np.exp if self.narrow else np.expm1)(squares, out=squares)

    @staticmethod
    @np.errstate(over="ignore", invalid="ignore")  # an infinite spread is refused
    def of_bandwidth(name: KernelName, rows: Array) -> "Kernel":
        """The kernel for rows that have been divided by the bandwidth."""
        plain = _array.stop_gradient(rows)
        spread = plain - _array.namespace(plain).mean(plain, axis=0)
        square = 2.0 * sum_of_squares(spread) / rows.shape[0]
        if not 0 < square < math.inf:
            raise Undefined(
                "the bandwidth is so far from the distances between rows that the "
                "kernel is constant. Give another sigma=, or omit it to use the median "
                "rule."
            )
        typical = square / 2.0 if name == "rbf" else math.sqrt(square)
        # Above 1/8, exp adds no more rounding error than the distances have, in half
        # the time of expm1.
        return Kernel(name, narrow=typical > 0.125)


@dataclass(frozen=True, eq=False)
class TableKernel:
    """A kernel that depends on all rows: a symmetric n x n table of numpy or scipy.

    The "rows" that it takes are the numbers of rows, in one column.
    """

    table: Any

    def __call__(self, a: Array, b: Array) -> Array:
        i, j = (_array.to_numpy(side)[:, 0].astype(np.int64) for side in (a, b))
        block = self.table[i][:, j]
        block = block if isinstance(block, np.ndarray) else block.toarray()
        return _array.from_numpy(block, a)


def knn_table(lists: np.ndarray) -> Any:
    """1 if i = j, else the share of the pair's two lists that have the other row."""
    n, k = lists.shape
    starts = np.arange(0, n * k + 1, k)
    graph = scipy.sparse.csr_array((np.ones(n * k), lists.ravel(), starts), (n, n))
    return ((graph + graph.T) / 2 + scipy.sparse.eye_array(n)).tocsr()


def diffused(kernel: np.ndarray, t: int) -> np.ndarray:
    """D P^t for the degrees D of a kernel and its Markov matrix P = K / D.

    It is symmetric, since D P = K is; both halves are averaged against rounding.
    """
    degrees = np.sum(kernel, axis=1, keepdims=True)
    table = degrees * np.linalg.matrix_power(kernel / degrees, t)
    return (table + table.T) / 2
