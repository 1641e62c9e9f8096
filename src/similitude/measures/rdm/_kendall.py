"""Kendall's correlations of ranked pairs, in m log m operations."""

import numpy as np

from ... import _compile
from ..._linalg import spans
from ...errors import InvalidInput
from ._dissimilarity_ranks import PairRanks
from ._dissimilarity_vectors import pairs

_CHUNK = 2**18


def concordance(p: PairRanks, q: PairRanks) -> tuple[int, int, int, int]:
    """(concordant - discordant, all, untied in p, untied in q) pairs of values.

    Sorted by p, ties by q, two values are discordant if those of q are out of order;
    a merge sort counts them.
    """
    a, b = _held(p), _held(q)
    m = a.size
    # Ranks are between -m and m; together they are one key.
    keys = np.empty(m, dtype=np.uint64)
    for top, end in spans(m, _CHUNK):
        high = (a[top:end].astype(np.int64) + m).astype(np.uint64)
        low = (b[top:end].astype(np.int64) + m).astype(np.uint64)
        keys[top:end] = high << np.uint64(32) | low
    keys.sort()
    joint = _tied(keys)
    second = np.empty(m, dtype=np.uint32)
    for top, end in spans(m, _CHUNK):
        second[top:end] = (keys[top:end] & np.uint64(2**32 - 1)).astype(np.uint32)
        keys[top:end] >>= np.uint64(32)
    tied_a = _tied(keys)
    del keys
    module = _compile.kernels("similitude.measures.rdm._kendall_kernels")
    discordant = int(module.sort_and_count(second))
    tied_b = _tied(second)
    everything = m * (m - 1) // 2
    difference = everything - tied_a - tied_b + joint - 2 * discordant
    return difference, everything, everything - tied_a, everything - tied_b


def _held(ranks: PairRanks) -> np.ndarray:
    if ranks.values is None or ranks.values.size >= 2**31:
        n = ranks.rows.shape[0]
        raise InvalidInput(
            f"Kendall's correlation of the {pairs(n):,} pairs of {n} rows does not fit "
            f"into memory_budget. Raise it (and use fewer than 65,536 rows), or take "
            f"outer='spearman', which is counted in pieces."
        )
    return ranks.values


def _tied(values: np.ndarray) -> int:
    """How many pairs of equal values there are among sorted ones.

    As many as there are equal ones before each, summed.
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
