"""Kernels between rows."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ... import _array, _linalg
from ..._array import Array
from ..._validate import sum_of_squares
from ...errors import Undefined

KernelName = Literal["linear", "rbf", "laplacian", "polynomial"]


@dataclass(frozen=True)
class Kernel:
    """A block of a Gram matrix, up to an additive constant, which centering removes.

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
        if self.name == "linear":
            return _linalg.cross_product(a.T, b.T)
        if self.name == "polynomial":
            with np.errstate(over="ignore", invalid="ignore"):  # `gram` looks at it
                t = a @ b.T / a.shape[1]
                return t * (t * (t + 3.0) + 3.0)
        return self.of_squares(_linalg.squared_distances(a, b))

    def of_squares(self, squares: Array, sigma: float = 1.0) -> Array:
        """The kernel of squared distances, which numpy overwrites."""
        xp = _array.namespace(squares)
        if not isinstance(squares, np.ndarray):
            fall = squares / (-2.0 * sigma**2)
            if self.name == "laplacian":
                fall = -_linalg.safe_sqrt(squares) / sigma
            return xp.exp(fall) if self.narrow else xp.expm1(fall)
        if self.name == "laplacian":
            np.sqrt(squares, out=squares)
            squares *= -1.0 / sigma
        else:
            squares *= -0.5 / sigma**2
        return (np.exp if self.narrow else np.expm1)(squares, out=squares)

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
        # From an eighth on, exp rounds by no more than the distances do, in half the
        # time of expm1.
        return Kernel(name, narrow=typical > 0.125)
