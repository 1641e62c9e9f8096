"""Dissimilarities of all pairs of rows as one unit vector: held, or made again.

n (n - 1) / 2 values may be more than the memory budget. Then only the rows are kept,
and the values are made again in pieces whenever they are compared.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ... import _array, _config, _linalg
from ..._array import Array
from ...errors import Undefined

FLAT = (
    "all pairs of rows are equally dissimilar, so there is nothing to correlate. Use "
    "more stimuli, or another inner=."
)


def pairs(n: int) -> int:
    return n * (n - 1) // 2


def before(row: Any, n: int) -> Any:
    """How many pairs i < j have their first member before `row`, or before each."""
    return row * (2 * n - row - 1) // 2


def fits(n: int, bytes_per_pair: int) -> bool:
    """Whether so much for every pair is within three quarters of the memory budget."""
    return 4 * bytes_per_pair * pairs(n) <= 3 * _config.current().memory_budget


def permuted(values: Array, order: np.ndarray) -> Array:
    """One value for each pair of rows, with the rows in another order."""
    order = np.asarray(order, dtype=np.int64)
    n, parts = order.size, []
    for start, stop in _linalg.spans(n, _linalg.budget_rows(n, 8 * n)):
        i = np.repeat(np.arange(start, stop), n - 1 - np.arange(start, stop))
        j = np.arange(i.size) - (before(i, n) - before(start, n)) + i + 1
        first, last = np.minimum(order[i], order[j]), np.maximum(order[i], order[j])
        parts.append(_array.take(values, before(first, n) + last - first - 1))
    return _array.namespace(values).concat(parts)


@dataclass(frozen=True, eq=False)
class PairVector:
    """(d_ij - mean) / length over the pairs i < j, row after row.

    `values` are that vector, or None if it is made from the rows in pieces.
    """

    rows: Array
    metric: str
    mean: Array | float
    length: Array
    values: Array | None

    def piece(self, start: int, stop: int) -> Array:
        """The part of the pairs whose first member is one of these rows."""
        n = self.rows.shape[0]
        if self.values is not None:
            return self.values[before(start, n) : before(stop, n)]
        raw = list(_linalg.pair_distances(self.rows, self.metric, start, stop))
        return (_array.namespace(self.rows).concat(raw) - self.mean) / self.length

    def permute(self, order: np.ndarray) -> "PairVector":
        if self.values is None:
            return replace(self, rows=_array.take(self.rows, order))
        return replace(self, values=permuted(self.values, order))


def pair_vector(rows: Array, metric: str, *, centered: bool) -> PairVector:
    """The vector of dissimilarities with unit length; `centered`: minus its mean."""
    xp, n = _array.namespace(rows), rows.shape[0]
    # Both sides, and while one is made its values, centered and divided.
    held = fits(n, 4 * 8)
    raw = [xp.concat(list(_linalg.pair_distances(rows, metric)))] if held else None

    def pieces() -> Iterator[Array]:
        yield from raw or _linalg.pair_distances(rows, metric)

    mean = sum(xp.sum(v) for v in pieces()) / pairs(n) if centered else 0.0
    square = sum(xp.sum((v - mean) ** 2) for v in pieces())
    whole = sum(_array.number(xp.sum(v**2)) for v in pieces())
    rounding = 16.0 * _array.eps(rows) * whole**0.5
    if _array.number(square) <= rounding**2:
        raise Undefined(FLAT)
    length = xp.sqrt(square)
    values = (raw[0] - mean) / length if raw else None
    return PairVector(rows, metric, mean, length, values)


def inner(p: PairVector, q: PairVector) -> Array:
    """The inner product of two such vectors of as many rows."""
    xp, n = _array.namespace(p.rows, q.rows), p.rows.shape[0]
    if p.values is not None and q.values is not None:
        return xp.vecdot(p.values, q.values)
    return sum(
        xp.vecdot(p.piece(start, stop), q.piece(start, stop))
        for start, stop in _linalg.spans(n, _linalg.budget_rows(n, 8 * n))
    )
