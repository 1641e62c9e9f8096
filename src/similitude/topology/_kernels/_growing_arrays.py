"""Compiled: arrays that are full, in ones of twice the size.

Entry by entry: an assignment of slices takes seconds to compile.
"""

import numpy as np
from numba import njit


@njit
def grown(array, size):
    """The first `size` integers of `array`."""
    larger = np.empty(2 * array.size, np.int64)
    for i in range(size):
        larger[i] = array[i]
    return larger


@njit
def wider(table):
    """All rows of `table`."""
    larger = np.empty((2 * len(table), table.shape[1]), table.dtype)
    for r in range(len(table)):
        for c in range(table.shape[1]):
            larger[r, c] = table[r, c]
    return larger
