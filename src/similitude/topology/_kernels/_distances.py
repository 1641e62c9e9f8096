"""Compiled kernel: validation of distance matrices in one pass."""

import numpy as np
from numba import types

from ..._base._compile import kernel

_TILE = 64  # rows and columns of a tile; it and its mirror image fit the cache


def _signature(dtype: types.Type) -> types.Type:
    matrices = types.Array(dtype, 3, "C", readonly=True)
    return types.boolean(matrices, types.float64)


@kernel([_signature(types.float32), _signature(types.float64)])
def are_distances(matrices: np.ndarray, rounding: float) -> bool:
    """Whether there is no NaN, no negative entry, a 0 diagonal, and symmetry.

    Symmetry is up to `rounding`, relative to the largest finite entry of each matrix.
    The loop over tiles reads both halves once. It has no branches, so it costs as much
    as reading them.
    """
    n = matrices.shape[1]
    for w in matrices:
        valid, largest, widest = True, 0.0, 0.0
        for i in range(n):
            valid &= w[i, i] == 0
        for top in range(0, n, _TILE):
            for left in range(0, top + 1, _TILE):
                for i in range(top, min(top + _TILE, n)):
                    for j in range(left, min(left + _TILE, n)):
                        a, b = w[i, j], w[j, i]
                        valid &= (a >= 0) & (b >= 0)
                        gap = 0.0 if a == b else abs(a - b)
                        widest = gap if gap > widest else widest
                        largest = a if (a > largest) & (a < np.inf) else largest
        if not valid or widest > rounding * largest:
            return False
    return True
