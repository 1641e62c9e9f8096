"""Nearest rows of some query rows, among rows that are read in parts.

Single precision shows that most rows are far from a query. Only the other ones are
compared in double precision, with distances rounded as in `nearest`. The memory is that
of the queries and of one part.
"""

from collections.abc import Callable, Iterator

import numpy as np

from ..errors import InvalidInput, Undefined
from ._blocks import spans
from ._distances import from_squares, rankable

Parts = Callable[[], Iterator[np.ndarray]]

_HEIGHT = 256  # queries of a block, whose distances to a part fit the cache
_LARGEST = 1e30  # squared lengths above it may overflow


@np.errstate(over="ignore", invalid="ignore")  # the last lines check the distances
def nearest_of_queries(
    parts: Parts,
    queries: np.ndarray,
    k: int,
    metric: str,
    given: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Indices and distances of the k nearest other rows of each query, nearest first.

    `queries` are sorted row numbers. `parts` gives all rows in order, and is called
    twice. `metric` is "cosine" or "euclidean". Ties are ordered by index. If the rows
    of the queries are `given`, `queries` only says which row each of them leaves out,
    in any order; -1 leaves out none.
    """
    unit = metric == "cosine"
    rows, center = _first_pass(parts, queries, given, unit=unit)
    rows -= center
    typical = np.median(np.max(np.abs(rows), axis=1))
    # A power of two, so that squares neither overflow nor vanish.
    scale = 1.0 if unit or not typical else 2.0 ** min(-np.round(np.log2(typical)), 1e3)
    search = _Search(rows * scale, queries, k, metric)
    start = 0
    for part in parts():
        search.add((_float64(part, start, unit=unit) - center) * scale, start)
        start += len(part)
    if not (4 * np.finfo(np.float64).eps) ** 2 < np.max(search.ranks) < np.inf:
        many = "all rows are equally near, or squares of distances overflow"
        raise Undefined(f"{many}, by the {metric} metric. Drop rows that are far away.")
    return search.indices, search.ranks


def _first_pass(
    parts: Parts, queries: np.ndarray, given: np.ndarray | None, *, unit: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the queries, and a common center, which makes distances accurate."""
    found, total, start = [], 0.0, 0
    for part in parts():
        wide = _float64(part, start, unit=unit)
        inside = (start <= queries) & (queries < start + len(part))
        found.append(wide[queries[inside] - start])
        total, start = total + wide.sum(axis=0), start + len(part)
    rows = np.concatenate(found) if given is None else _float64(given, 0, unit=unit)
    center = np.asarray(total) / start if unit else np.median(rows, axis=0)
    return rows, center


def _float64(part: np.ndarray, start: int, *, unit: bool) -> np.ndarray:
    wide = part.astype(np.float64)
    if not np.isfinite(wide).all():
        row = start + int(np.argmin(np.isfinite(wide).all(axis=1)))
        raise InvalidInput(f"row {row} has a value that is not finite; drop that row.")
    if not unit:
        return wide
    largest = np.max(np.abs(wide), axis=1, keepdims=True)
    if not largest.all():
        row = start + int(np.argmin(largest))
        raise Undefined(
            f"row {row} is zero, so its cosine with other rows does not exist. Drop "
            f"that stimulus from both sides, or use a Euclidean metric."
        )
    wide /= largest  # squares of very small or large values do not exist
    return wide / np.sqrt(np.vecdot(wide, wide))[:, None]


class _Search:
    """The nearest rows so far. Up to a constant of query i, rows are ordered by
    ``v_ij = |a_j|^2 - 2 <q_i, a_j>``; the error of float32 is at most
    ``c (|q_i|^2 + |a_j|^2)``, as in `_nearest`.
    """

    def __init__(
        self, rows: np.ndarray, queries: np.ndarray, k: int, metric: str
    ) -> None:
        (m, d), self.k, self.metric = rows.shape, k, metric
        self.rows, self.queries = rows, queries
        self.indices = np.full((m, k), -1, dtype=np.int64)
        self.ranks = np.full((m, k), np.inf)
        self.squares = np.vecdot(rows, rows)
        self.c = 2.0 * (d + 8) * 2.0**-24
        self.bound = np.full(m, np.inf)
        self.left = np.ones((m, d + 1), dtype=np.float32)
        with np.errstate(over="ignore"):  # such queries use double precision
            self.left[:, :d] = -2.0 * rows

    def add(self, rows: np.ndarray, start: int) -> None:
        squares = np.vecdot(rows, rows)
        right = np.empty((len(rows), rows.shape[1] + 1), dtype=np.float32)
        with np.errstate(over="ignore"):
            right[:, :-1] = rows
            right[:, -1] = squares * (1.0 - self.c)
        largest = squares.max()
        for top, end in spans(len(self.rows), _HEIGHT):
            if max(largest, self.squares[top:end].max()) < _LARGEST:
                lower = self.left[top:end] @ right.T
                bound = self._bound(lower, slice(top, end), largest)
                near = np.flatnonzero(lower <= bound[:, None])
            else:
                near = np.arange((end - top) * len(rows))
            which, columns = np.divmod(near, len(rows))
            self._merge(top, which, columns, rows, start)

    def _bound(self, lower: np.ndarray, block: slice, largest: float) -> np.ndarray:
        """For each query, a value that no row among the k nearest exceeds."""
        bound = self.bound[block]
        if np.isinf(bound).any() and lower.shape[1] > self.k:
            # One more than k, because a query is not its own neighbor.
            kth = np.partition(lower, self.k, axis=1)[:, self.k].astype(np.float64)
            slack = 2.0 * self.c * (self.squares[block] + largest)
            bound = np.minimum(bound, kth + slack)
        # Add one ulp, because the comparison is in single precision.
        return np.nextafter(bound.astype(np.float32), np.float32(np.inf))

    def _merge(
        self,
        top: int,
        which: np.ndarray,
        columns: np.ndarray,
        rows: np.ndarray,
        start: int,
    ) -> None:
        """Merge candidates: row `columns` of the part, for query `top + which`."""
        other = columns + start != self.queries[top + which]
        which, columns = which[other], columns[other]
        if not which.size:
            return
        touched, which = np.unique(which, return_inverse=True)
        touched += top
        ranks = np.empty(which.size)
        for low, high in spans(which.size, 2**14):
            difference = self.rows[touched[which[low:high]]] - rows[columns[low:high]]
            ranks[low:high] = np.vecdot(difference, difference)
        ranks = rankable(from_squares(ranks, self.metric))
        owner = np.concatenate([np.repeat(np.arange(len(touched)), self.k), which])
        ranks = np.concatenate([self.ranks[touched].ravel(), ranks])
        indices = np.concatenate([self.indices[touched].ravel(), columns + start])
        order = np.lexsort((indices, ranks, owner))
        first = np.searchsorted(owner[order], np.arange(len(touched)))
        kept = order[first[:, None] + np.arange(self.k)]
        self.ranks[touched], self.indices[touched] = ranks[kept], indices[kept]
        kth = self.ranks[touched, -1]
        squared = kth * 2.0 if self.metric == "cosine" else kth**2
        slack = squared * (1.0 + 1e-9)  # ranks are rounded
        self.bound[touched] = slack - self.squares[touched] * (1.0 - self.c)
