"""Compiled kernels: paths in spanning trees."""

import numpy as np
from numba import njit, types

from ..._base._compile import kernel

_EDGES = types.Array(types.int64, 2, "C", readonly=True)


@njit
def _reroot(parent, label, v):
    """Make v the root of its tree, by reversing the edges above it."""
    above, under, edge = parent[v], v, label[v]
    parent[v] = -1
    while above >= 0:
        following, moved = parent[above], label[above]
        parent[above], label[above] = under, edge
        above, under, edge = following, above, moved


@njit
def _rooted(n, edges):
    """Parents of the vertices of a forest, and the edges to them; -1 at roots."""
    parent = np.full(n, -1, np.int64)
    label = np.full(n, -1, np.int64)
    for e in range(len(edges)):
        a, b = edges[e]
        _reroot(parent, label, a)
        parent[a], label[a] = b, e
    return parent, label


@njit
def _common_ancestor(parent, seen, mark, a, b):
    """The first vertex on the paths of a and b to the root; marks `seen` on the way."""
    while a >= 0:
        seen[a] = mark
        a = parent[a]
    while seen[b] != mark:
        b = parent[b]
    return b


@kernel(types.int64[::1](types.int64, _EDGES, _EDGES))
def last_edges(n, tree, pairs):
    """For each pair of vertices, the last edge of the tree on the path between them.

    With edges sorted by length this is the edge that joins them, by single linkage.
    """
    parent, label = _rooted(n, tree)
    found = np.empty(len(pairs), np.int64)
    seen = np.full(n, -1, np.int64)
    for f in range(len(pairs)):
        ancestor = _common_ancestor(parent, seen, f, pairs[f, 0], pairs[f, 1])
        last = np.int64(-1)
        for start in pairs[f]:
            v = start
            while v != ancestor:
                last = max(last, label[v])
                v = parent[v]
        found[f] = last
    return found


@kernel(types.int64[::1](types.int64, _EDGES, _EDGES))
def exchanges(n, first, second):
    """For each edge of the second forest, in order, the edge of the first it replaces.

    This is the last edge of the first forest on the path between its ends. The path may
    also contain edges of the second forest, which have replaced others before. The ends
    of every edge of the second forest must be connected in the first.
    """
    parent, label = _rooted(n, first)
    replaced = np.empty(len(second), np.int64)
    seen = np.full(n, -1, np.int64)  # the last f whose path visited a vertex
    for f in range(len(second)):
        a, b = second[f]
        ancestor = _common_ancestor(parent, seen, f, a, b)
        last, cut, end = np.int64(-1), a, a
        for start in (a, b):
            v = start
            while v != ancestor:
                if label[v] > last:
                    last, cut, end = label[v], v, start
                v = parent[v]
        replaced[f] = last
        parent[cut] = -1
        _reroot(parent, label, end)
        parent[end], label[end] = a + b - end, -1
    return replaced
