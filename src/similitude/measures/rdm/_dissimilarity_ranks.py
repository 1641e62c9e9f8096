"""Ranks of the dissimilarities of all pairs, by sorting integers within the budget.

A dissimilarity that is rounded to 36 binary digits is an integer of 47 bits. The index
of its pair is stored in the remaining bits, so that one plain sort ranks all pairs. An
indirect sort would read memory at random n log n times.

Ranks are stored as 2 r - (m + 1). These are integers, also for mean ranks of ties, and
they sum to 0. If the ranks do not fit into the budget, they are counted in pieces, from
sorted pieces of the same dissimilarities.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ... import _linalg
from ..._base import _array, _config
from ..._base._array import Array
from ...errors import Undefined
from ._dissimilarity_vectors import ALL_EQUAL, fits, pairs, pairs_before, permuted

_CHUNK = 2**18  # values per pass, to stay in the cache
_CELL = 31  # low bits of a key that the histogram ignores


@dataclass(frozen=True, eq=False)
class PairRanks:
    """2 r - (m + 1) over the pairs i < j, row after row.

    `values` holds these ranks. It is None if they are counted from `rows` in pieces.
    """

    rows: np.ndarray
    metric: str
    values: np.ndarray | None
    like: Array
    square: float | None = None  # sum of squares of `values`

    def piece(self, start: int, stop: int) -> np.ndarray:
        """Ranks of the pairs whose first row is in `start` to `stop`."""
        n = self.rows.shape[0]
        if self.values is not None:
            return self.values[pairs_before(start, n) : pairs_before(stop, n)]
        return _ranks_by_counting(self.rows, self.metric, start, stop)

    @functools.cached_property
    def invariants(self) -> _linalg.Invariants:
        """Terms of the moments over permutations, computed once for all pairs."""
        assert self.values is not None
        matrix = _linalg.hollow(self.values, self.rows.shape[0])
        return _linalg.hollow_invariants(matrix.astype(np.float64))

    def permute(self, order: np.ndarray) -> "PairRanks":
        if self.values is None:
            return replace(self, rows=self.rows[order])
        return replace(self, values=permuted(self.values, order))


def pair_ranks(rows: Array, metric: str) -> PairRanks:
    """Ranks of all pairs of rows; raises `Undefined` if all pairs tie."""
    plain = _array.to_numpy(rows)
    # Bytes per pair: keys, keys packed with their pairs, ranks of both sides.
    held = fits(plain.shape[0], 8 + 8 + 4 + 4)
    if not held:
        _check_not_all_equal(plain, metric)
        return PairRanks(plain, metric, None, rows[:1, :1])
    values = _ranks_by_sorting(plain, metric)
    square = sum(float(v @ v) for v in _chunks(values))
    if square == 0:
        raise Undefined(ALL_EQUAL)
    return PairRanks(plain, metric, values, rows[:1, :1], square)


def correlation(p: PairRanks, q: PairRanks) -> float:
    """Spearman's correlation of two sides with equal n; computes each piece once."""
    n, products, squares = p.rows.shape[0], 0.0, [p.square or 0.0, q.square or 0.0]
    for start, stop in _row_spans(n):
        a, b = p.piece(start, stop), q.piece(start, stop)
        for v, w in zip(_chunks(a), _chunks(b), strict=True):
            products += float(v @ w)
            squares[0] += 0.0 if p.square else float(v @ v)
            squares[1] += 0.0 if q.square else float(w @ w)
    return products / (squares[0] ** 0.5 * squares[1] ** 0.5)


def _chunks(ranks: np.ndarray) -> Iterator[np.ndarray]:
    for top, end in _linalg.spans(ranks.size, _CHUNK):
        yield ranks[top:end].astype(np.float64)


def _check_not_all_equal(rows: np.ndarray, metric: str) -> None:
    ends = [
        (part.min(), part.max())
        for part in _keys(rows, metric, 0, len(rows))
        if part.size
    ]
    if min(low for low, _ in ends) == max(high for _, high in ends):
        raise Undefined(ALL_EQUAL)


