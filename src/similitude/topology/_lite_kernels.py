"""Compiled: one spanning tree turned into another, edge by edge."""

import numpy as np
from numba import njit, types

_EDGES = types.Array(types.int64, 2, "C", readonly=True)


@njit
def _reroot(parent, label, v):
    """Make v the root of its tree, by turning the edges above it."""
    above, under, edge = parent[v], v, label[v]
    parent[v] = -1
    while above >= 0:
        following, moved = parent[above], label[above]
        parent[above], label[above] = under, edge
        above, under, edge = following, above, moved


@njit(types.int64[::1](types.int64, _EDGES, _EDGES), nogil=True, cache=True)
def exchanges(n, first, second):
    """For each edge of the second forest, in order, the edge of the first it replaces.

    That is the last edge of the first forest on the path between its ends; the path may
    also have edges of the second, which have replaced others before. The ends of every
    edge of the second forest must be connected in the first.
    """
    parent = np.full(n, -1, np.int64)
    label = np.full(n, -1, np.int64)  # of the edge to the parent: which of `first`
    for e in range(len(first)):
        a, b = first[e]
        _reroot(parent, label, a)
        parent[a], label[a] = b, e
    replaced = np.empty(len(second), np.int64)
    seen = np.full(n, -1, np.int64)  # the last f whose path visited a vertex
    for f in range(len(second)):
        a, b = second[f]
        v = a
        while v >= 0:
            seen[v] = f
            v = parent[v]
        meet = b
        while seen[meet] != f:
            meet = parent[meet]
        last, cut, end = np.int64(-1), a, a
        for start in (a, b):
            v = start
            while v != meet:
                if label[v] > last:
                    last, cut, end = label[v], v, start
                v = parent[v]
        replaced[f] = last
        parent[cut] = -1
        _reroot(parent, label, end)
        parent[end], label[end] = a + b - end, -1
    return replaced
