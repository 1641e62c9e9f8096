"""Inner products of centred Gram matrices: the sums behind HSIC, CKA and their kin.

Let K = [k(x_i, x_j)] and L = [l(y_i, y_j)]. Two centrings, two estimators:

* HSIC_0 (biased): <HKH, HLH> / (n - 1)^2 with H = I - 11'/n;
* HSIC_1 (unbiased): <U(K), U(L)> / (n (n - 3)), where U sets the diagonal to zero and
  removes row and column effects from the rest, so that no pair (i, i) is left in.

Both projections are self-adjoint, so it is enough to centre one side. For a linear
kernel neither n x n matrix has to exist: with centred rows and k_i = |x_i|^2,

    <HKH, HLH>   = |X'Y|_F^2
    <U(K), U(L)> = |X'Y|_F^2 - n/(n-2) sum_i k_i l_i + (sum k)(sum l)/((n-1)(n-2)).

A side is therefore held in one of three forms, and `inner` knows every combination.
Each carries its noise: the value of <K, K> below which it is nothing but rounding.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .. import _array, _config
from .._array import Array
from .._validate import sum_of_squares
from ..errors import Undefined
from ._blocks import FLOAT32_TERMS, budget_rows, cross_product, spans

KernelBlock = Callable[[Array, Array], Array]

_ROUNDING = 16.0  # how many eps of the terms a difference of sums may be off


@dataclass(frozen=True, eq=False)
class Features:
    """A linear kernel as its centred rows: n x d, for d well below n."""

    rows: Array
    squares: Array  # |x_i|^2, float64
    unbiased: bool
    noise: float

    def permute(self, order: np.ndarray) -> "Features":
        rows, squares = _array.take(self.rows, order), _array.take(self.squares, order)
        return replace(self, rows=rows, squares=squares)

    def block(self, start: int, stop: int, first: int = 0) -> Array:
        """A block of the centred Gram. Rows sum to zero, so its effects are known."""
        n = self.rows.shape[0]
        k = cross_product(self.rows[start:stop, :].T, self.rows[first:, :].T)
        if not self.unbiased:
            return k
        effects = -self.squares / (n - 2)
        constant = _array.namespace(k).sum(effects) / (n - 1)
        k = k - effects[start:stop, None] - effects[None, first:] + constant
        return _without_diagonal(k, start - first)


@dataclass(frozen=True, eq=False)
class Gram:
    """Any kernel as its centred n x n matrix."""

    matrix: Array
    noise: float

    def block(self, start: int, stop: int, first: int = 0) -> Array:
        """Rows start..stop of the centred matrix, columns from `first` on."""
        return self.matrix[start:stop, first:]

    def permute(self, order: np.ndarray) -> "Gram":
        matrix = _array.take(_array.take(self.matrix, order), order, axis=1)
        return replace(self, matrix=matrix)


@dataclass(frozen=True, eq=False)
class GramBlocks:
    """Any kernel whose n x n matrix would not fit: blocks are computed when asked."""

    rows: Array
    kernel: KernelBlock
    effects: Array  # per row, what centring subtracts
    constant: Array  # what it adds back
    unbiased: bool
    noise: float

    def block(self, start: int, stop: int, first: int = 0) -> Array:
        k = self.kernel(self.rows[start:stop, :], self.rows[first:, :])
        return self.centred(k, start, first)

    def centred(self, k: Array, start: int, first: int = 0) -> Array:
        """A block of the Gram, from row `start` and column `first` on, centred."""
        stop = start + k.shape[0]
        k = k - self.effects[start:stop, None] - self.effects[None, first:]
        k = k + self.constant
        return _without_diagonal(k, start - first) if self.unbiased else k

    def permute(self, order: np.ndarray) -> "GramBlocks":
        rows, effects = _array.take(self.rows, order), _array.take(self.effects, order)
        return replace(self, rows=rows, effects=effects)


Side = Features | Gram | GramBlocks


def features(rows: Array, *, unbiased: bool) -> Features:
    """The linear kernel of centred `rows`, kept as rows."""
    xp, squares = _array.namespace(rows), 0.0
    for start, stop in spans(rows.shape[1], FLOAT32_TERMS):
        block = rows[:, start:stop]
        squares = squares + _array.widen(xp.vecdot(block, block))
    # The unbiased sum is a difference of terms of the size of sum k_i^2.
    noise = _ROUNDING * _array.eps(rows) * _array.number(xp.vecdot(squares, squares))
    return Features(rows, squares, unbiased, noise)


def gram(
    rows: Array, kernel: KernelBlock, *, unbiased: bool, of_products: bool = False
) -> Gram | GramBlocks:
    """The centred Gram of `kernel` on `rows`; in memory if the budget allows it.

    Entries are taken to be off by an eps or two of themselves; those `of_products`, of
    inner products of rows, by an eps of the lengths of the two rows.
    """
    xp, n = _array.namespace(rows), rows.shape[0]
    # Two sides of n x n float64, and as much again while one of them is made.
    fits = 4 * 8 * n * n <= _config.current().memory_budget
    blocks, sums, square, trace = [], [], 0.0, 0.0
    parts = list(spans(n, budget_rows(n, 8 * n)))
    for start, stop in parts:
        k = kernel(rows[start:stop, :], rows)
        kept = _without_diagonal(k, start) if unbiased else k
        square += sum_of_squares(kept)
        if not math.isfinite(square):
            raise Undefined(
                "the values are so large that this kernel overflows. Divide them by a "
                "typical length first."
            )
        sums.append(xp.sum(kept, axis=1))
        diagonal = xp.linalg.diagonal(_array.stop_gradient(k), offset=start)
        trace += _array.number(xp.sum(diagonal))
        blocks += [k] if fits else []
    scale = max(square, trace * trace) if of_products else square
    noise = (_ROUNDING * _array.eps(rows)) ** 2 * scale
    effects, constant = _effects(xp.concat(sums), n, unbiased=unbiased)
    lazy = GramBlocks(rows, kernel, effects, constant, unbiased, noise)
    if not fits:
        return lazy
    for i, (start, _) in enumerate(parts):
        blocks[i] = lazy.centred(blocks[i], start)
    return Gram(blocks[0] if len(blocks) == 1 else xp.concat(blocks), noise)


def norm(p: Side, square: Array | None = None) -> Array:
    """|K| of a centred Gram, or `Undefined` where only rounding is left of it.

    `square` is <K, K>, where it is known.
    """
    square = inner(p, p) if square is None else square
    if _array.number(square) <= p.noise:
        raise Undefined(
            "nothing is left of this representation's Gram matrix after centring: the "
            "rows are mutually orthogonal up to a shift (equidistant rows are, and so "
            "is a single outlier among equal rows), or the bandwidth is far off. Use "
            "more stimuli, another bandwidth, or estimator='biased'."
        )
    return _array.namespace(square).sqrt(square)


def worst_error(p: Side, square: Array) -> float:
    """How far <K, K> = `square` may be off, relative to itself, by rounding.

    A difference of sums is off by its noise; a sum over entries that are each off is
    off by the root, since its noise is that of their squares.
    """
    ratio = p.noise / max(_array.number(square), p.noise, 1e-300)
    return ratio if isinstance(p, Features) else math.sqrt(ratio)


def inner(p: Side, q: Side) -> Array:
    """<K, L> of the centred Grams: (n - 1)^2 HSIC_0, or n (n - 3) HSIC_1."""
    if isinstance(p, Features) and isinstance(q, Features):
        return _inner_features(p, q)
    if isinstance(p, Features):
        p, q = q, p
    assert not isinstance(p, Features)
    if isinstance(q, Features):
        return _inner_mixed(p, q)
    return _inner_grams(p, q)


def inner_all(sides: Sequence[Side]) -> Array:
    """The matrix of `inner` over all pairs, as one product of vectorised Grams.

    K Grams cost K n^2 d / 2 multiplications and some passes once, and each of the
    K^2 / 2 pairs n^2 / 2 more, where pair by pair costs n d^2 each; the cheaper way is
    taken. Only columns from the diagonal block on are visited; those beyond it stand
    for two entries, hence the root of two.
    """
    n, count = rows_of(sides[0]), len(sides)
    widths = [s.rows.shape[1] if isinstance(s, Features) else 0 for s in sides]
    by_grams = n * n * sum(w / 2 + 1000 for w in widths if w) + (n * count / 2) ** 2
    if all(widths) and n * sum(widths) ** 2 / 2 < by_grams:
        return _pair_by_pair(sides)
    total = 0.0
    for start, stop in spans(n, min(128, budget_rows(n, 8 * n * count))):
        blocks = [side.block(start, stop, first=start) for side in sides]
        xp = _array.namespace(*blocks)
        square, beyond = stop - start, n - stop
        weight = np.concat([np.ones(square), np.full(beyond, 2**0.5)])
        weight = _array.widen(_array.from_numpy(weight, blocks[0]))
        stack = xp.stack([xp.reshape(block * weight, (-1,)) for block in blocks])
        total = total + stack @ stack.T
    return total


def _pair_by_pair(sides: Sequence[Side]) -> Array:
    """The same matrix; the lower half is the upper one."""
    count = len(sides)
    upper = {
        (i, j): inner(sides[i], sides[j]) for i in range(count) for j in range(i, count)
    }
    xp = _array.namespace(upper[0, 0])
    rows = [[upper[min(i, j), max(i, j)] for j in range(count)] for i in range(count)]
    return xp.stack([xp.stack(row) for row in rows])


def rows_of(side: Side) -> int:
    return (side.matrix if isinstance(side, Gram) else side.rows).shape[0]


def _inner_features(p: Features, q: Features) -> Array:
    (n, d), total = p.rows.shape, 0.0
    # Columns of p at a time, so that the d1 x d2 product stays within the budget.
    for start, stop in spans(d, budget_rows(d, 8 * q.rows.shape[1])):
        part = cross_product(p.rows[:, start:stop], q.rows)
        total = total + _dot(part, part)
    if not p.unbiased:
        return total
    xp = _array.namespace(p.rows)
    k, l = p.squares, q.squares  # noqa: E741 (the letters of the formula)
    traces = xp.sum(k) * xp.sum(l) / ((n - 1) * (n - 2))
    return total - n / (n - 2) * xp.vecdot(k, l) + traces


def _inner_mixed(p: Gram | GramBlocks, q: Features) -> Array:
    """<K, YY'> = sum of Y * (K Y): the rows of the linear side are enough."""
    rows, total = _array.widen(q.rows), 0.0
    xp, n = _array.namespace(rows), rows.shape[0]
    for start, stop in spans(n, budget_rows(n, 8 * (n + rows.shape[1]))):
        total = total + xp.sum(rows[start:stop, :] * (p.block(start, stop) @ rows))
    return total


