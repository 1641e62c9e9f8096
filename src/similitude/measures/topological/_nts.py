"""Normalised topological similarity: do spanning trees rank their edges alike?"""

import abc
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy

from ... import _array, _linalg
from ..._array import Array
from ..._compile import kernels
from ..._validate import points
from ...errors import Undefined
from ...topology._trees._spanning_trees import spanning_tree
from .._base import Measure
from .._claims import SHAPE, Claims
from ._base import unit_distances

__all__ = ["NTSE", "NTSM", "nts_e", "nts_m"]

_WALKS = "similitude.topology._kernels._tree_walks"


@dataclass(frozen=True, eq=False)
class Tree:
    """The minimum spanning tree of one cloud, and all of its distances."""

    distances: np.ndarray  # n x n
    edges: np.ndarray  # (n - 1, 2), from short to long
    like: Array  # an array of the caller's library, to answer in

    def lengths(self, pairs: np.ndarray) -> np.ndarray:
        return self.distances[pairs[:, 0], pairs[:, 1]]

    def heights(self, pairs: np.ndarray) -> np.ndarray:
        """Where single linkage joins the two: the longest edge between them."""
        walk = kernels(_WALKS).last_edges(len(self.distances), self.edges, pairs)
        return self.lengths(self.edges)[walk]


def _grow(distances: np.ndarray, like: Array) -> Tree:
    return Tree(distances, spanning_tree(distances)[0], like)


@dataclass(frozen=True)
class TreeMeasure(Measure):
    """Rank correlation of something at the edges of both spanning trees."""

    refs = ("wang2026symmetric",)
    cost = "moderate"
    chance: ClassVar[str]

    @staticmethod
    @abc.abstractmethod
    def at(tree: Tree, edges: np.ndarray) -> np.ndarray:
        """What is ranked of one cloud: a number for each edge."""

    def claims(self) -> Claims:
        return Claims(
            kind="similarity",
            range=(-1.0, 1.0),
            symmetric=True,
            invariant_x=SHAPE,
            invariant_y=SHAPE,
            differentiable=False,
            chance=self.chance,
        )

    def prepare(self, x: Any, seed: Any = None) -> Tree:
        x = points(x)
        if x.n < 3:
            raise Undefined(f"a rank correlation of edges needs 3 rows; got {x.n}.")
        distances = unit_distances(_linalg.balanced(x), "none", 0.9)
        return _grow(_linalg.rankable(distances), x.values[:1, :1])

    def compare(self, p: Tree, q: Tree) -> Array:
        edges = _union(p, q)
        return _array.scalar(_spearman(self.at(p, edges), self.at(q, edges)), p.like)

    def permute(self, q: Tree, order: np.ndarray) -> Tree:
        return _grow(np.ascontiguousarray(q.distances[np.ix_(order, order)]), q.like)

    def details(self, p: Tree, q: Tree) -> dict[str, Any]:
        edges = len(_union(p, q))
        return {"edges": edges, "edges_in_both": 2 * len(p.edges) - edges}


def _union(p: Tree, q: Tree) -> np.ndarray:
    """Edges that are in one of the trees, or in both."""
    return np.unique(np.concatenate([p.edges, q.edges]), axis=0)


def _spearman(a: np.ndarray, b: np.ndarray) -> float:
    ranks = [scipy.stats.rankdata(v) for v in (a, b)]
    if any(np.ptp(r) == 0 for r in ranks):
        raise Undefined(
            "all edges of a spanning tree are equally long, so there are no ranks to "
            "correlate. Use more stimuli, or rtd_lite."
        )
    a, b = (r - r.mean() for r in ranks)
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


@dataclass(frozen=True)
class NTSE(TreeMeasure):
    """Rank correlation of edge lengths; see `similitude.nts_e`."""

    name = "nts_e"
    chance = "about -0.7, not 0"

    @staticmethod
    def at(tree: Tree, edges: np.ndarray) -> np.ndarray:
        return tree.lengths(edges)


@dataclass(frozen=True)
class NTSM(TreeMeasure):
    """Rank correlation of merge heights; see `similitude.nts_m`."""

    name = "nts_m"
    chance = "-0.1 (64 columns) to -0.3 (2), not 0: what is near in one is not"

    @staticmethod
    def at(tree: Tree, edges: np.ndarray) -> np.ndarray:
        return tree.heights(edges)


def nts_e(x: Any, y: Any, /) -> Array:
    r"""Normalised topological similarity of edges: are the same short edges short?

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


def nts_m(x: Any, y: Any, /) -> Array:
    r"""Normalised topological similarity of merges: are components joined in order?

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
