"""Barcodes of one cloud, and cross-barcodes of two clouds in one space."""

from typing import Any

import numpy as np

from .._base import _array
from .._base._validate import check_same_library, points
from ..errors import InvalidInput
from . import _engines
from ._barcode import Barcode
from ._edge_weights import MatrixWeights, singles
from ._engines._pairs import edges_of, gather
from ._filtration import check_degree, checked_distances, cloud_distances

__all__ = ["cross_barcode", "rips_barcode", "rips_barcode_from_distances"]


def rips_barcode(x: Any, /, *, max_dim: int = 1) -> tuple[Barcode, ...]:
    r"""Vietoris-Rips barcode of a cloud, over Z/2.

    .. math:: \text{barcode of } H_i(R_a(w)), \qquad
              R_a(w) = \{s : w_{jk} \le a \text{ for all } j, k \in s\}

    where w are the Euclidean distances between the rows of x.

    Parameters
    ----------
    x
        n x d.
    max_dim
        Highest degree.

    Returns
    -------
    tuple of Barcode
        Indexed by degree, 0 ... max_dim. In degree 0 one bar is infinite.

    Examples
    --------
    >>> import numpy as np
    >>> h0, h1 = rips_barcode(np.array([[0.0], [1.0], [5.0]]))
    >>> h0.deaths, len(h1)
    (array([ 1.,  4., inf]), 0)
    """
    return rips_barcodes(cloud_distances(x, "x"), max_dim)


def rips_barcode_from_distances(w: Any, /, *, max_dim: int = 1) -> tuple[Barcode, ...]:
    """`rips_barcode` of an n x n matrix of distances.

    Distances must be symmetric, not negative and 0 on the diagonal; the triangle
    inequality is not required. An infinite distance is an edge that never appears, and
    bars may be infinite.

    Examples
    --------
    Two points at infinite distance:

    >>> far = [[0, float("inf")], [float("inf"), 0]]
    >>> rips_barcode_from_distances(far, max_dim=0)[0].deaths
    array([inf, inf])
    """
    return rips_barcodes(checked_distances(w, "w"), max_dim)


def rips_barcodes(w: np.ndarray, max_dim: int) -> tuple[Barcode, ...]:
    """Barcodes of R(w), for validated distances in float64."""
    check_degree(max_dim)
    weights = MatrixWeights(w)
    (x,) = singles(weights)
    by_degree = _engines.rips_pairs(x, max_dim)
    read = weights.reader(edges_of(*by_degree))
    return tuple(gather(pairs, i, len(w), read) for i, pairs in enumerate(by_degree))


def cross_barcode(p: Any, q: Any, /, *, max_dim: int = 1) -> tuple[Barcode, ...]:
    r"""Cross-Barcode of two clouds in one space: where p is not covered by q.

    .. math:: \text{barcode of } R\begin{pmatrix} d(P, P) & d(P, Q) \\
              d(Q, P) & 0 \end{pmatrix}

    where d are Euclidean distances. All points of Q are at distance 0 from each other,
    so Q counts as one point. Rows do not correspond, and their numbers may differ.
    MTop-Div is the total persistence of degree 1.

    Parameters
    ----------
    p, q
        n x d and m x d.
    max_dim
        Highest degree.

    Returns
    -------
    tuple of Barcode
        Indexed by degree, 0 ... max_dim. Vertices are the rows of p, then the rows of
        q.

    Examples
    --------
    Two points of p at distance 4, and a point of q between them that closes the gap:

    >>> import numpy as np
    >>> p, q = np.array([[0.0], [4.0]]), np.array([[0.0], [2.0]])
    >>> cross_barcode(p, q)[0].finite().deaths
    array([2.])
    """
    a, b = points(p, "p"), points(q, "q")
    check_same_library(a.values, b.values)
    if a.d != b.d:
        raise InvalidInput(
            f"p has {a.d} columns and q has {b.d}. Give two clouds in one space."
        )
    together = a.xp.concat([a.values, b.values], axis=0)
    w = cloud_distances(_array.to_numpy(together), "p and q")
    w[a.n :, a.n :] = 0
    return rips_barcodes(w, max_dim)
