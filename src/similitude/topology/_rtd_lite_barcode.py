"""RTD-lite: the part of an R-Cross-Barcode that minimum spanning trees know."""

from typing import Any

import numpy as np

from .._compile import kernels
from ._barcode import Barcode
from ._engines._pairs import NONE, K, Pairs, X, gather, single
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
    - :math:`R(w)` is the Vietoris-Rips filtration, of which only the graph matters.

    The kernel is a quotient of degree 1 of `r_cross_barcode`, which has loops beside
    it. Births are lengths of the minimum spanning tree of min(w, w̃), deaths are those
    of the tree of w, and the sum of all bars is the difference of the two trees.

    Parameters
    ----------
    x, y
        n x d and n x d', row i of both is the same stimulus.
    normalize, quantile
        The unit of distances, as for `r_cross_barcode`.

    Returns
    -------
    Barcode
        Of degree 1. Bars that are empty in float32 are left out.

    Notes
    -----
    O(n^2) for the trees. Then the edges of the tree of w come in, in order of length,
    and each replaces the last-born edge of the other tree on the path between its ends.

    References
    ----------
    tulchinskii2025rtdlite

    Examples
    --------
    Two groups at a distance of 10 in x, and of 2 in y: they merge at 2 instead of 10.

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

    An infinite distance is an edge that never comes: a bar is infinite where w never
    joins what min(w, w̃) does.

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
    """Of checked distances in float64, in the units that they are in."""
    x = np.minimum(w, w_tilde)
    born, dying = finite_tree(x), finite_tree(w)
    replaced = kernels(_KERNELS).exchanges(len(w), born, dying)
    left = np.setdiff1d(np.arange(len(born)), replaced)
    births = born[np.concatenate([replaced, left])]
    deaths = np.concatenate([dying, np.full((len(left), 2), -1)])
    counts = [len(births), len(dying), len(left)]
    codes = np.repeat(np.array([X, K, NONE], np.int8), counts)
    pairs = Pairs(births, deaths, codes[: len(births)], codes[len(births) :])
    return gather(_lasting(pairs, *single(x, w)), 1, w, w_tilde)


def _lasting(pairs: Pairs, x: np.ndarray, k: np.ndarray) -> Pairs:
    """Those that are not empty in float32."""
    i, j = pairs.birth_edges.T
    a, b = pairs.death_edges.T
    which = (pairs.death_in == NONE) | (x[i, j] < k[a, b])
    return Pairs(*(column[which] for column in pairs))


def finite_tree(w: np.ndarray) -> np.ndarray:
    """Edges of the minimum spanning tree, or forest where distances are infinite."""
    edges, lengths = spanning_tree(w)
    return np.ascontiguousarray(edges[lengths < np.inf])
