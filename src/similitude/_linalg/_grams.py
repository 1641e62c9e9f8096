"""The centered Gram matrix of a representation, in the cheapest form.

Two centerings, for the two estimators of HSIC:

* biased: HKH with H = I - 11'/n;
* unbiased: U(K), which sets the diagonal to zero and removes row and column effects
  from the rest, so no pair (i, i) contributes.

A linear kernel is stored as its n x d rows. If d exceeds about n it is stored as its
n x n Gram, because rows would compute that Gram again in every comparison.

Each side stores its noise: a value of <K, K> below it is only rounding error. Matrices
are symmetric, so only panels are computed: a few rows, and the columns from the
diagonal on.
"""

import functools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._base import _array
from .._base._array import Array
from .._base._validate import sum_of_squares
from ..errors import Undefined
from ._blocks import FLOAT32_TERMS, cross_product, spans
from ._classes import ClassCentering, ClassSums
from ._symmetric import (
    centered,
    effects_of,
    fits,
    from_upper_half,
    half_fits,
    panels,
    without_diagonal,
)

KernelBlock = Callable[[Array, Array], Array]

_ROUNDING = 16.0  # error of a difference of sums, in eps of its terms


@dataclass(frozen=True, eq=False)
class Features:
    """A linear kernel as its centered rows: n x d, for d well below n."""

    rows: Array
    squares: Array  # |x_i|^2, float64
    unbiased: bool
    noise: float
    classes: np.ndarray | None = None  # whose means are removed; None for one class

    @property
    def n(self) -> int:
        return self.rows.shape[0]

    @functools.cached_property
    def covariance(self) -> Array:
        """X'X, d x d."""
        return cross_product(self.rows, self.rows)

    @functools.cached_property
    def without_groups(self) -> dict[tuple[bytes, ...], Any]:
        """Terms without groups of rows that `_leave_out` computes once."""
        return {}

    def permute(self, order: np.ndarray) -> "Features":
        rows, squares = _array.take(self.rows, order), _array.take(self.squares, order)
        return replace(self, rows=rows, squares=squares)

    def product(self, start: int, stop: int, first: int = 0) -> Array:
        """Rows start..stop of XX', columns from `first` on."""
        return cross_product(self.rows[start:stop, :].T, self.rows[first:, :].T)

    def block(self, start: int, stop: int, first: int = 0) -> Array:
        """A block of the centered Gram; its effects follow from `squares`."""
        k = self.product(start, stop, first)
        if not self.unbiased:
            return k
        if self.classes is not None:
            within = ClassCentering.of_squares(self.squares, self.classes)
            return within.centered(k, start, first)
        effects, constant = effects_of(-self.squares, self.n, unbiased=True)
        return centered(k, effects, constant, (start, first), unbiased=True)

    def diagonal(self) -> Array:
        return 0.0 * self.squares if self.unbiased else self.squares


@dataclass(frozen=True, eq=False)
class Gram:
    """Any kernel as its centered n x n matrix, stored as far as memory allows.

    If the whole matrix fits, panels of its upper half are stored, and the rest is
    copied from them. If only half fits, the panels are stored and other blocks are
    computed from the rows. Otherwise all blocks are computed from the rows.
    """

    n: int
    unbiased: bool
    noise: float
    like: Array  # an array in the library and on the device of its blocks
    panels: dict[tuple[int, int], Array]  # by their rows; columns from the diagonal on
    source: "Source | None"  # None if the whole matrix fits in memory

    @functools.cached_property
    def matrix(self) -> Array:
        """The whole matrix; only if it fits in memory."""
        stored = self.panels.get((0, self.n))
        if stored is not None:
            return stored
        return from_upper_half(list(self.panels.values()))

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
    """Rows, their kernel, and the terms of its centering."""

    rows: Array
    kernel: KernelBlock
    effects: Array  # per row, subtracted by the centering
    constant: Array  # added by the centering
    unbiased: bool
    within: ClassCentering | None = None  # instead of effects and constant

    def block(self, start: int, stop: int, first: int = 0) -> Array:
        k = self.kernel(self.rows[start:stop, :], self.rows[first:, :])
        return self.centered(k, start, first)

    def centered(self, k: Array, start: int, first: int = 0) -> Array:
        """Center a block of the Gram that starts at row `start` and column `first`."""
        if self.within is not None:
            return self.within.centered(k, start, first)
        corner, effects = (start, first), self.effects
        return centered(k, effects, self.constant, corner, unbiased=self.unbiased)

    def permute(self, order: np.ndarray) -> "Source":
        rows, effects = _array.take(self.rows, order), _array.take(self.effects, order)
        within = None if self.within is None else self.within.permute(order)
        return replace(self, rows=rows, effects=effects, within=within)

    def diagonal(self) -> Array:
        xp, parts = _array.namespace(self.rows), []
        for start, stop in spans(self.rows.shape[0], 64):
            few = self.rows[start:stop, :]
            k = self.kernel(few, few) - 2.0 * self.effects[start:stop, None]
            if self.within is not None:
                k = self.block(start, stop, start) - self.constant
            parts.append(xp.linalg.diagonal(k) + self.constant)
        return xp.concat(parts) * (0.0 if self.unbiased else 1.0)


