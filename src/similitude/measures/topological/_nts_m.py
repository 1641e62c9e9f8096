"""Normalized topological similarity of merges."""

from dataclasses import dataclass
from typing import Any

from ..._array import Array
from ._tree_correlations import Tree, TreeMeasure

__all__ = ["NTSM", "nts_m"]


@dataclass(frozen=True, kw_only=True)
class NTSM(TreeMeasure):
    """Rank correlation of merge heights; see `similitude.nts_m`."""

    name = "nts_m"
    chance = "-0.1 (64 columns) to -0.3 (2), not 0: what is near in one is not"
    at = staticmethod(Tree.heights)


def nts_m(x: Any, y: Any, /) -> Array:
    r"""Normalized topological similarity of merges: are components joined in order?

    .. math::

        \mathrm{NTS\text{-}M} = \mathrm{Spearman}\big( (h_e)_{e \in E},\,
            (\tilde h_e)_{e \in E} \big), \qquad
            h_{ij} = \min_{\text{paths } i \to j} \ \max_{e \in \text{path}} w_e

    where

    - :math:`w, \tilde w` are the Euclidean distances between the rows of x, and of y,
      and :math:`h, \tilde h` the heights at which single linkage joins two rows;
    - :math:`E = T(w) \cup T(\tilde w)`, the edges of both minimum spanning trees.

    Parameters
    ----------
    x, y
        n x d1 and n x d2, rows the same n stimuli; arrays of one library.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1]. Unrelated clouds do not score 0, but about -0.1 in 64 dimensions and
        -0.3 in the plane.

    Notes
    -----
    Invariant to rotations, reflections, isotropic scaling and translation, and to any
    increasing function of the distances. Distances are compared at 11 digits, so that
    equal ones tie; of equally long edges the tree takes those of smaller indices.

    Not to be confused with: the cophenetic correlation, which takes all pairs; `nts_e`,
    which compares the lengths of the edges themselves.

    Raises
    ------
    Undefined
        For fewer than three rows, and where all heights are equal in one of the clouds.

    References
    ----------
    wang2026symmetric

    Examples
    --------
    Points 0, 1, 3 on a line, and 0, 2, 3: heights 1 and 2 of the edges 12 and 23, and
    2 and 1.

    >>> float(nts_m([[0.0], [1.0], [3.0]], [[0.0], [2.0], [3.0]]))
    -1.0
    """
    return NTSM()(x, y)
