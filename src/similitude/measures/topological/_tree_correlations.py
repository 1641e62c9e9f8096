"""Rank correlations on the edges of the spanning trees of two clouds."""

import abc
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array
from ..._base._compile import kernels
from ..._base._validate import points
from ...errors import Undefined
from ...topology._trees._spanning_trees import spanning_tree
from ...transformations import SHAPE
from .._base import Measure
from .._claims import Claims
from ._base import unit_distances

_WALKS = "similitude.topology._kernels._tree_walks"


@dataclass(frozen=True, eq=False)
class Tree:
    """The minimum spanning tree and all distances of one cloud."""

    distances: np.ndarray  # n x n
    edges: np.ndarray  # (n - 1, 2), from short to long
    like: Array  # sets the array library, dtype and device of the score

    def lengths(self, pairs: np.ndarray) -> np.ndarray:
        return self.distances[pairs[:, 0], pairs[:, 1]]

    def heights(self, pairs: np.ndarray) -> np.ndarray:
        """Heights at which single linkage joins the pairs: longest edge on the path."""
        walk = kernels(_WALKS).last_edges(len(self.distances), self.edges, pairs)
        return self.lengths(self.edges)[walk]


def _build_tree(distances: np.ndarray, like: Array) -> Tree:
    return Tree(distances, spanning_tree(distances)[0], like)


@dataclass(frozen=True, kw_only=True)
class TreeMeasure(Measure):
    """Rank correlation of values on the edges of both spanning trees."""

    refs = ("wang2026symmetric",)
    cost = "moderate"
    chance: ClassVar[str]

    @staticmethod
    @abc.abstractmethod
    def edge_values(tree: Tree, edges: np.ndarray, /) -> np.ndarray:
        """The values of one cloud that are ranked, one per edge."""

    def claims(self) -> Claims:
        return Claims(
            kind="similarity",
            range=(-1.0, 1.0),
            invariant=SHAPE,
            differentiable=False,
            chance=self.chance,
        )

    def prepare(self, x: Any, seed: Any = None) -> Tree:
        x = points(x)
        if x.n < 3:
            raise Undefined(
                f"a rank correlation of edges needs at least 3 rows; got {x.n}."
            )
        distances = unit_distances(_linalg.balanced(x), "none", 0.9)
        return _build_tree(_linalg.rankable(distances), x.values[:1, :1])

    def compare(self, p: Tree, q: Tree) -> Array:
        edges = _union(p, q)
        values = (self.edge_values(tree, edges) for tree in (p, q))
        return _array.scalar(_spearman(*values), p.like)

    def permute(self, q: Tree, order: np.ndarray) -> Tree:
        distances = np.ascontiguousarray(q.distances[np.ix_(order, order)])
        return _build_tree(distances, q.like)

    def details(self, p: Tree, q: Tree) -> dict[str, Any]:
        edges = len(_union(p, q))
        return {"edges": edges, "edges_in_both": 2 * len(p.edges) - edges}


def _union(p: Tree, q: Tree) -> np.ndarray:
    """Edges that are in one of the trees, or in both."""
    return np.unique(np.concatenate([p.edges, q.edges]), axis=0)


def _spearman(a: np.ndarray, b: np.ndarray) -> float:
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        raise Undefined(
            "all edges of a spanning tree are equally long, so the rank correlation is "
            "undefined. Use more stimuli, or rtd_lite."
        )
    return _linalg.rank_correlation(a, b)
