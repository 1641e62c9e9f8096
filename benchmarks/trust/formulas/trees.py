"""Rank correlations over spanning trees: by Kruskal, and by paths and components."""

from typing import Any

import numpy as np

from .. import conditions
from ..tolerance import Law
from .blocks import center, distances, rounded
from .rdm import pearson, ranks
from .routes import NotDefined, Route, Routes

Edges = set[tuple[int, int]]


def in_order(w: np.ndarray) -> list[tuple[int, int]]:
    """Edges by length, then by indices."""
    n = len(w)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    return sorted(pairs, key=lambda e: (w[e], e))


def kruskal(w: np.ndarray) -> tuple[Edges, np.ndarray]:
    """The tree, and the height at which two rows are joined."""
    groups, tree, heights = [{i} for i in range(len(w))], set(), np.zeros_like(w)
    for i, j in in_order(w):
        a, b = (next(g for g in groups if v in g) for v in (i, j))
        if a is b:
            continue
        for u in a:
            for v in b:
                heights[u, v] = heights[v, u] = w[i, j]
        groups = [g for g in groups if g is not a and g is not b] + [a | b]
        tree.add((i, j))
    return tree, heights


def by_components(w: np.ndarray) -> tuple[Edges, np.ndarray]:
    """An edge is in the tree if earlier edges do not join its ends.

    Heights are the smallest largest edge over all paths (Floyd and Warshall).
    """
    from scipy.sparse.csgraph import connected_components

    n, tree = len(w), set()
    before = np.zeros((n, n))
    for i, j in in_order(w):
        if len(tree) == n - 1:
            break
        groups = connected_components(before, directed=False)[1]
        if groups[i] != groups[j]:
            tree.add((i, j))
        before[i, j] = 1
    heights = w.copy()
    for k in range(n):
        heights = np.minimum(heights, np.maximum(heights[:, [k]], heights[[k], :]))
    return tree, heights


def correlation(trees: Any, *, merges: bool, second: bool) -> Any:
    def score(m: Any, x: np.ndarray, y: np.ndarray) -> float:
        from scipy.stats import spearmanr

        w, v = (rounded(distances(center(side))) for side in (x, y))
        (tree, heights), (other, other_heights) = trees(w), trees(v)
        edges = sorted(tree | other)
        a, b = (heights, other_heights) if merges else (w, v)
        p, q = (np.array([side[e] for e in edges]) for side in (a, b))
        if np.ptp(p) == 0 or np.ptp(q) == 0:
            raise NotDefined("all values are equal")
        if second:
            return float(spearmanr(p, q).statistic)
        return pearson(ranks(p), ranks(q))

    return score


def _routes(*, merges: bool) -> Routes:
    return Routes(
        Law(conditions.one),
        (
            Route("Kruskal", correlation(kruskal, merges=merges, second=False)),
            Route(
                "scipy connected_components, spearmanr",
                correlation(by_components, merges=merges, second=True),
                "scipy",
            ),
        ),
    )


ROUTES = {"nts_e": _routes(merges=False), "nts_m": _routes(merges=True)}