Side = Features | Gram


def features(
    rows: Array, *, unbiased: bool, classes: np.ndarray | None = None
) -> Features:
    """The linear kernel of centered `rows`, stored as rows."""
    xp, squares = _array.namespace(rows), 0.0
    for start, stop in spans(rows.shape[1], FLOAT32_TERMS):
        block = rows[:, start:stop]
        squares = squares + _array.widen(xp.vecdot(block, block))
    # The unbiased sum is a difference of terms of the size of sum k_i^2.
    noise = _ROUNDING * _array.eps(rows) * _array.number(xp.vecdot(squares, squares))
    return Features(rows, squares, unbiased, noise, classes)


def gram(
    rows: Array,
    kernel: KernelBlock,
    *,
    unbiased: bool,
    of_products: bool = False,
    computed: Iterable[Array] | None = None,
    classes: np.ndarray | None = None,
) -> Gram:
    """The centered Gram of `kernel` on `rows`; in memory if the budget allows it.

    The assumed error of an entry is one or two eps of its value. With `of_products`,
    entries are inner products of rows, and the error is one eps of the lengths of the
    two rows. `computed` are the panels of the kernel, if they were computed before.
    With `classes`, whose means are removed from the rows, it is centered within them.
    """
    xp, n = _array.namespace(rows), rows.shape[0]
    parts = list(panels(n))
    computed = computed or (kernel(rows[a:b, :], rows[a:, :]) for a, b in parts)
    blocks: dict[tuple[int, int], Array] = {}
    sums, square, trace = 0.0, 0.0, 0.0
    of_classes = None if classes is None else ClassSums(classes)
    for (start, stop), k in zip(parts, computed, strict=True):
        trace += _array.number(xp.sum(xp.linalg.diagonal(_array.stop_gradient(k))))
        k = without_diagonal(k, 0) if unbiased else k
        height = stop - start
        square += 2.0 * sum_of_squares(k) - sum_of_squares(k[:, :height])
        if not math.isfinite(square):
            raise Undefined(
                "this kernel overflows, because the values are too large. Divide them "
                "by a typical row length first."
            )
        before = xp.zeros(start, dtype=k.dtype, device=_array.device(k))
        mirrored = xp.sum(k[:, height:], axis=0)
        sums = sums + xp.concat([before, xp.sum(k, axis=1), mirrored])
        if of_classes is not None:
            of_classes.add(_array.to_numpy(k), start)
        blocks |= {(start, stop): k} if half_fits(n) else {}
    scale = max(square, trace * trace) if of_products else square
    noise = (_ROUNDING * _array.eps(rows)) ** 2 * scale
    effects, constant = effects_of(sums, n, unbiased=unbiased)
    source = Source(rows, kernel, effects, constant, unbiased)
    if classes is not None and of_classes is not None:
        found = ClassCentering.of_sums(of_classes.sums, classes, unbiased=unbiased)
        source = replace(source, within=found)
    for start, stop in blocks:
        blocks[start, stop] = source.centered(blocks[start, stop], start, start)
    like, kept = rows[:0, :], None if fits(n) else source
    return Gram(n, unbiased, noise, like, blocks, kept)
