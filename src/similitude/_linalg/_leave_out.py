"""Inner products of centered Grams without some of their rows, for all groups at once.

A jackknife leaves out G groups of rows in turn. Separate computations would be G times
the work. But the sums over the remaining rows are sums over parts, and one pass over
all rows gives the parts for all groups. Only the centering must be redone, since means
change with the rows. Centering removes effects of rows and columns, so it can start
from a centered Gram. For the remaining m rows, where a and b are the row sums of the
remaining parts A and B::

    <HAH, HBH>   = <A, B> - 2/m a'b + (1'a)(1'b)/m^2
    <U(A), U(B)> = <A, B> - 2/(m-2) a'b + (1'a)(1'b)/((m-1)(m-2)).
"""

from collections.abc import Callable, Sequence

import numpy as np

from .._base import _array
from ._blocks import budget_rows, spans
from ._grams import Features, Gram, Side
from ._hsic import pairs_are_cheaper

Groups = Sequence[np.ndarray]  # indices of rows
IN_CACHE = 2**15  # numbers


def inner_without(
    sides: Sequence[Side], groups: Groups, kept: np.ndarray
) -> np.ndarray:
    """`inner` of all pairs on some groups of rows, which are given by their indices.

    `kept`, L x G, has 1 for the groups that each of L results keeps, and 0 for the
    others. The result is L x K x K in numpy. Each row is in one group.
    """
    linear = [side for side in sides if isinstance(side, Features)]
    if len(linear) == len(sides) and pairs_are_cheaper(linear):
        return _by_features(linear, groups, kept)
    return _by_grams(sides, groups, kept)


def _by_grams(sides: Sequence[Side], groups: Groups, kept: np.ndarray) -> np.ndarray:
    """`inner_without` from products of vectorized blocks, group by group."""
    n, count, order = sides[0].n, len(sides), np.concatenate(groups)
    sizes = [len(group) for group in groups]
    edges = np.concatenate([[0], np.cumsum(sizes)])  # boundaries in this order
    blocks = [_blocks_in(side, order) for side in sides]
    result = np.zeros((len(kept), count, count))
    sums = np.zeros((count, len(groups), n))  # of each row over the columns of a group
    for g in range(len(groups)):
        first, end = edges[g], edges[g + 1]
        for a, b in spans(end - first, budget_rows(n, 8 * n * count)):
            start, stop = first + a, first + b
            stack = np.empty((count, stop - start, n - first))
            for k, block in enumerate(blocks):
                stack[k] = block(start, stop, first)
            columns = edges[g:-1] - first
            over_groups = np.add.reduceat(stack, columns, axis=2)
            sums[:, g:, start:stop] += np.swapaxes(over_groups, 1, 2)
            sums[:, g, end:] += np.sum(stack[:, :, end - first :], axis=1)
            for h in range(g, len(groups)):
                part = stack[:, :, edges[h] - first : edges[h + 1] - first]
                flat = np.reshape(part, (count, -1))
                # Add the part to all results that keep it. Subtracting it from the
                # total would lose digits if one pair of rows outweighs all others. A
                # part off the diagonal counts twice.
                product = flat @ flat.T
                product *= 1.0 if h == g else 2.0
                for keeping in np.flatnonzero(kept[:, g] * kept[:, h]):
                    result[keeping] += product  # a mask would make three copies
    for k, of_group in enumerate(kept):
        rows = np.sum(sums[:, of_group > 0], axis=1) * np.repeat(of_group, sizes)
        result[k] += _recentered(rows, int(of_group @ sizes), sides[0].unbiased)
    return result


def _blocks_in(side: Side, order: np.ndarray) -> Callable[[int, int, int], np.ndarray]:
    """`side.block` of rows and columns in this order, without a copy of a matrix."""
    if isinstance(side, Gram) and side.source is None:
        k = _array.to_numpy(side.matrix)
        return lambda start, stop, first: k[np.ix_(order[start:stop], order[first:])]
    permuted = side.permute(order)
    return lambda *where: _array.to_numpy(permuted.block(*where))


