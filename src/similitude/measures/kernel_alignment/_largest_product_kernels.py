"""Compiled kernels of `g_relu_cka`: largest products of two sets of rows."""

import numpy as np

from ..._base._compile import kernel

_CHUNK = 512  # columns whose running maxima stay in the cache


@kernel("float64[:, ::1](float64[:, ::1], float64[:, ::1])")
def largest_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """max_k a[i, k] * b[k, j]; b is transposed.

    The loop over j is innermost, so that several j are compared at once. Four k are
    processed at a time, so the maxima are read and written a quarter as often.
    """
    (n, d), m = a.shape, b.shape[1]
    largest = np.full((n, m), -np.inf)
    fours = d - d % 4
    for first in range(0, m, _CHUNK):
        last = min(first + _CHUNK, m)
        for i in range(n):
            best = largest[i, first:last]
            for k in range(0, fours, 4):
                f0, f1, f2, f3 = a[i, k], a[i, k + 1], a[i, k + 2], a[i, k + 3]
                b0, b1 = b[k, first:last], b[k + 1, first:last]
                b2, b3 = b[k + 2, first:last], b[k + 3, first:last]
                for j in range(last - first):
                    p, q = f0 * b0[j], f1 * b1[j]
                    p = p if p > q else q
                    r, s = f2 * b2[j], f3 * b3[j]
                    r = r if r > s else s
                    p = p if p > r else r
                    best[j] = p if p > best[j] else best[j]
            for k in range(fours, d):
                f0, b0 = a[i, k], b[k, first:last]
                for j in range(last - first):
                    p = f0 * b0[j]
                    best[j] = p if p > best[j] else best[j]
    return largest


@kernel("int64[:, ::1](float64[:, ::1], float64[:, ::1], float64[:, ::1])")
def where_largest(a: np.ndarray, b: np.ndarray, largest: np.ndarray) -> np.ndarray:
    """The first k with a[i, k] * b[j, k] = largest[i, j]; b is not transposed."""
    (n, d), m = a.shape, b.shape[0]
    which = np.zeros((n, m), dtype=np.int64)
    for i in range(n):
        for j in range(m):
            for k in range(d):
                if a[i, k] * b[j, k] == largest[i, j]:
                    which[i, j] = k
                    break
    return which
