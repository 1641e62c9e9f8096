"""Kendall's correlations of ranked pairs, in m log m operations."""

import numpy as np

from ..._base import _compile
from ..._linalg import spans
from ...errors import OverBudget
from ._dissimilarity_ranks import PairRanks
from ._dissimilarity_vectors import pairs

_CHUNK = 2**18


def concordance(p: PairRanks, q: PairRanks) -> tuple[int, int, int, int]:
    """Numbers (concordant - discordant, all, untied in p, untied in q) of pairs.

    Values are sorted by p, with ties sorted by q. Two values are then discordant if
    their q is out of order. A merge sort counts these inversions.
    """
    a, b = _stored_values(p), _stored_values(q)
    m = a.size
    # Ranks are between -m and m, so two ranks fit into one key.
    keys = np.empty(m, dtype=np.uint64)
    for top, end in spans(m, _CHUNK):
        high = (a[top:end].astype(np.int64) + m).astype(np.uint64)
        low = (b[top:end].astype(np.int64) + m).astype(np.uint64)
        keys[top:end] = high << np.uint64(32) | low
    keys.sort()
    joint = _count_tied_pairs(keys)
    second = np.empty(m, dtype=np.uint32)
    for top, end in spans(m, _CHUNK):
        second[top:end] = (keys[top:end] & np.uint64(2**32 - 1)).astype(np.uint32)
        keys[top:end] >>= np.uint64(32)
    tied_a = _count_tied_pairs(keys)
    del keys
    module = _compile.kernels("similitude.measures.rdm._kendall_kernels")
    discordant = int(module.sort_and_count(second))
    tied_b = _count_tied_pairs(second)
    total = m * (m - 1) // 2
    difference = total - tied_a - tied_b + joint - 2 * discordant
    return difference, total, total - tied_a, total - tied_b


def _stored_values(ranks: PairRanks) -> np.ndarray:
    if ranks.values is None or ranks.values.size >= 2**31:
        n = ranks.rows.shape[0]
        raise OverBudget(
            f"Kendall's correlation of the {pairs(n):,} pairs of {n} rows does not fit "
            f"into memory_budget. Raise it (and use fewer than 65,536 rows), or use "
            f"outer='spearman', which is computed in pieces."
        )
    return ranks.values


def _count_tied_pairs(values: np.ndarray) -> int:
    """Number of pairs of equal values in a sorted array.

    This is the sum, over all values, of the number of equal values before each.
    """
    total, first = 0, 0
    for top, end in spans(values.size, _CHUNK):
        new = np.ones(end - top, dtype=bool)
        new[top == 0 :] = values[max(top, 1) : end] != values[max(top, 1) - 1 : end - 1]
        if new.all():
            first = end - 1
            continue
        start = np.maximum.accumulate(np.where(new, np.arange(top, end), first))
        total += int(np.sum(np.arange(top, end) - start))
        first = int(start[-1])
    return total
