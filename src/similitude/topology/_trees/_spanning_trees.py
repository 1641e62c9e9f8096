"""Degree 0: minimum spanning trees of one cloud or of many small clouds."""

from typing import Any

import numpy as np

from ..._base._compile import kernels
from ...errors import InvalidInput
from .._distances import are_distances, check_distances, distance_array

__all__ = ["batched_spanning_trees", "minimum_spanning_tree"]

_KERNELS = "similitude.topology._kernels._spanning_trees"


def minimum_spanning_tree(distances: Any, /) -> tuple[np.ndarray, np.ndarray]:
    r"""Minimum spanning tree of n points: the barcode of degree 0.

    Every point is a component at scale 0. A component ends when an edge of the minimum
    spanning tree joins it to an older component. So the lengths are the deaths of H_0
    of the Vietoris-Rips filtration, and the heights of single linkage.

    Parameters
    ----------
    distances
        n x n, symmetric, not negative, 0 on the diagonal. An infinite distance is an
        edge that never appears.

    Returns
    -------
    edges : (n - 1, 2) integers
        The smaller end comes first.
    lengths : (n - 1,), ascending
        In the dtype of the distances (float32 or float64). If the graph of finite
        distances has c components, c - 1 lengths are infinite.

    Notes
    -----
    Dense Prim, O(n^2) time, and O(n) memory without the input. Of equally long edges,
    the edge with the smaller first end, then with the smaller second end, comes first.
    So the tree is unique for every algorithm. Coincident points are joined at 0;
    `scipy.sparse.csgraph` reads a 0 as a missing edge.

    Raises
    ------
    InvalidInput
        If the distances are not square, not symmetric, negative or NaN.

    Examples
    --------
    Points 0, 1 and 5 on a line:

    >>> line = [[0.0, 1.0, 5.0], [1.0, 0.0, 4.0], [5.0, 4.0, 0.0]]
    >>> edges, lengths = minimum_spanning_tree(line)
    >>> edges.tolist(), lengths.tolist()
    ([[0, 1], [1, 2]], [1.0, 4.0])
    """
    w = distance_array(distances, "distances")
    check_distances(w, "distances")
    return spanning_tree(w)


def batched_spanning_trees(distances: Any, /) -> tuple[np.ndarray, np.ndarray]:
    """Minimum spanning trees of B clouds of n points each, in one call.

    Parameters
    ----------
    distances
        B x n x n; each cloud as for `minimum_spanning_tree`. Smaller clouds can be
        padded by points at an infinite distance from all others.

    Returns
    -------
    edges : (B, n - 1, 2) integers
    lengths : (B, n - 1), ascending along each row

    Examples
    --------
    >>> near, far = [[0.0, 1.0], [1.0, 0.0]], [[0.0, 7.0], [7.0, 0.0]]
    >>> batched_spanning_trees([near, far])[1].tolist()
    [[1.0], [7.0]]
    """
    clouds = distance_array(distances, "distances")
    if clouds.ndim != 3:
        raise InvalidInput(
            f"distances must be B x n x n, one matrix per cloud; got shape "
            f"{clouds.shape}. For one cloud use minimum_spanning_tree."
        )
    if clouds.shape[1] != clouds.shape[2] or not are_distances(clouds):
        for b, w in enumerate(clouds):
            check_distances(w, f"distances[{b}]")
    return spanning_trees(clouds)


def spanning_tree(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`minimum_spanning_tree` of validated distances."""
    edges, lengths = spanning_trees(w[None])
    return edges[0], lengths[0]


def spanning_trees(clouds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`batched_spanning_trees` of validated distances."""
    count, n, _ = clouds.shape
    edges = np.empty((count, max(n - 1, 0), 2), dtype=np.int64)
    lengths = np.empty(edges.shape[:2], dtype=clouds.dtype)
    kernels(_KERNELS).spanning_trees(np.ascontiguousarray(clouds), edges, lengths)
    order = np.lexsort((edges[..., 1], edges[..., 0], lengths))
    lengths = np.take_along_axis(lengths, order, axis=1)
    return np.take_along_axis(edges, order[..., None], axis=1), lengths