def _row_spans(n: int) -> Iterator[tuple[int, int]]:
    """Spans of rows whose pairs take half of the budget while ranks are counted.

    Each pair takes 64 bytes: keys, their order, sorted keys, ranks in both orders,
    work memory of the sort, and the ranks of the other side.
    """
    yield from _linalg.spans(n, max(1, _config.block_budget() // (2 * 64 * n)))


def _keys(rows: np.ndarray, metric: str, start: int, stop: int) -> Iterator[np.ndarray]:
    """Rounded dissimilarities as integers with the same ranks, in pieces."""
    for part in _linalg.pair_distances(rows, metric, start, stop):
        keys = _linalg.rankable(part).view(np.uint64)
        keys >>= np.uint64(16)
        yield keys


def _ranks_by_sorting(rows: np.ndarray, metric: str) -> np.ndarray:
    """Ranks by sorting all keys, each packed with the index of its pair."""
    n = rows.shape[0]
    m, filled = pairs(n), 0
    keys = np.empty(m, dtype=np.uint64)
    for part in _keys(rows, metric, 0, n):
        keys[filled : filled + part.size] = part
        filled += part.size
    ranks = np.empty(m, dtype=np.int32 if m < 2**31 else np.int64)
    bits = max(m - 1, 1).bit_length()
    segments, below = _segments(keys, 64 - bits), 0
    for low, high in segments:
        if len(segments) == 1:
            packed = _pack(keys, low, bits)
        else:
            packed = _pack_range(keys, low, high, bits)
        packed.sort()
        _scatter(packed, bits, below, ranks)
        below += packed.size
    return ranks


def _segments(keys: np.ndarray, width: int) -> list[tuple[int, int]]:
    """Ranges of at most 2^width that cover all keys; usually there is only one."""
    low, high = int(keys.min()), int(keys.max())
    if high - low < 2**width:
        return [(low, high + 1)]
    counts = np.zeros((high >> _CELL) + 1, dtype=np.int64)
    for top, end in _linalg.spans(keys.size, _CHUNK):
        cells = (keys[top:end] >> np.uint64(_CELL)).astype(np.int64)
        counts += np.bincount(cells, minlength=counts.size)
    found: list[tuple[int, int]] = []
    for cell in np.flatnonzero(counts).tolist():
        first = cell << _CELL
        if found and first + 2**_CELL - found[-1][0] <= 2**width:
            found[-1] = (found[-1][0], first + 2**_CELL)
        else:
            found.append((first, first + 2**_CELL))
    return found


def _pack(keys: np.ndarray, low: int, bits: int) -> np.ndarray:
    """All keys, shifted to begin at 0 and packed with their pair index, in place."""
    for top, end in _linalg.spans(keys.size, _CHUNK):
        part = keys[top:end]
        part -= np.uint64(low)
        part <<= np.uint64(bits)
        part |= np.arange(top, end, dtype=np.uint64)
    return keys


def _pack_range(keys: np.ndarray, low: int, high: int, bits: int) -> np.ndarray:
    """As `_pack`, for the keys in [low, high), in a new array."""

    def in_range(top: int, end: int) -> np.ndarray:
        part = keys[top:end]
        return (part >= np.uint64(low)) & (part < np.uint64(high))

    parts = list(_linalg.spans(keys.size, _CHUNK))
    count = sum(int(np.count_nonzero(in_range(*part))) for part in parts)
    packed, filled = np.empty(count, dtype=np.uint64), 0
    for top, end in parts:
        where = np.flatnonzero(in_range(top, end)) + top
        part = (keys[where] - np.uint64(low)) << np.uint64(bits)
        packed[filled : filled + where.size] = part | where.astype(np.uint64)
        filled += where.size
    return packed


def _scatter(packed: np.ndarray, bits: int, below: int, ranks: np.ndarray) -> None:
    """Write 2 r - (m + 1) of each pair; `below` pairs have smaller ranks."""
    m, shift = ranks.size, np.uint64(bits)
    number = np.uint64(2**bits - 1)
    for top, end in _linalg.spans(packed.size, _CHUNK):
        part = packed[top:end]
        keys = part >> shift
        places = np.arange(top, end)
        # A run of equal keys in [s, e) has the mean rank (s + 1 + e) / 2. Almost all
        # runs have length one.
        twice = 2 * places + 1
        new = np.empty(keys.size + 1, dtype=bool)
        new[1:-1] = keys[1:] != keys[:-1]
        new[0] = top == 0 or packed[top - 1] >> shift != keys[0]
        new[-1] = end == packed.size or packed[end] >> shift != keys[-1]
        if not new.all():
            first = np.searchsorted(packed, keys[0] << shift)
            last = np.searchsorted(packed, keys[-1] << shift | number, side="right")
            start = np.where(new[:-1], places, first)
            stop = np.where(new[1:], places + 1, last)
            np.maximum.accumulate(start, out=start)
            stop = np.minimum.accumulate(stop[::-1])[::-1]
            twice = start + stop
        ranks[(part & number).astype(np.int64)] = twice + (2 * below - m)


def _ranks_by_counting(
    rows: np.ndarray, metric: str, start: int, stop: int
) -> np.ndarray:
    """Ranks of some pairs, from the numbers of all pairs below them and tied."""
    n = rows.shape[0]
    keys = np.concatenate(list(_keys(rows, metric, start, stop)))
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    total = np.full(keys.size, -pairs(n), dtype=np.int64)
    for part in _keys(rows, metric, 0, n):
        part.sort()
        for top, end in _linalg.spans(keys.size, _CHUNK):
            for side in ("left", "right"):
                total[top:end] += np.searchsorted(part, keys[top:end], side=side)
    ranks = np.empty_like(total)
    ranks[order] = total
    return ranks
