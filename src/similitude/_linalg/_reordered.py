"""Inner products of one centered Gram with many reorderings of another.

A new order of rows moves the entries of a Gram but does not change them. So two Grams
suffice for any number of orders. Each order costs n^2 / 2 multiplications and as many
reads in random order; with the rows of a linear kernel it costs n d^2.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from .._base import _array, _parallel
from .._base._array import Array
from .._base._compile import kernels
from ._blocks import spans
from ._grams import Features, Gram, Side
from ._hsic import inner
from ._symmetric import fits

_READ = 36.0  # cost of one read in random order, in multiplications
GATHERED = _READ / 2  # multiplications per entry of n x n matrices, for one order
_TILE = 256
_WORTH_COMPILING = 2e8  # with fewer entries, numpy is faster than loading numba


def inner_orders(p: Side, q: Side, orders: np.ndarray) -> Array:
    """``inner(p, q.permute(order))`` for every row of `orders`, 1-d."""
    if not _gathering_is_cheaper(p, q, len(orders)):
        values = [inner(p, q.permute(order)) for order in orders]
        return _array.namespace(values[0]).stack(values)
    k, l = _matrix(p), _matrix(q)  # noqa: E741
    single = all(isinstance(s, Features) and _array.eps(s.rows) > 1e-10 for s in (p, q))
    dtype = np.float32 if single else np.float64  # products of float32 rows
    totals = _gathered(k, l, np.ascontiguousarray(orders, dtype=np.int64), dtype)
    if isinstance(p, Features) and isinstance(q, Features) and p.unbiased:
        n, squares = p.n, _array.to_numpy(p.squares)
        others = _array.to_numpy(q.squares)
        totals -= n / (n - 2) * (others[orders] @ squares)
        totals += np.sum(squares) * np.sum(others) / ((n - 1) * (n - 2))
    like = p.like if isinstance(p, Gram) else p.rows
    return _array.widen(_array.from_numpy(totals, like))


def _gathering_is_cheaper(p: Side, q: Side, count: int) -> bool:
    """Whether two n x n matrices fit in memory and are cheaper than rows."""
    n = p.n
    if isinstance(p, Features) and isinstance(q, Features):
        if p.classes is not None:
            return False  # the correction of a class depends on the order
        d1, d2 = p.rows.shape[1], q.rows.shape[1]
        grams = n * n * (d1 + d2) / 2
        return fits(n) and grams + count * n * n / 2 * _READ < count * n * d1 * d2
    return fits(n) and not any(
        isinstance(side, Gram) and side.source is not None for side in (p, q)
    )


def _matrix(side: Side) -> np.ndarray:
    """The Gram in numpy: a `Gram` as it is stored, and for rows their inner products.

    It suffices that one of two Grams is centered; if neither is, `inner_orders` adds
    the correction.
    """
    if isinstance(side, Features):
        matrix = side.product(0, side.n)
    else:
        assert isinstance(side, Gram)
        matrix = side.matrix
    return np.ascontiguousarray(_array.to_numpy(matrix))


def _gathered(
    k: np.ndarray,
    l: np.ndarray,  # noqa: E741
    orders: np.ndarray,
    dtype: type,
) -> np.ndarray:
    """sum_ij k_ij l_{o(i) o(j)}; `dtype` has the precision of k and l."""
    if orders.shape[0] * k.size >= _WORTH_COMPILING:
        k, l = (np.asarray(v, dtype=dtype) for v in (k, l))  # noqa: E741
        compiled = kernels("similitude._linalg._gather_kernels").gathered
        return _order_by_order(partial(compiled, k, l), orders)
    rows, entries = np.empty_like(l), np.empty_like(l)
    totals = np.empty(len(orders))
    for b, order in enumerate(orders):
        # The indices are valid, and `take` without a check is faster.
        np.take(l, order, axis=0, out=rows, mode="clip")
        np.take(rows, order, axis=1, out=entries, mode="clip")
        totals[b] = np.vdot(k, entries)
    return totals


def _order_by_order(
    sums: Callable[[np.ndarray], np.ndarray], orders: np.ndarray
) -> np.ndarray:
    """The sums of all orders, over the configured threads, which share the matrices."""
    each = [orders[b : b + 1] for b in range(len(orders))]
    return np.concatenate(list(_parallel.map_threads(sums, each)))


def pairs_inner_orders(k: np.ndarray, l: np.ndarray, orders: np.ndarray) -> np.ndarray:  # noqa: E741
    """sum_{i<j} k_ij l_{o(i) o(j)} for every order o.

    Both sides have one value for each pair i < j, row after row: int32 or float64.
    """
    orders = np.ascontiguousarray(orders, dtype=np.int64)
    count, n = orders.shape
    if count * n * n >= _WORTH_COMPILING:
        compiled = kernels("similitude._linalg._gather_kernels").gathered_pairs
        return _order_by_order(partial(compiled, k, hollow(l, n)), orders)
    a, b = (hollow(values, n).astype(np.float64) for values in (k, l))
    return _gathered(a, b, orders, np.float64) / 2.0


def hollow(values: np.ndarray, n: int) -> np.ndarray:
    """The symmetric n x n matrix with these values above the diagonal, and 0 on it."""
    matrix, done = np.zeros((n, n), dtype=values.dtype), 0
    for i in range(n - 1):
        stop = done + n - 1 - i
        matrix[i, i + 1 :] = values[done:stop]
        done = stop
    for start, stop in spans(n, _TILE):  # a transposed copy in tiles stays in the cache
        for first, last in spans(stop, _TILE):
            block = matrix[start:stop, first:last]
            if first < start:
                block[...] = matrix[first:last, start:stop].T
            else:
                block += block.T
    return matrix
