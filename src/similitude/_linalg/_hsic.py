"""Inner products of centered Gram matrices, used by HSIC, CKA and related measures.

Let K = [k(x_i, x_j)] and L = [l(y_i, y_j)].

* HSIC_0 (biased): <HKH, HLH> / (n - 1)^2;
* HSIC_1 (unbiased): <U(K), U(L)> / (n (n - 3)).

Both centerings are self-adjoint projections, so it suffices to center one side. A
linear kernel needs neither n x n matrix: with centered rows and ``k_i = |x_i|^2``::

    <HKH, HLH>   = |X'Y|_F^2
    <U(K), U(L)> = |X'Y|_F^2 - n/(n-2) sum_i k_i l_i + (sum k)(sum l)/((n-1)(n-2)).

`inner` handles every combination of the forms in which a side is stored.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from .._base._array import Array, from_numpy, namespace, number, to_numpy, widen
from ..errors import Undefined
from ._blocks import budget_rows, cross_product, spans
from ._classes import class_terms
from ._grams import Features, Gram, Side
from ._symmetric import panels


def norm(p: Side, square: Array | None = None) -> Array:
    """Norm ``|K|`` of a centered Gram; raise `Undefined` if it is only rounding error.

    `square` is <K, K>, if it was computed before.
    """
    square = inner(p, p) if square is None else square
    check_above_noise(square, p.noise)
    return namespace(square).sqrt(square)


def check_above_noise(square: Array, noise: float) -> None:
    """Raise `Undefined` if <K, K> = `square` is not above its noise."""
    if number(square) <= noise:
        raise Undefined(
            "the Gram matrix of this representation is 0 up to rounding after "
            "centering. Its rows are mutually orthogonal up to a shift (for example "
            "equidistant rows, or a single outlier among equal rows), or the bandwidth "
            "is unsuitable. Use more stimuli, another bandwidth, or estimator='biased'."
        )


def worst_error(p: Side, square: Array) -> float:
    """Largest relative rounding error of <K, K> = `square`.

    For rows, `square` is a difference of sums, and the error is the noise. For a Gram,
    the noise is the squared error of the entries, so the relative error is its root.
    """
    ratio = p.noise / max(number(square), p.noise, 1e-300)
    return ratio if isinstance(p, Features) else math.sqrt(ratio)


def inner(p: Side, q: Side) -> Array:
    """<K, L> of the centered Grams: (n - 1)^2 HSIC_0, or n (n - 3) HSIC_1."""
    if isinstance(p, Features) and isinstance(q, Features):
        return _inner_features(p, q)
    if isinstance(p, Features):
        p, q = q, p
    assert not isinstance(p, Features)
    if isinstance(q, Features):
        return _inner_mixed(p, q)
    return _inner_grams(p, q)


def inner_all(sides: Sequence[Side]) -> Array:
    """The matrix of `inner` over all pairs, as one product of vectorized Grams.

    K Grams cost K n^2 d / 2 multiplications once, and each of the K^2 / 2 pairs costs
    n^2 / 2 more. Computed separately, each pair costs n d^2. The cheaper way is chosen.
    """
    linear = [s for s in sides if isinstance(s, Features)]
    if len(linear) < len(sides):
        return _products(sides, linear=False)
    if pairs_are_cheaper(linear):
        return _pair_by_pair(sides)
    return _products(sides, linear=True) + _corrections(linear)


def pairs_are_cheaper(sides: Sequence[Features]) -> bool:
    """Whether X'Y of every pair takes fewer multiplications than all Grams."""
    n, widths = sides[0].n, [s.rows.shape[1] for s in sides]
    grams = n * n * sum(w / 2 + 100 for w in widths) + (n * len(sides) / 2) ** 2
    return n * sum(widths) ** 2 / 2 < grams


def _products(sides: Sequence[Side], *, linear: bool) -> Array:
    """<K, L> of all pairs; if all are `linear`, of Grams that are not yet centered.

    Columns to the right of the diagonal block of a panel count twice.
    """
    n, count, total = sides[0].n, len(sides), 0.0
    step = min(128, budget_rows(n, 8 * n * count))
    space = np.empty(count * step * n)
    for start, stop in spans(n, step):
        blocks = (
            s.product(start, stop, start)
            if linear and isinstance(s, Features)
            else s.block(start, stop, start)
            for s in sides
        )
        stack = _stack(blocks, (count, stop - start, n - start), space)
        xp = namespace(stack)
        square = xp.reshape(stack[:, :, : stop - start], (count, -1))
        stack = xp.reshape(stack, (count, -1))
        total = total + (2.0 * (stack @ stack.T) - square @ square.T)
    return total


