"""Normalized topological similarity of merges."""

from dataclasses import dataclass
from typing import Any

from ..._base._array import Score
from ._tree_correlations import Tree, TreeMeasure

__all__ = ["NTSM", "nts_m"]


@dataclass(frozen=True, kw_only=True)
class NTSM(TreeMeasure):
    """Rank correlation of merge heights; see `similitude.nts_m`."""

    name = "nts_m"
    chance = "about -0.1 (64 columns) to -0.3 (2 columns), not 0"
    edge_values = staticmethod(Tree.heights)


def nts_m(x: Any, y: Any, /) -> Score:
    r"""Normalized topological similarity of merges: rank correlation of merge heights.

    .. math::

        \mathrm{NTS\text{-}M} = \mathrm{Spearman}\big( (h_e)_{e \in E},\,
            (\tilde h_e)_{e \in E} \big), \qquad
            h_{ij} = \min_{\text{paths } i \to j} \ \max_{e \in \text{path}} w_e

    where

    - :math:`w, \tilde w` are the Euclidean distances between the rows of x and of y,
      and :math:`h, \tilde h` are the heights at which single linkage joins two rows;
    - :math:`E = T(w) \cup T(\tilde w)` are the edges of both minimum spanning trees.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library. Row i of both is the same stimulus.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1]. Unrelated clouds score about -0.1 in 64 dimensions and -0.3 in the
        plane, not 0. An edge that is short in one cloud is usually not short in the
        other.

    Notes
    -----
    Invariant to rotations, reflections, isotropic scaling and translation, and to any
    increasing function of the distances. Distances are compared at 11 digits, so that
    equal distances tie. Among equally long edges, the tree prefers smaller indices.

    Not to be confused with: the cophenetic correlation, which uses all pairs; `nts_e`,
    which compares the lengths of the edges themselves.

    Raises
    ------
    Undefined
        If there are fewer than three rows, or if all heights are equal in one cloud.

    References
    ----------
    wang2026symmetric

    Examples
    --------
    Points 0, 1, 3 on a line, and points 0, 2, 3. The heights of the edges 12 and 23 are
    1 and 2 in x, and 2 and 1 in y.

    >>> float(nts_m([[0.0], [1.0], [3.0]], [[0.0], [2.0], [3.0]]))
    -1.0
    """
    return NTSM()(x, y)
