"""Blocks of Gram matrices, up to an additive constant, which centering removes.

Only differences from that constant matter. In a wide kernel all entries are nearly 1,
and only expm1 keeps the digits of the difference. In a narrow kernel all entries are
nearly 0, and exp keeps the digits.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from ... import _linalg
from ..._base import _array
from ..._base._array import Array
from ..._base._validate import sum_of_squares
from ...errors import Undefined


def products(a: Array, b: Array) -> Array:
    """``<x, y>``."""
    return _linalg.cross_product(a.T, b.T)


def polynomial(a: Array, b: Array, degree: int) -> Array:
    """``(<x, y> / d + 1)^degree - 1``."""
    with np.errstate(over="ignore", invalid="ignore"):  # `gram` checks it
        t = a @ b.T / a.shape[1]
        value = t + float(degree)  # Horner's rule without the 1
        for power in range(degree - 2, 0, -1):
            value = t * value + float(math.comb(degree, power))
        return t * value


@dataclass(frozen=True)
class OfDistances:
    """``exp(-|x - y|^2 / 2)``, or ``exp(-|x - y|)`` if not `squared`.

    Rows are divided by the bandwidth.
    """

    squared: bool = True
    narrow: bool = False

    def __call__(self, a: Array, b: Array) -> Array:
        return self.of_squares(_linalg.squared_distances(a, b))

    def of_squares(self, squares: Array, sigma: float = 1.0) -> Array:
        """The kernel of squared distances; numpy arrays are overwritten."""
        xp = _array.namespace(squares)
        if not isinstance(squares, np.ndarray):
            exponent = squares / (-2.0 * sigma**2)
            if not self.squared:
                exponent = -_linalg.safe_sqrt(squares) / sigma
            return xp.exp(exponent) if self.narrow else xp.expm1(exponent)
        if self.squared:
            squares *= -0.5 / sigma**2
        else:
            np.sqrt(squares, out=squares)
            squares *= -1.0 / sigma
        return (np.exp if self.narrow else np.expm1)(squares, out=squares)

    @staticmethod
    @np.errstate(over="ignore", invalid="ignore")  # an infinite spread is refused
    def of_rows(rows: Array, *, squared: bool = True) -> "OfDistances":
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
        typical = square / 2.0 if squared else math.sqrt(square)
        # Above 1/8, exp adds no more rounding error than the distances have, in half
        # the time of expm1.
        return OfDistances(squared, narrow=typical > 0.125)


@dataclass(frozen=True, eq=False)
class OfTable:
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
