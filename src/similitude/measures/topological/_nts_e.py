"""Normalized topological similarity of edges."""

from dataclasses import dataclass
from typing import Any

from ..._base._array import Score
from ._tree_correlations import Tree, TreeMeasure

__all__ = ["NTSE", "nts_e"]


@dataclass(frozen=True, kw_only=True)
class NTSE(TreeMeasure):
    """Rank correlation of edge lengths; see `similitude.nts_e`."""

    name = "nts_e"
    chance = "about -0.7, not 0"
    edge_values = staticmethod(Tree.lengths)


def nts_e(x: Any, y: Any, /) -> Score:
    r"""Normalized topological similarity of edges: rank correlation of edge lengths.

    .. math::

        \mathrm{NTS\text{-}E} = \mathrm{Spearman}\big( (w_e)_{e \in E},\,
            (\tilde w_e)_{e \in E} \big), \qquad E = T(w) \cup T(\tilde w)

    where

    - :math:`w, \tilde w` are the Euclidean distances between the rows of x and of y;
    - :math:`T(w)` are the edges of the minimum spanning tree.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library. Row i of both is the same stimulus.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1]. Unrelated clouds score about -0.7, not 0. An edge is in the union
        because it is short in one cloud, and it is then usually long in the other.

    Notes
    -----
    Invariant to rotations, reflections, isotropic scaling and translation, and to any
    increasing function of the distances. Distances are compared at 11 digits, so that
    equal distances tie. Among equally long edges, the tree prefers smaller indices.

    Not to be confused with: `rsa` with Euclidean distances and Spearman's correlation,
    which uses all pairs; `nts_m`, which compares merge heights.

    Raises
    ------
    Undefined
        If there are fewer than three rows, or if all edges of the union are equally
        long in one of the clouds.

    References
    ----------
    wang2026symmetric

    Examples
    --------
    Points 0, 1, 3 on a line, and points 0, 2, 3. Both trees have the edges 12 and 23,
    but rank their lengths in opposite order.

    >>> float(nts_e([[0.0], [1.0], [3.0]], [[0.0], [2.0], [3.0]]))
    -1.0
    """
    return NTSE()(x, y)
