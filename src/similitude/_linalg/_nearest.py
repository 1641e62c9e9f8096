"""Nearest neighbors: exact, ties by index, at the speed of a float32 product.

Most pairs of rows are far apart, and single precision is sufficient to show it. It
gives an interval that contains the distance of a pair. Only pairs whose interval
overlaps that of the k-th nearest are computed in double precision. These distances are
rounded, so equal distances tie, and then ranked.
"""

from collections.abc import Iterator

import numpy as np

from .._base._parts import in_parts
from ._blocks import budget_rows, spans
from ._distances import cross_distances, expanded, from_squares, rankable

_GROUP = 32  # columns of a group; minima of groups give a first threshold
_HEIGHT = 256  # rows of a block, which then fits the cache
_FEW = 256  # for fewer rows, double precision is used directly
_DENSE = 64  # reading one row out of order costs as much as this many products


def nearest(rows: np.ndarray, k: int, metric: str) -> np.ndarray:
    """Indices of the k nearest other rows of each row, n x k, nearest first.

    `rows` are the result of `metric_rows` for this metric. With metric="inner" they are
    raw rows, and the largest inner product is nearest. Ties are ordered by index.
    """
    space, n = _Space(rows, metric), rows.shape[0]
    screen = _screen(space, k)
    height = min(_HEIGHT, budget_rows(n, 8 * n))

    def compute(first: int) -> Iterator[np.ndarray]:
        for start, stop in spans(n, height):
            if start < first:
                continue
            found = np.empty((stop - start, k), dtype=np.int64)
            chosen = np.zeros(stop - start, dtype=bool)
            if screen is not None:
                chosen, lists = screen.nearest(start, stop)
                found[chosen] = lists
            rest = np.flatnonzero(~chosen)
            if rest.size:
                found[rest] = _k_smallest(space.distances(start + rest), k)
            yield found

    return in_parts("neighbors", (rows, k, metric, height), n, compute)


def tied_rows(rows: np.ndarray, lists: np.ndarray, metric: str) -> int:
    """The number of rows that are equally far from the last two rows in their list.

    The tolerance is far above rounding errors, and far below the gaps of random data.
    """
    which = np.arange(rows.shape[0])
    last = _Space(rows, metric).listed(which, lists[:, -2:])
    return int(np.count_nonzero(last[:, 1] - last[:, 0] <= 1e-9 * last[:, 1]))


def places(rows: np.ndarray, lists: np.ndarray, metric: str) -> np.ndarray:
    """The places of the listed rows by their distance from each row; 1 is nearest."""
    space, (n, k) = _Space(rows, metric), lists.shape
    found, columns = np.empty((n, k), dtype=np.int64), np.arange(n)
    for start, stop in spans(n, min(_HEIGHT, budget_rows(n, 8 * n))):
        distances = space.distances(np.arange(start, stop))
        for r in range(k):
            listed = lists[start:stop, r, None]
            own = np.take_along_axis(distances, listed, axis=1)
            before = (distances < own) | ((distances == own) & (columns < listed))
            found[start:stop, r] = 1 + np.count_nonzero(before, axis=1)
    return found


def listed_products(
    rows: np.ndarray, which: np.ndarray, lists: np.ndarray
) -> np.ndarray:
    """Inner products of the rows `which` with the rows in their lists, one list each.

    If lists are long compared with the table, the full product is cheaper than reading
    rows out of order.
    """
    out, (n, d), length = np.empty(lists.shape), rows.shape, lists.shape[1]
    dense = n <= _DENSE * length
    height = budget_rows(len(which), 8 * (n if dense else length * d))
    for start, stop in spans(len(which), min(_HEIGHT, height)):
        a, columns = rows[which[start:stop]], lists[start:stop]
        if dense:
            out[start:stop] = np.take_along_axis(a @ rows.T, columns, axis=1)
        else:
            out[start:stop] = (rows[columns] @ a[:, :, None])[:, :, 0]
    return out


class _Space:
    """Distances between rows in double precision, rounded for rank statistics."""

    def __init__(self, rows: np.ndarray, metric: str) -> None:
        self.rows, self.metric = rows, metric
        self.squares = np.vecdot(rows, rows)

    def distances(self, which: np.ndarray) -> np.ndarray:
        """Distances of the rows `which` to all rows; infinite to themselves."""
        a = self.rows[which]
        if self.metric == "inner":
            values = -(a @ self.rows.T)
        else:
            values = cross_distances(a, self.rows, self.metric)
        values = rankable(values)
        values[np.arange(which.size), which] = np.inf
        return values

    def listed(self, which: np.ndarray, lists: np.ndarray) -> np.ndarray:
        """Distances of the rows `which` to the rows in their lists."""
        products = listed_products(self.rows, which, lists)
        if self.metric == "inner":
            return rankable(-products)
        squares = expanded(products, self.squares[which, None], self.squares[lists])
        return rankable(from_squares(squares, self.metric))


