"""Compiled kernel that counts inversions by a merge sort."""

import numpy as np

from ..._base._compile import kernel

_RUN = 16  # length of the runs that are sorted by insertion


@kernel("int64(uint32[::1])")
def sort_and_count(values: np.ndarray) -> int:
    """Sort in place and return the number of strictly decreasing pairs."""
    m, inversions = values.size, 0
    for low in range(0, m, _RUN):
        high = min(low + _RUN, m)
        for i in range(low + 1, high):
            value, j = values[i], i - 1
            while j >= low and values[j] > value:
                values[j + 1] = values[j]
                j -= 1
            values[j + 1] = value
            inversions += i - 1 - j
    source, target = values, np.empty_like(values)
    width = _RUN
    while width < m:
        for low in range(0, m, 2 * width):
            middle, high = min(low + width, m), min(low + 2 * width, m)
            i, j = low, middle
            for k in range(low, high):
                if i < middle and (j >= high or source[i] <= source[j]):
                    target[k] = source[i]
                    i += 1
                else:
                    target[k] = source[j]
                    j += 1
                    inversions += middle - i
        source, target = target, source
        width *= 2
    if m > _RUN:
        values[:] = source
    return inversions
