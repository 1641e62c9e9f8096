"""Compiled kernel: copy a full array to an array of twice the size.

Entries are copied in loops, because a slice assignment takes seconds to compile.
"""

import numpy as np
from numba import njit


@njit
def grown(array, size):
    """The first `size` integers of `array`, in an array of twice the size."""
    larger = np.empty(2 * array.size, np.int64)
    for i in range(size):
        larger[i] = array[i]
    return larger