def _inner_grams(p: Gram | GramBlocks, q: Gram | GramBlocks) -> Array:
    if isinstance(p, Gram) and isinstance(q, Gram):
        return _dot(p.matrix, q.matrix)
    n, total = rows_of(p), 0.0
    for start, stop in spans(n, budget_rows(n, 16 * n)):
        total = total + _dot(p.block(start, stop), q.block(start, stop))
    return total


def _effects(sums: Array, n: int, *, unbiased: bool) -> tuple[Array, Array]:
    """Row effects and constant of each centring, from the row sums."""
    total = _array.namespace(sums).sum(sums)
    if unbiased:
        return sums / (n - 2), total / ((n - 1) * (n - 2))
    return sums / n, total / n**2


def _without_diagonal(block: Array, start: int) -> Array:
    """A block of rows, from row `start` of the matrix on, with its diagonal zero."""
    xp, (height, n) = _array.namespace(block), block.shape
    diagonal = xp.eye(height, n, k=start, dtype=xp.bool, device=_array.device(block))
    return xp.where(diagonal, xp.zeros_like(block), block)


def _dot(a: Array, b: Array) -> Array:
    xp = _array.namespace(a, b)
    return xp.vecdot(xp.reshape(a, (-1,)), xp.reshape(b, (-1,)))
