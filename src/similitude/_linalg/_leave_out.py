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

import itertools
from collections.abc import Sequence

import numpy as np

from .. import _array
from ._blocks import budget_rows, spans
from ._grams import Features, Side
from ._hsic import pairs_are_cheaper


def inner_without(sides: Sequence[Side], sizes: Sequence[int]) -> np.ndarray:
    """`inner` of all pairs without the first sizes[0] rows, the next sizes[1], ...

    The result is G x K x K in numpy. The sum of `sizes` is n.
    """
    edges = np.concatenate([[0], np.cumsum(sizes)])  # boundaries of the groups
    linear = [side for side in sides if isinstance(side, Features)]
    if len(linear) == len(sides) and pairs_are_cheaper(linear):
        return _by_features(linear, edges)
    return _by_grams(sides, edges)


def _by_grams(sides: Sequence[Side], edges: np.ndarray) -> np.ndarray:
    """`inner_without` from products of vectorized blocks, group by group."""
    n, groups, count = sides[0].n, len(edges) - 1, len(sides)
    kept, each = np.zeros((groups, count, count)), np.arange(groups)
    sums = np.zeros((count, groups, n))  # sum of each row over the columns of a group
    for g in range(groups):
        first, end = edges[g], edges[g + 1]
        for start, stop in _spans(first, end, budget_rows(n, 8 * n * count)):
            stack = np.empty((count, stop - start, n - first))
            for k, side in enumerate(sides):
                stack[k] = _array.to_numpy(side.block(start, stop, first))
            columns = edges[g:-1] - first
            over_groups = np.add.reduceat(stack, columns, axis=2)
            sums[:, g:, start:stop] += np.swapaxes(over_groups, 1, 2)
            sums[:, g, end:] += np.sum(stack[:, :, end - first :], axis=1)
            for h in range(g, groups):
                part = stack[:, :, edges[h] - first : edges[h + 1] - first]
                flat = np.reshape(part, (count, -1))
                # Add the part to all groups that keep it. Subtracting it from the total
                # would lose digits if one pair of rows outweighs all others. A part off
                # the diagonal counts twice.
                product = flat @ flat.T
                product *= 1.0 if h == g else 2.0
                for without in set(range(groups)) - {g, h}:
                    kept[without] += product  # in place: a mask would make three copies
    result = np.empty_like(kept)
    for g in range(groups):
        rows = np.sum(sums[:, each != g], axis=1)
        rows[:, edges[g] : edges[g + 1]] = 0.0
        left = n - int(edges[g + 1] - edges[g])
        result[g] = kept[g] + _recentered(rows, left, sides[0].unbiased)
    return result


def _recentered(rows: np.ndarray, m: int, unbiased: bool) -> np.ndarray:  # noqa: FBT001
    """Change of <A, B> by centering the remaining m rows, from their row sums."""
    if m < (4 if unbiased else 2):
        return np.full((len(rows), len(rows)), np.nan)
    totals = np.sum(rows, axis=1)
    once, twice = (m - 2, (m - 1) * (m - 2)) if unbiased else (m, m * m)
    return np.outer(totals, totals) / twice - 2.0 / once * (rows @ rows.T)


def _by_features(sides: Sequence[Features], edges: np.ndarray) -> np.ndarray:
    """`inner_without` from d x d cross-covariances of groups, for d well below n."""
    groups, count = len(edges) - 1, len(sides)
    rows = [_array.to_numpy(side.rows) for side in sides]
    sums = [np.add.reduceat(x, edges[:-1], axis=0, dtype=float) for x in rows]
    left = edges[-1] - np.diff(edges)  # rows that remain
    spans_of_groups = list(itertools.pairwise(edges))
    # Sums over the other groups. Subtracting a group from the total would lose digits.
    others = 1.0 - np.eye(groups)
    result = np.empty((groups, count, count))
    for i in range(count):
        for j in range(i, count):
            products = [rows[i][a:b].T @ rows[j][a:b] for a, b in spans_of_groups]
            flat = np.reshape(np.stack(products), (groups, -1)).astype(float)
            parts = np.reshape(others @ flat, (groups, *products[0].shape))
            parts -= sums[i][:, :, None] * sums[j][:, None, :] / left[:, None, None]
            result[:, i, j] = result[:, j, i] = np.einsum("gij,gij->g", parts, parts)
    if sides[0].unbiased:
        result += _unbiased(sides, rows, sums, edges)
    return result


def _unbiased(
    sides: Sequence[Features],
    rows: Sequence[np.ndarray],
    sums: Sequence[np.ndarray],
    edges: np.ndarray,
) -> np.ndarray:
    """Terms of the unbiased sum besides ``|X'Y|^2``, for centered remaining rows."""
    squares = np.stack([_array.to_numpy(side.squares) for side in sides])
    result = np.empty((len(edges) - 1, len(sides), len(sides)))
    for g, (first, end) in enumerate(itertools.pairwise(edges)):
        m = int(edges[-1] - (end - first))
        if m < 4:
            result[g] = np.nan
            continue
        # The mean of the remaining rows is -s/m, because the mean of all rows is zero.
        means = [s[g] / m for s in sums]
        about = np.stack([x @ mean for x, mean in zip(rows, means, strict=True)])
        lengths = np.array([mean @ mean for mean in means])
        k = squares + 2.0 * about + lengths[:, None]
        k[:, first:end] = 0.0
        traces = np.sum(k, axis=1)
        result[g] = np.outer(traces, traces) / ((m - 1) * (m - 2))
        result[g] -= m / (m - 2) * (k @ k.T)
    return result


def _spans(first: int, end: int, step: int) -> list[tuple[int, int]]:
    return [(first + a, first + b) for a, b in spans(end - first, step)]
