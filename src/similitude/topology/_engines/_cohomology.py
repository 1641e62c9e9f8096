"""The `cohomology` engine: any degree, by the algorithm of Ripser on N + 1 vertices.

Relative homology H_i(R(x), R(k)) is the reduced homology of R(x) with a cone on R(k).
This is not a flag complex. But the algorithm only needs the time at which a cofacet
enters, so clearing, apparent and emergent pairs and the implicit coboundary still work.

References: bauer2021ripser
"""

import math
from typing import NamedTuple

import numpy as np

from ..._base._compile import kernels
from ...errors import InvalidInput
from .._trees._spanning_trees import spanning_tree
from ._pairs import NONE, K, Pairs, X, no_pairs

_KERNELS = "similitude.topology._kernels._cohomology"
_NEVER = np.iinfo(np.int32).max


def relative_pairs(k: np.ndarray, x: np.ndarray, max_dim: int) -> list[Pairs]:
    """Bars of H_i(R(x), R(k)), i <= max_dim; degree 0 is empty."""
    n = len(x)
    if max_dim < 1 or n < 2:
        return [no_pairs() for _ in range(max_dim + 1)]
    events = in_order(x, k)
    in_x, in_k = events.ranks
    # All classes are dead once a vertex of K is adjacent to all others: both complexes
    # are then cones. For degree 1 it suffices that K is connected and X is a cone.
    cutoff = _enclosing(in_k)
    if max_dim == 1:
        i, j = spanning_tree(k)[0].T
        cutoff = max(int(in_k[i, j].max()), _enclosing(in_x))
    return [no_pairs(), *_higher_degrees(events, cutoff, max_dim, tree=None)]


def rips_pairs(x: np.ndarray, max_dim: int) -> list[Pairs]:
    """Bars of H_i(R(x)), i <= max_dim."""
    edges, lengths = spanning_tree(x)
    joined = edges[lengths < np.inf]
    dead = edges[(lengths > 0) & (lengths < np.inf)]
    no_edges = np.full((len(dead) + len(x) - len(joined), 2), -1, np.int64)
    deaths = np.concatenate([dead, no_edges[len(dead) :]])
    codes = np.where(deaths[:, 0] < 0, NONE, X).astype(np.int8)
    h0 = Pairs(no_edges, deaths, np.full_like(codes, NONE), codes)
    if max_dim < 1 or len(x) < 2:
        return [h0] + [no_pairs() for _ in range(max_dim)]
    events = in_order(x)
    cutoff = _enclosing(events.ranks[0])
    return [h0, *_higher_degrees(events, cutoff, max_dim, tree=joined)]


class Events(NamedTuple):
    """Edges in the order in which they enter; rank 0 is the start."""

    ranks: list[np.ndarray]  # for each matrix, (n, n) int32: positions, from 1
    edges: np.ndarray  # (count + 1, 2)
    codes: np.ndarray  # (count + 1,): X or K
    values: np.ndarray  # (count + 1,) float32

    def pairs(self, births: np.ndarray, deaths: np.ndarray) -> Pairs:
        """Bars from ranks, -1 for infinite; bars of length 0 in float32 are omitted."""
        nonempty = (deaths < 0) | (self.values[births] < self.values[deaths])
        births, deaths = births[nonempty], np.maximum(deaths[nonempty], 0)
        return Pairs(
            self.edges[births],
            self.edges[deaths],
            self.codes[births],
            self.codes[deaths],
        )


def in_order(*matrices: np.ndarray) -> Events:
    """Events of x, or of x and k, by (value, i, j, matrix); infinite ones omitted."""
    n, kinds = len(matrices[0]), len(matrices)
    i, j = np.triu_indices(n, k=1)
    values = np.stack([m[i, j] for m in matrices], axis=1).ravel()
    # Nonnegative floats sort in the order of their bits. Adding 0 turns -0 into 0.
    bits = (values + np.float32(0)).view(np.uint32).astype(np.uint64)
    order = np.sort((bits << np.uint64(32)) | np.arange(values.size, dtype=np.uint64))
    order = (order & np.uint64(2**32 - 1)).astype(np.int64)
    order = order[values[order] < np.inf]
    edge, kind = order // kinds, order % kinds
    rank = np.full(values.size, _NEVER, np.int32)
    rank[order] = np.arange(1, order.size + 1)
    ranks = []
    for m in range(kinds):
        square = np.zeros((n, n), np.int32)
        square[i, j] = square[j, i] = rank[m::kinds]
        ranks.append(square)
    edges = np.stack([i[edge], j[edge]], axis=1)
    return Events(
        ranks,
        np.concatenate([[[-1, -1]], edges]),
        np.concatenate([[NONE], np.where(kind == 0, X, K)]).astype(np.int8),
        np.concatenate([[np.float32(0)], values[order]]),
    )


def _enclosing(ranks: np.ndarray) -> int:
    """The first moment at which some vertex is adjacent to all others."""
    return int(ranks.max(axis=1).min())


def _higher_degrees(
    events: Events, cutoff: int, max_dim: int, tree: np.ndarray | None
) -> list[Pairs]:
    """Degrees 1 to max_dim; the deaths of each degree clear columns of the next.

    In degree 1 of a plain complex, the edges of the spanning tree are cleared. With a
    cone, the edges to the apex would be; they are not listed at all.
    """
    native = kernels(_KERNELS)
    n = len(events.ranks[0])
    vertices = n + (tree is None)
    bits = _index_bits(max_dim + 2, vertices, len(events.edges))
    c = native.Complex(
        x=events.ranks[0],
        k=events.ranks[-1],
        vertices=vertices,
        cutoff=min(cutoff, len(events.edges) - 1),
        binomial=_binomials(max_dim + 2, vertices),
        bits=bits,
    )
    tree_keys = np.empty(0, np.int64)
    if tree is not None:
        i, j = tree.T
        tree_keys = events.ranks[0][i, j].astype(np.int64) << c.bits
        tree_keys |= 2**c.bits - 1 - (j * (j - 1) // 2 + i)
    cleared = native.table_of(tree_keys)
    found = []
    for degree in range(1, max_dim + 1):
        top = n - 1 if degree == 1 else vertices - 1
        simplices, count = native.columns(c, degree + 1, top, cleared)
        simplices = np.sort(simplices[:count])[::-1].copy()  # youngest first
        deaths, cleared = native.reduce(c, degree + 1, simplices)
        found.append(events.pairs(simplices >> c.bits, deaths >> c.bits))
    return found


def _binomials(size: int, vertices: int) -> np.ndarray:
    """Binomial coefficients: [k, v] is v over k, for all that the kernels look up."""
    rows = [[math.comb(v, k) for v in range(vertices + 1)] for k in range(size + 1)]
    return np.array(rows, dtype=np.int64)


def _index_bits(size: int, vertices: int, events: int) -> int:
    bits = max(math.comb(vertices, k) for k in range(size + 1)).bit_length()
    if bits + events.bit_length() > 62:
        raise InvalidInput(
            f"degree {size - 2} on {vertices} points has too many simplices for 62-bit "
            f"keys. Lower max_dim, or use fewer points."
        )
    return bits