def _recentered(rows: np.ndarray, m: int, unbiased: bool) -> np.ndarray:  # noqa: FBT001
    """Change of <A, B> by centering the remaining m rows, from their row sums."""
    if m < (4 if unbiased else 2):
        return np.full((len(rows), len(rows)), np.nan)
    totals = np.sum(rows, axis=1)
    once, twice = (m - 2, (m - 1) * (m - 2)) if unbiased else (m, m * m)
    return np.outer(totals, totals) / twice - 2.0 / once * (rows @ rows.T)


def _by_features(
    sides: Sequence[Features], groups: Groups, kept: np.ndarray
) -> np.ndarray:
    """`inner_without` from d x d cross-covariances of groups, for d well below n."""
    count, key = len(sides), tuple(v.tobytes() for v in (kept, *groups))
    for side in sides:
        if key not in side.without_groups:
            side.without_groups[key] = _Kept(side, groups, kept)
    ps = [side.without_groups[key] for side in sides]
    result = np.empty((len(kept), count, count))
    for i, p in enumerate(ps):
        result[:, i, i] = p.square
        for j in range(i):
            result[:, i, j] = result[:, j, i] = _inner(p, ps[j])
    return result


class _Kept:
    """Rows in groups, and the terms that all pairs of this side share.

    `left` is the number of rows that remain in each result, NaN if they are too few;
    `sums`, L x d, are of the rows left out; `lengths`, L x n, are |x_i|^2 of centered
    remaining rows, and 0 for the rows left out.
    """

    def __init__(self, side: Features, groups: Groups, kept: np.ndarray) -> None:
        self.rows, self.unbiased = _array.to_numpy(side.rows), side.unbiased
        self.kept, sizes = kept, [len(group) for group in groups]
        self.batches: list[tuple[int | slice, np.ndarray]] = [*enumerate(groups)]
        if self.rows.size <= IN_CACHE and min(sizes) == max(sizes):
            self.batches = [(slice(None), np.stack(groups))]  # many products at once
        left = kept @ sizes
        self.left = np.where(left < (4 if side.unbiased else 2), np.nan, left)
        sums = [np.sum(self.rows[group], axis=0, dtype=float) for group in groups]
        self.sums = (1.0 - kept) @ np.stack(sums)
        # The mean of the remaining rows is -s/m, because the mean of all rows is zero.
        means, squares = self.sums / self.left[:, None], _array.to_numpy(side.squares)
        self.lengths = np.empty((len(kept), len(squares)))
        for g, group in enumerate(groups):
            about = 2.0 * (means @ self.rows[group].T.astype(float)) + squares[group]
            about += np.sum(means**2, axis=1)[:, None]
            self.lengths[:, group] = about * kept[:, g, None]
        self.square = _inner(self, self)


def _inner(p: _Kept, q: _Kept) -> np.ndarray:
    """<K, L> on the remaining rows, for each result."""
    parts, m = np.empty((p.kept.shape[1], p.sums.shape[1], q.sums.shape[1])), p.left
    for g, group in max(p.batches, q.batches, key=len):
        x = p.rows.take(group, axis=0)  # rows of a group fit a cache
        parts[g] = x.mT @ (x if p is q else q.rows.take(group, axis=0))
    # Sums over the other groups. Subtracting a group from the total would lose digits.
    totals = p.kept @ np.reshape(parts, (len(parts), -1))
    y = q.sums / m[:, None]
    # Many small results at once: the loop would take longer than its products.
    for a, b in spans(len(totals), max(1, IN_CACHE // totals.shape[1])):
        totals[a:b] -= np.reshape(p.sums[a:b, :, None] * y[a:b, None], (b - a, -1))
    found = np.vecdot(totals, totals)
    if p.unbiased:
        traces = np.sum(p.lengths, axis=1) * np.sum(q.lengths, axis=1)
        found += traces / ((m - 1) * (m - 2))
        found -= m / (m - 2) * np.vecdot(p.lengths, q.lengths)
    return found
