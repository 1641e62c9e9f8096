"""R-Cross-Barcodes: topological differences of two clouds with corresponding rows."""

from typing import Any

import numpy as np

from .._base._validate import check_one_of, pair
from . import _engines, _filtration
from ._barcode import Barcode
from ._edge_weights import EdgeWeights, MatrixWeights, cloud_weights, singles
from ._engines._pairs import edges_of, gather
from ._filtration import Compat, Normalize

__all__ = ["r_cross_barcode", "r_cross_barcode_from_distances"]


def r_cross_barcode(
    x: Any,
    y: Any,
    /,
    *,
    max_dim: int = 1,
    normalize: Normalize = "quantile",
    quantile: float = 0.9,
    compat: Compat = "none",
) -> tuple[Barcode, ...]:
    r"""R-Cross-Barcode of two clouds: features of y at scales where x lacks them.

    .. math:: \mathrm{R\text{-}Cross\text{-}Barcode}_i(X, Y) =
              \text{barcode of } H_i\bigl(R(\min(w, \tilde w)), R(w)\bigr)

    where

    - :math:`w, \tilde w` are the Euclidean distances in x and in y, each in units of
      its own 0.9 quantile (`normalize`, `quantile`),
    - :math:`R(w)` is the Vietoris-Rips filtration: a set of rows enters at its longest
      distance. The homology is relative, over Z/2.

    Degree 0 is always empty. A bar of degree 1 is two groups of rows that are joined in
    y (birth) before they are joined in x (death), or a loop that is filled in later in
    x. RTD is the total persistence of degree 1. The two directions differ.

    Parameters
    ----------
    x, y
        n x d and n x d'; row i of both is the same stimulus.
    max_dim
        Highest degree.
    normalize
        The unit of distances: their "quantile", "median", "mean", or "none". It is
        computed from the pairs i < j. If all rows of a cloud are equal, its distances
        are not divided.
    quantile
        Level of the quantile.
    compat
        "zero_block" computes degrees >= 2 from the published 2n x 2n matrix; they
        differ from the definition. "reference" also computes the unit from the full
        matrix with its diagonal, sets distances below 1e-6 of the mean to 0 and rounds
        to float32, as the authors' code does. Only these steps change degree 1.

    Returns
    -------
    tuple of Barcode
        Indexed by degree, 0 ... max_dim; n_points is n.

    Examples
    --------
    Two groups at distance 10 in x and distance 2 in y: they merge at 2 instead of 10.

    >>> import numpy as np
    >>> x = np.array([[0.0], [1.0], [11.0], [12.0]])
    >>> y = np.array([[0.0], [1.0], [3.0], [4.0]])
    >>> _, h1 = r_cross_barcode(x, y, normalize="none")
    >>> h1.births, h1.deaths
    (array([2.]), array([10.]))
    >>> h1.birth_edges, h1.death_edges
    (array([[1, 2]]), array([[1, 2]]))
    """
    _filtration.check_degree(max_dim)
    check_one_of("compat", compat, ("none", "zero_block", "reference"))
    if compat == "reference" or _filtration.has_no_rows(x):
        w, w_tilde = _filtration.pair_distances(x, y)
        named = {"x": w, "y": w_tilde}
        weights = _matrix_weights(named, normalize, quantile, compat)
        return _r_cross(*weights, max_dim, compat)
    p, q = pair(x, y)
    one = cloud_weights(p, normalize, quantile, "x")
    two = cloud_weights(q, normalize, quantile, "y")
    return _r_cross(one, two, max_dim, compat)


def r_cross_barcode_from_distances(
    w: Any,
    w_tilde: Any,
    /,
    *,
    max_dim: int = 1,
    normalize: Normalize = "none",
    quantile: float = 0.9,
    compat: Compat = "none",
) -> tuple[Barcode, ...]:
    """`r_cross_barcode` of two n x n matrices of distances.

    Distances must be symmetric, not negative and 0 on the diagonal; the triangle
    inequality is not required. An infinite distance is an edge that never appears:
    units are computed from the finite distances, and bars may be infinite.

    Examples
    --------
    Two points at distance 2 that coincide in the other space.

    >>> _, h1 = r_cross_barcode_from_distances([[0, 2], [2, 0]], [[0, 0], [0, 0]])
    >>> h1.births, h1.deaths, h1.birth_in, h1.death_in
    (array([0.]), array([2.]), array(['w_tilde'], dtype='<U7'),
     array(['cone'], dtype='<U7'))
    """
    _filtration.check_degree(max_dim)
    check_one_of("compat", compat, ("none", "zero_block", "reference"))
    a, b = _filtration.checked_pair(w, w_tilde)
    named = {"w": a, "w_tilde": b}
    weights = _matrix_weights(named, normalize, quantile, compat)
    return _r_cross(*weights, max_dim, compat)


def _matrix_weights(
    named: dict[str, np.ndarray], normalize: str, quantile: float, compat: str
) -> tuple[EdgeWeights, EdgeWeights]:
    """Normalized weights of two validated matrices, with their names."""
    if compat != "reference":
        one, two = (
            MatrixWeights(m, _filtration.matrix_unit(m, name, normalize, quantile))
            for name, m in named.items()
        )
        return one, two
    w, w_tilde = (
        _filtration.normalized(m, name, normalize, quantile, full=True)
        for name, m in named.items()
    )
    one, two = map(MatrixWeights, _filtration.as_reference(w, w_tilde))
    return one, two


def _r_cross(
    w: EdgeWeights, w_tilde: EdgeWeights, max_dim: int, compat: str
) -> tuple[Barcode, ...]:
    k, k_tilde = singles(w, w_tilde)
    engine = _engines.relative_pairs
    if compat != "none":
        engine = _engines.zero_block_pairs
    by_degree = engine(k, np.minimum(k, k_tilde), max_dim)
    edges = edges_of(*by_degree)
    readers = w.reader(edges), w_tilde.reader(edges)
    return tuple(gather(pairs, i, w.n, *readers) for i, pairs in enumerate(by_degree))
