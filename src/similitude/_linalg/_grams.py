"""A representation as its centered Gram matrix, in the form that costs least.

Two centerings, for the two estimators of HSIC:

* biased: HKH with H = I - 11'/n;
* unbiased: U(K), which sets the diagonal to zero and removes row and column effects
  from the rest, so that no pair (i, i) is left in.

A linear side keeps its n x d rows, or its n x n Gram where d exceeds about n: rows
would form that Gram again in every comparison.

Each side carries its noise: the value of <K, K> below which it is only rounding.
Matrices are symmetric, so only panels of them are ever computed: a few rows, and the
columns from the diagonal on.
"""

import functools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from .. import _array
from .._array import Array
from .._validate import sum_of_squares
from ..errors import Undefined
from ._blocks import FLOAT32_TERMS, cross_product, spans
from ._symmetric import (
    centered,
    effects_of,
    fits,
    half_fits,
    panels,
    whole,
    without_diagonal,
)

KernelBlock = Callable[[Array, Array], Array]

_ROUNDING = 16.0  # how many eps of the terms a difference of sums may be off


@dataclass(frozen=True, eq=False)
class Features:
    """A linear kernel as its centered rows: n x d, for d well below n."""

    rows: Array
    squares: Array  # |x_i|^2, float64
    unbiased: bool
    noise: float

    @property
    def n(self) -> int:
        return self.rows.shape[0]

    @functools.cached_property
    def covariance(self) -> Array:
        """X'X, d x d."""
        return cross_product(self.rows, self.rows)

    def permute(self, order: np.ndarray) -> "Features":
        rows, squares = _array.take(self.rows, order), _array.take(self.squares, order)
        return replace(self, rows=rows, squares=squares)

    def product(self, start: int, stop: int, first: int = 0) -> Array:
        """Rows start..stop of XX', columns from `first` on."""
        return cross_product(self.rows[start:stop, :].T, self.rows[first:, :].T)

    def block(self, start: int, stop: int, first: int = 0) -> Array:
        """A block of the centered Gram. Rows sum to zero, so its effects are known."""
        k = self.product(start, stop, first)
        if not self.unbiased:
            return k
        effects, constant = effects_of(-self.squares, self.n, unbiased=True)
        return centered(k, effects, constant, (start, first), unbiased=True)

    def diagonal(self) -> Array:
        return 0.0 * self.squares if self.unbiased else self.squares


@dataclass(frozen=True, eq=False)
class Gram:
    """Any kernel as its centered n x n matrix: what fits of it is stored.

    All of it as the panels of its upper half, of which the rest follows; or only that
    half; or nothing, and what is asked for is computed from the rows.
    """

    n: int
    unbiased: bool
    noise: float
    like: Array  # of the library and the device of its blocks
    panels: dict[tuple[int, int], Array]  # by their rows; columns from the diagonal on
    source: "Source | None"  # None where all of it is stored

    @functools.cached_property
    def matrix(self) -> Array:
        """All of it, where that fits."""
        stored = self.panels.get((0, self.n))
        return whole(list(self.panels.values())) if stored is None else stored

    def block(self, start: int, stop: int, first: int = 0) -> Array:
        """Rows start..stop of the centered matrix, columns from `first` on."""
        if first == start and (start, stop) in self.panels:
            return self.panels[start, stop]
        if self.source is None:
            return self.matrix[start:stop, first:]
        return self.source.block(start, stop, first)

    def permute(self, order: np.ndarray) -> "Gram":
        if self.source is not None:
            return replace(self, panels={}, source=self.source.permute(order))
        matrix = _array.take(_array.take(self.matrix, order), order, axis=1)
        return replace(self, panels={(0, self.n): matrix})

    def diagonal(self) -> Array:
        xp = _array.namespace(self.like)
        if self.source is not None:
            return self.source.diagonal()
        return xp.concat([xp.linalg.diagonal(panel) for panel in self.panels.values()])


