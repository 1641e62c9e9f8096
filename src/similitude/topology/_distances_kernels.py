"""Compiled: one look at a distance matrix."""

import numpy as np
from numba import njit, types

_TILE = 64  # rows and columns that are compared while both are in the cache


def _signature(dtype: types.Type) -> types.Type:
    result = types.Tuple((types.boolean, types.float64, types.float64))
    return result(types.Array(dtype, 2, "C", readonly=True))


@njit([_signature(types.float32), _signature(types.float64)], nogil=True, cache=True)
def survey(w: np.ndarray) -> tuple[bool, float, float]:
    """(no NaN and no negative entry, largest finite entry, widest gap to w').

    Tile by tile, so that both halves are read once; without branches, so that it costs
    as much as reading them.
    """
    n = w.shape[0]
    valid, largest, widest = True, 0.0, 0.0
    for top in range(0, n, _TILE):
        for left in range(0, top + 1, _TILE):
            for i in range(top, min(top + _TILE, n)):
                for j in range(left, min(left + _TILE, n)):
                    a, b = w[i, j], w[j, i]
                    valid &= (a >= 0) & (b >= 0)
                    gap = 0.0 if a == b else abs(a - b)
                    widest = gap if gap > widest else widest
                    largest = a if (a > largest) & (a < np.inf) else largest
    return valid, largest, widest