def _stack(
    blocks: Iterator[Array], shape: tuple[int, int, int], space: np.ndarray
) -> Array:
    """Stack the blocks; in numpy, `space` is reused for every stack.

    The first use of new memory costs as much as the products that fill it.
    """
    first = next(blocks)
    if not isinstance(first, np.ndarray):
        return namespace(first).stack([first, *blocks])
    stack = np.reshape(space[: math.prod(shape)], shape)
    stack[0] = first
    for i, block in enumerate(blocks, start=1):
        stack[i] = block
    return stack


def _pair_by_pair(sides: Sequence[Side]) -> Array:
    """`inner_all`, one pair at a time; the lower half is copied from the upper."""
    count = len(sides)
    upper = {
        (i, j): inner(sides[i], sides[j]) for i in range(count) for j in range(i, count)
    }
    xp = namespace(upper[0, 0])
    rows = [[upper[min(i, j), max(i, j)] for j in range(count)] for i in range(count)]
    return xp.stack([xp.stack(row) for row in rows])


def _corrections(sides: Sequence[Features]) -> Array:
    """Terms of the unbiased sum besides ``|X'Y|^2``, for all pairs."""
    if not sides[0].unbiased:
        return 0.0
    xp, n, classes = namespace(sides[0].squares), sides[0].n, sides[0].classes
    if classes is not None:
        host = np.stack([to_numpy(s.squares) for s in sides])
        return widen(from_numpy(class_terms(host, classes), sides[0].squares))
    squares = xp.stack([s.squares for s in sides])
    traces = xp.sum(squares, axis=1) / ((n - 1) * (n - 2)) ** 0.5
    return traces[:, None] * traces[None, :] - n / (n - 2) * (squares @ squares.T)


def _inner_features(p: Features, q: Features) -> Array:
    d, total = p.rows.shape[1], 0.0
    if p is q and budget_rows(d, 8 * d) == d:
        total = _dot(p.covariance, p.covariance)
    else:
        # In blocks of columns of p, to keep d1 x d2 numbers within the memory budget.
        for start, stop in spans(d, budget_rows(d, 8 * q.rows.shape[1])):
            part = cross_product(p.rows[:, start:stop], q.rows)
            total = total + _dot(part, part)
    return inner_from_product(p, q, total)


def inner_from_product(p: Features, q: Features, total: Array) -> Array:
    """`inner` of two linear kernels, from ``|X'Y|^2``."""
    if not p.unbiased:
        return total
    if p.classes is not None:
        return total + _corrections([p, q])[0, 1]
    xp, n = namespace(p.rows), p.n
    k, l = p.squares, q.squares  # noqa: E741 (the letters of the formula)
    traces = xp.sum(k) * xp.sum(l) / ((n - 1) * (n - 2))
    return total - n / (n - 2) * xp.vecdot(k, l) + traces


def _inner_mixed(p: Gram, q: Features) -> Array:
    """<K, YY'> = sum of Y * (K Y), from the rows of the linear side."""
    rows, total = widen(q.rows), 0.0
    xp, n = namespace(rows), rows.shape[0]
    for start, stop in panels(n):
        k, height = p.block(start, stop, start), stop - start
        mapped = k[:, :height] @ rows[start:stop, :]
        if stop < n:
            mapped = mapped + 2.0 * (k[:, height:] @ rows[stop:, :])
        total = total + xp.sum(rows[start:stop, :] * mapped)
    return total


def _inner_grams(p: Gram, q: Gram) -> Array:
    n, total = p.n, 0.0
    for start, stop in panels(n):
        k, l = p.block(start, stop, start), q.block(start, stop, start)  # noqa: E741
        height = stop - start
        diagonal = _dot(k[:, :height], l[:, :height])
        total = total + 2.0 * _dot(k, l) - diagonal
    return total


def _dot(a: Array, b: Array) -> Array:
    xp = namespace(a, b)
    return xp.vecdot(xp.reshape(a, (-1,)), xp.reshape(b, (-1,)))
