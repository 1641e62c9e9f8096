"""Normalized topological similarity of edges."""

from dataclasses import dataclass
from typing import Any

from ..._array import Array
from ._tree_correlations import Tree, TreeMeasure

__all__ = ["NTSE", "nts_e"]


@dataclass(frozen=True, kw_only=True)
class NTSE(TreeMeasure):
    """Rank correlation of edge lengths; see `similitude.nts_e`."""

    name = "nts_e"
    chance = "about -0.7, not 0"
    at = staticmethod(Tree.lengths)


def nts_e(x: Any, y: Any, /) -> Array:
    r"""Normalized topological similarity of edges: are the same short edges short?

    .. math::

        \mathrm{NTS\text{-}E} = \mathrm{Spearman}\big( (w_e)_{e \in E},\,
            (\tilde w_e)_{e \in E} \big), \qquad E = T(w) \cup T(\tilde w)

    where

    - :math:`w, \tilde w` are the Euclidean distances between the rows of x, and of y;
    - :math:`T(w)` are the edges of the minimum spanning tree.

    Parameters
    ----------
    x, y
        n x d1 and n x d2, rows the same n stimuli; arrays of one library.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1]. Unrelated clouds score about -0.7, not 0: an edge is in the union
        because it is short in one of them, and then it is long in the other.

    Notes
    -----
    Invariant to rotations, reflections, isotropic scaling and translation, and to any
    increasing function of the distances. Distances are compared at 11 digits, so that
    equal ones tie; of equally long edges the tree takes those of smaller indices.

    Not to be confused with: `rsa` with Euclidean distances and Spearman's correlation,
    which takes all pairs; `nts_m`, which compares where components merge.

    Raises
    ------
    Undefined
        For fewer than three rows, and where all edges of the union are equally long in
        one of the clouds.

    References
    ----------
    wang2026symmetric

    Examples
    --------
    Points 0, 1, 3 on a line, and 0, 2, 3: trees of edges 12 and 23 in both, that rank
    them in opposite order.

    >>> float(nts_e([[0.0], [1.0], [3.0]], [[0.0], [2.0], [3.0]]))
    -1.0
    """
    return NTSE()(x, y)
