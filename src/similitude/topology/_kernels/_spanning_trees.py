"""Compiled kernels of degree 0: Prim's algorithm on dense distances."""

import numpy as np
from numba import njit, types

from ..._base._compile import kernel


@njit
def _prim(w: np.ndarray, edges: np.ndarray, lengths: np.ndarray) -> None:
    """Minimum spanning tree under the order (length, smaller end, larger end).

    O(n^2), one pass over half of the matrix. The vertices outside of the tree are
    stored contiguously, and a step visits only them. Of two equally long edges to one
    vertex, the edge from the smaller parent comes first.
    """
    n = w.shape[0]
    outside = np.arange(1, n, dtype=np.int32)
    nearest = np.full(n, np.inf, dtype=w.dtype)  # distance to the tree
    parent = np.zeros(n, dtype=np.int32)
    added = np.int32(0)
    for step in range(n - 1):
        row = w[added]
        shortest, at, code = np.inf, 0, np.int64(n) * n
        for t in range(n - 1 - step):
            v = outside[t]
            if row[v] < nearest[t] or (row[v] == nearest[t] and added < parent[t]):
                nearest[t], parent[t] = row[v], added
            if nearest[t] <= shortest:
                u = parent[t]
                edge = np.int64(min(u, v)) * n + max(u, v)
                if nearest[t] < shortest or edge < code:
                    shortest, at, code = nearest[t], t, edge
        added = outside[at]
        edges[step, 0], edges[step, 1] = code // n, code % n
        lengths[step] = shortest
        last = n - 2 - step
        outside[at], nearest[at], parent[at] = (
            outside[last],
            nearest[last],
            parent[last],
        )


def _signature(dtype: types.Type) -> types.Type:
    clouds = types.Array(dtype, 3, "C", readonly=True)
    return types.void(clouds, types.int64[:, :, ::1], dtype[:, ::1])


@kernel([_signature(types.float32), _signature(types.float64)])
def spanning_trees(clouds: np.ndarray, edges: np.ndarray, lengths: np.ndarray) -> None:
    """The tree of each cloud, with edges in the order in which Prim finds them."""
    for b in range(clouds.shape[0]):
        _prim(clouds[b], edges[b], lengths[b])