def _screen(space: _Space, k: int) -> "_Screen | None":
    """The screen in single precision, or None if it is not faster or may overflow."""
    n = space.rows.shape[0]
    width = min(_GROUP, n // (8 * k))
    typical = np.median(space.squares)
    if n < _FEW or width < 4 or not 0 < typical <= space.squares.max() < 1e30 * typical:
        return None
    scale = 2.0 ** -np.round(np.log2(typical) / 2)
    return _Screen(space, k, width, scale)


class _Screen:
    """Candidates for the k nearest rows, from single precision.

    Up to a constant of row i, rows are ordered by ``v_ij = b_j - 2 <a_i, a_j>``, where
    ``b_j = |a_j|^2`` for a distance and 0 for the inner product. The error of a product
    of float32 rows is at most ``m_ij = c (|a_i|^2 + |a_j|^2)``, c = 2 (d + 8) 2^-24, in
    any order of summation. One more column in the product gives the lower ends
    ``v_ij - c |a_j|^2``.
    """

    def __init__(self, space: _Space, k: int, width: int, scale: float) -> None:
        n, d = space.rows.shape
        self.space, self.k, self.width = space, k, width
        self.squares = space.squares * scale**2
        self.c = 2.0 * (d + 8) * 2.0**-24
        offset = (0.0 if space.metric == "inner" else self.squares) - (
            self.c * self.squares
        )
        columns = -(-n // width) * width
        self.left = np.empty((n, d + 1), dtype=np.float32)
        self.left[:, :d] = space.rows * (-2.0 * scale)
        self.left[:, d] = 1.0
        # Padding columns are far from every row.
        self.right = np.zeros((columns, d + 1), dtype=np.float32)
        self.right[:n, :d] = space.rows * scale
        self.right[:n, d] = offset
        self.right[n:, d] = 3e38

    def nearest(self, start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
        """Mask of the rows that were decided, and the k nearest of these rows."""
        own = np.arange(start, stop)
        lower = self.left[start:stop] @ self.right.T
        lower[own - start, own] = np.inf
        # The k-th smallest group minimum is at least the k-th smallest entry.
        groups = lower.reshape(own.size, self.width, -1).min(axis=1)
        guess = np.partition(groups, self.k - 1, axis=1)[:, self.k - 1]
        most = 4 * self.k + 64
        first = _Ragged(lower <= guess[:, None], most)
        # Upper ends of at least k entries bound the k-th smallest upper end.
        upper = first.padded(lower) + 2.0 * self.c * (
            self.squares[start:stop, None] + first.padded_of_columns(self.squares)
        )
        bound = np.partition(upper, self.k - 1, axis=1)[:, self.k - 1]
        # Add one ulp, because the comparison is in single precision.
        bound = np.nextafter(bound.astype(np.float32), np.float32(np.inf))
        candidates = _Ragged(lower <= bound[:, None], most)
        decided = first.fits & candidates.fits
        lists = candidates.lists[decided]
        distances = self.space.listed(own[decided], lists)
        distances[candidates.absent[decided]] = np.inf
        # Lists are in the order of columns, and a stable sort keeps it for ties.
        order = np.argsort(distances, axis=1, kind="stable")[:, : self.k]
        return decided, np.take_along_axis(lists, order, axis=1)


class _Ragged:
    """Columns selected by a mask: one list per row, padded to equal length."""

    def __init__(self, mask: np.ndarray, most: int) -> None:
        height, width = mask.shape
        counts = np.count_nonzero(mask, axis=1)
        self.fits = counts <= most
        if not self.fits.all():
            mask &= self.fits[:, None]
        rows, columns = np.divmod(np.flatnonzero(mask), width)
        counts = np.where(self.fits, counts, 0)
        place = np.arange(rows.size) - np.repeat(np.cumsum(counts) - counts, counts)
        length = max(int(counts.max()), 1)
        self.lists = np.zeros((height, length), dtype=np.int64)
        self.lists[rows, place] = columns
        self.absent = np.arange(length)[None, :] >= counts[:, None]

    def padded(self, values: np.ndarray) -> np.ndarray:
        """Entries of a matrix at the lists; infinite in the padding."""
        taken = np.take_along_axis(values, self.lists, axis=1).astype(np.float64)
        return np.where(self.absent, np.inf, taken)

    def padded_of_columns(self, values: np.ndarray) -> np.ndarray:
        return values[np.minimum(self.lists, values.size - 1)]


def _k_smallest(distances: np.ndarray, k: int) -> np.ndarray:
    """Columns of the k smallest entries of each row, in order, ties by column.

    A partition finds the k-th smallest value. Of the entries equal to it, the first
    columns are taken; a partition alone does not guarantee this.
    """
    kth = np.partition(distances, k - 1, axis=1)[:, k - 1, None]
    tied = distances == kth
    room = k - np.sum(distances < kth, axis=1, keepdims=True)
    chosen = (distances < kth) | (tied & (np.cumsum(tied, axis=1) <= room))
    columns = np.nonzero(chosen)[1].reshape(-1, k)
    nearness = np.take_along_axis(distances, columns, axis=1)
    return np.take_along_axis(columns, np.argsort(nearness, axis=1, kind="stable"), 1)
