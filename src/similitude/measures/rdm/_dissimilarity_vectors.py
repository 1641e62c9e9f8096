"""Dissimilarities of all pairs of rows as one unit vector, stored or recomputed.

If n (n - 1) / 2 values exceed the memory budget, only the rows are stored. Each
comparison then recomputes the values in pieces.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ... import _linalg
from ..._base import _array, _config
from ..._base._array import Array
from ...errors import Undefined

ALL_EQUAL = (
    "all pairs of rows are equally dissimilar, so their correlation is undefined. Use "
    "more stimuli, or another inner=."
)


def pairs(n: int) -> int:
    return n * (n - 1) // 2


def pairs_before(row: Any, n: int) -> Any:
    """Number of pairs i < j with i < `row`; `row` may be an array."""
    return row * (2 * n - row - 1) // 2


def fits(n: int, bytes_per_pair: int) -> bool:
    """Whether all pairs fit into three quarters of the memory budget."""
    return 4 * bytes_per_pair * pairs(n) <= 3 * _config.block_budget()


def permuted(values: Array, order: np.ndarray) -> Array:
    """Values of all pairs of rows, after the rows are permuted."""
    order = np.asarray(order, dtype=np.int64)
    n, parts = order.size, []
    for start, stop in _linalg.spans(n, _linalg.budget_rows(n, 8 * n)):
        i = np.repeat(np.arange(start, stop), n - 1 - np.arange(start, stop))
        j = np.arange(i.size) - (pairs_before(i, n) - pairs_before(start, n)) + i + 1
        first, last = np.minimum(order[i], order[j]), np.maximum(order[i], order[j])
        parts.append(_array.take(values, pairs_before(first, n) + last - first - 1))
    return _array.namespace(values).concat(parts)


@dataclass(frozen=True, eq=False)
class PairVector:
    """(d_ij - mean) / length over the pairs i < j, row after row.

    `values` holds this vector. It is None if it is recomputed from `rows` in pieces.
    """

    rows: Array
    metric: str
    mean: Array | float
    length: Array
    values: Array | None

    def piece(self, start: int, stop: int) -> Array:
        """Values of the pairs whose first row is in `start` to `stop`."""
        n = self.rows.shape[0]
        if self.values is not None:
            return self.values[pairs_before(start, n) : pairs_before(stop, n)]
        raw = list(_linalg.pair_distances(self.rows, self.metric, start, stop))
        return (_array.namespace(self.rows).concat(raw) - self.mean) / self.length

    def permute(self, order: np.ndarray) -> "PairVector":
        if self.values is None:
            return replace(self, rows=_array.take(self.rows, order))
        return replace(self, values=permuted(self.values, order))


def pair_vector(rows: Array, metric: str, *, centered: bool) -> PairVector:
    """Dissimilarities scaled to unit length; `centered` subtracts their mean first."""
    xp, n = _array.namespace(rows), rows.shape[0]
    # Memory for both sides, and for the centered and divided copies of one.
    held = fits(n, 4 * 8)
    raw = [xp.concat(list(_linalg.pair_distances(rows, metric)))] if held else None

    def pieces() -> Iterator[Array]:
        yield from raw or _linalg.pair_distances(rows, metric)

    mean = sum(xp.sum(v) for v in pieces()) / pairs(n) if centered else 0.0
    square = sum(xp.sum((v - mean) ** 2) for v in pieces())
    whole = sum(_array.number(xp.sum(v**2)) for v in pieces())
    rounding = 16.0 * _array.eps(rows) * whole**0.5
    if _array.number(square) <= rounding**2:
        raise Undefined(ALL_EQUAL)
    length = xp.sqrt(square)
    values = (raw[0] - mean) / length if raw else None
    return PairVector(rows, metric, mean, length, values)


def inner(p: PairVector, q: PairVector) -> Array:
    """The inner product of two vectors with equal n."""
    xp, n = _array.namespace(p.rows, q.rows), p.rows.shape[0]
    if p.values is not None and q.values is not None:
        return xp.vecdot(p.values, q.values)
    return sum(
        xp.vecdot(p.piece(start, stop), q.piece(start, stop))
        for start, stop in _linalg.spans(n, _linalg.budget_rows(n, 8 * n))
    )
