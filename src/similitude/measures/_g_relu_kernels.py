"""Compiled kernel of `g_relu_cka`."""

import numpy as np
from numba import njit


@njit("int64[:, ::1](float64[:, ::1], float64[:, ::1])", nogil=True, cache=True)
def largest_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The first k for which a[i, k] * b[k, j] is largest; b comes transposed.

    A stretch of columns of b at a time, so that the running maxima stay in the cache,
    and k outside of j, so that several j are compared at once.
    """
    (n, d), m = a.shape, b.shape[1]
    which = np.zeros((n, m), dtype=np.int64)
    best = np.empty(256)
    winner = np.empty(256, dtype=np.int64)
    for first in range(0, m, 256):
        width = min(256, m - first)
        for i in range(n):
            for j in range(width):
                best[j] = a[i, 0] * b[0, first + j]
                winner[j] = 0
            for k in range(1, d):
                factor = a[i, k]
                for j in range(width):
                    product = factor * b[k, first + j]
                    larger = product > best[j]
                    best[j] = product if larger else best[j]
                    winner[j] = k if larger else winner[j]
            for j in range(width):
                which[i, first + j] = winner[j]
    return which