@dataclass(frozen=True, eq=False)
class Source:
    """Rows, their kernel, and what centering does to it."""

    rows: Array
    kernel: KernelBlock
    effects: Array  # per row, what centering subtracts
    constant: Array  # what it adds back
    unbiased: bool

    def block(self, start: int, stop: int, first: int = 0) -> Array:
        k = self.kernel(self.rows[start:stop, :], self.rows[first:, :])
        return self.centered(k, start, first)

    def centered(self, k: Array, start: int, first: int = 0) -> Array:
        """A block of the Gram, from row `start` and column `first` on, centered."""
        corner, effects = (start, first), self.effects
        return centered(k, effects, self.constant, corner, unbiased=self.unbiased)

    def permute(self, order: np.ndarray) -> "Source":
        rows, effects = _array.take(self.rows, order), _array.take(self.effects, order)
        return replace(self, rows=rows, effects=effects)

    def diagonal(self) -> Array:
        xp, parts = _array.namespace(self.rows), []
        for start, stop in spans(self.rows.shape[0], 64):
            few = self.rows[start:stop, :]
            k = self.kernel(few, few) - 2.0 * self.effects[start:stop, None]
            parts.append(xp.linalg.diagonal(k) + self.constant)
        return xp.concat(parts) * (0.0 if self.unbiased else 1.0)


Side = Features | Gram


def features(rows: Array, *, unbiased: bool) -> Features:
    """The linear kernel of centered `rows`, kept as rows."""
    xp, squares = _array.namespace(rows), 0.0
    for start, stop in spans(rows.shape[1], FLOAT32_TERMS):
        block = rows[:, start:stop]
        squares = squares + _array.widen(xp.vecdot(block, block))
    # The unbiased sum is a difference of terms of the size of sum k_i^2.
    noise = _ROUNDING * _array.eps(rows) * _array.number(xp.vecdot(squares, squares))
    return Features(rows, squares, unbiased, noise)


def gram(
    rows: Array,
    kernel: KernelBlock,
    *,
    unbiased: bool,
    of_products: bool = False,
    made: Iterable[Array] | None = None,
) -> Gram:
    """The centered Gram of `kernel` on `rows`; in memory if the budget allows it.

    Entries are taken to be off by an eps or two of themselves; those `of_products`, of
    inner products of rows, by an eps of the lengths of the two rows. `made` are the
    panels of the kernel, where somebody has made them already.
    """
    xp, n = _array.namespace(rows), rows.shape[0]
    parts = list(panels(n))
    made = made or (kernel(rows[a:b, :], rows[a:, :]) for a, b in parts)
    blocks: dict[tuple[int, int], Array] = {}
    sums, square, trace = 0.0, 0.0, 0.0
    for (start, stop), k in zip(parts, made, strict=True):
        trace += _array.number(xp.sum(xp.linalg.diagonal(_array.stop_gradient(k))))
        k = without_diagonal(k, 0) if unbiased else k
        height = stop - start
        square += 2.0 * sum_of_squares(k) - sum_of_squares(k[:, :height])
        if not math.isfinite(square):
            raise Undefined(
                "the values are so large that this kernel overflows. Divide them by a "
                "typical length first."
            )
        before = xp.zeros(start, dtype=k.dtype, device=_array.device(k))
        mirrored = xp.sum(k[:, height:], axis=0)
        sums = sums + xp.concat([before, xp.sum(k, axis=1), mirrored])
        blocks |= {(start, stop): k} if half_fits(n) else {}
    scale = max(square, trace * trace) if of_products else square
    noise = (_ROUNDING * _array.eps(rows)) ** 2 * scale
    effects, constant = effects_of(sums, n, unbiased=unbiased)
    source = Source(rows, kernel, effects, constant, unbiased)
    for start, stop in blocks:
        blocks[start, stop] = source.centered(blocks[start, stop], start, start)
    like, kept = rows[:0, :], None if fits(n) else source
    return Gram(n, unbiased, noise, like, blocks, kept)
