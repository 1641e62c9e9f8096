"""RTD-lite: the part of an R-Cross-Barcode from minimum spanning trees."""

from typing import Any

import numpy as np

from .._base._compile import kernels
from ._barcode import Barcode
from ._edge_weights import MatrixWeights, singles
from ._engines._pairs import NONE, K, Pairs, X, edges_of, gather
from ._filtration import Normalize, checked_pair, normalized, pair_distances
from ._trees._spanning_trees import spanning_tree

__all__ = ["rtd_lite_barcode", "rtd_lite_barcode_from_distances"]

_KERNELS = f"{__package__}._kernels._tree_walks"


def rtd_lite_barcode(
    x: Any, y: Any, /, *, normalize: Normalize = "quantile", quantile: float = 0.9
) -> Barcode:
    r"""Barcode of RTD-lite: components that are joined in y before they are in x.

    .. math:: \text{barcode of } \ker\bigl(H_0(R(w)) \to H_0(R(\min(w, \tilde w)))\bigr)

    where

    - :math:`w, \tilde w` are the Euclidean distances in x and in y, each in units of
      its own 0.9 quantile (`normalize`, `quantile`),
    - :math:`R(w)` is the Vietoris-Rips filtration; only its graph is used.

    The kernel is a quotient of degree 1 of `r_cross_barcode`, which also contains
    loops. Births are edge lengths of the minimum spanning tree of min(w, w̃), and deaths
    are edge lengths of the tree of w. The sum of all bars is the difference in length
    of the two trees.

    Parameters
    ----------
    x, y
        n x d and n x d'; row i of both is the same stimulus.
    normalize, quantile
        The unit of distances, as for `r_cross_barcode`.

    Returns
    -------
    Barcode
        Degree 1. Bars of length 0 in float32 are omitted.

    Notes
    -----
    The trees take O(n^2). Then the edges of the tree of w are added in order of length.
    Each replaces the last-born edge of the other tree on the path between its ends.

    References
    ----------
    tulchinskii2025rtdlite

    Examples
    --------
    Two groups at distance 10 in x and distance 2 in y: they merge at 2 instead of 10.

    >>> x, y = [[0.0], [1.0], [11.0], [12.0]], [[0.0], [1.0], [3.0], [4.0]]
    >>> bars = rtd_lite_barcode(x, y, normalize="none")
    >>> bars.births, bars.deaths
    (array([2.]), array([10.]))
    """
    w, w_tilde = pair_distances(x, y)
    w = normalized(w, "x", normalize, quantile, full=False)
    w_tilde = normalized(w_tilde, "y", normalize, quantile, full=False)
    return lite_barcode(w, w_tilde)


def rtd_lite_barcode_from_distances(
    w: Any, w_tilde: Any, /, *, normalize: Normalize = "none", quantile: float = 0.9
) -> Barcode:
    """`rtd_lite_barcode` of two n x n matrices of distances.

    An infinite distance is an edge that never appears. A bar is infinite if min(w, w̃)
    joins two components that w never joins.

    Examples
    --------
    >>> rtd_lite_barcode_from_distances([[0, 2], [2, 0]], [[0, 1], [1, 0]])
    Barcode of degree 1 on 2 points: 1 bar, total persistence 1
    """
    a, b = checked_pair(w, w_tilde)
    a = normalized(a, "w", normalize, quantile, full=False)
    b = normalized(b, "w_tilde", normalize, quantile, full=False)
    return lite_barcode(a, b)


def lite_barcode(w: np.ndarray, w_tilde: np.ndarray) -> Barcode:
    """RTD-lite barcode of validated float64 distances, without normalization."""
    x = np.minimum(w, w_tilde)
    born, dying = finite_tree(x), finite_tree(w)
    replaced = kernels(_KERNELS).exchanges(len(w), born, dying)
    immortal = np.setdiff1d(np.arange(len(born)), replaced)
    births = born[np.concatenate([replaced, immortal])]
    deaths = np.concatenate([dying, np.full((len(immortal), 2), -1)])
    counts = [len(births), len(dying), len(immortal)]
    codes = np.repeat(np.array([X, K, NONE], np.int8), counts)
    pairs = Pairs(births, deaths, codes[: len(births)], codes[len(births) :])
    weights, other = MatrixWeights(w), MatrixWeights(w_tilde)
    pairs = _without_empty(pairs, *singles(MatrixWeights(x), weights))
    edges = edges_of(pairs)
    return gather(pairs, 1, len(w), weights.reader(edges), other.reader(edges))


def _without_empty(pairs: Pairs, x: np.ndarray, k: np.ndarray) -> Pairs:
    """The pairs whose length is above 0 in float32."""
    i, j = pairs.birth_edges.T
    a, b = pairs.death_edges.T
    which = (pairs.death_in == NONE) | (x[i, j] < k[a, b])
    return Pairs(*(column[which] for column in pairs))


def finite_tree(w: np.ndarray) -> np.ndarray:
    """Finite edges of the minimum spanning tree; with infinite distances, a forest."""
    edges, lengths = spanning_tree(w)
    return np.ascontiguousarray(edges[lengths < np.inf])
