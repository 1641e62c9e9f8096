"""Result of an engine: bars as pairs of edges, and their conversion to a `Barcode`.

**The contract of engines.** The input of an engine is one filtered pair of complexes on
N vertices, or one complex::

    engine(k, x, ...)       relative: K = R(k) inside X = R(x), with x <= k entrywise
    engine(x, ...)          plain:    X = R(x)

The matrices are symmetric C-contiguous float32 with zero diagonals, >= 0, rounded once
by `_edge_weights.singles`; +inf means that the edge never appears. An R-Cross-Barcode
has k = w and x = min(w, w̃); SRTD has k = max(w, w̃) and the same x.

Time is one total order of *events*. Edge (i, j), i < j, enters X at the event
(x[i, j], i, j, 0) and K at the event (k[i, j], i, j, 1). Tuples are compared from the
left: by value, then by edge, then X before K. A simplex of X enters with the last of
its edges in X. The cone O * s over a simplex s of K enters with the last of the edges
of s in K. Vertices and cones over vertices are present from the start. The barcode over
*this* order is unique as a multiset of pairs of events, for every algorithm. Every
engine returns exactly this barcode, one `Pairs` per degree, without the bars whose two
float32 values are equal.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .._barcode import Barcode

Reader = Callable[[np.ndarray], np.ndarray]  # edges (k, 2) to their float64 weights

# The matrix that contains the weight of an edge: none, x, or k (a cone).
NONE, X, K = 0, 1, 2


class Pairs(NamedTuple):
    """Bars of one degree as events: edges with i <= j, and codes NONE, X or K."""

    birth_edges: np.ndarray  # (k, 2) int64, (-1, -1) with code NONE: from the start
    death_edges: np.ndarray  # (k, 2) int64, (-1, -1) with code NONE: never
    birth_in: np.ndarray  # (k,) int8
    death_in: np.ndarray  # (k,) int8


def edges_of(*found: Pairs) -> np.ndarray:
    """All edges of some bars; (-1, -1) where there is no edge."""
    return np.concatenate([e for p in found for e in (p.birth_edges, p.death_edges)])


def no_pairs() -> Pairs:
    edges, codes = np.empty((0, 2), np.int64), np.empty(0, np.int8)
    return Pairs(edges, edges, codes, codes)


def gather(
    pairs: Pairs, degree: int, n: int, read: Reader, read_tilde: Reader | None = None
) -> Barcode:
    """Barcode with float64 weights: x is min(w, w_tilde), and k is w.

    `read` and `read_tilde` return the weights of edges in w and w_tilde.
    """
    births, birth_in = _read(pairs.birth_edges, pairs.birth_in, read, read_tilde)
    deaths, death_in = _read(pairs.death_edges, pairs.death_in, read, read_tilde)
    deaths[pairs.death_in == NONE] = np.inf
    return Barcode(
        degree=degree,
        births=births,
        deaths=deaths,
        birth_edges=pairs.birth_edges,
        death_edges=pairs.death_edges,
        birth_in=birth_in,
        death_in=death_in,
        n_points=n,
    )


def _read(
    edges: np.ndarray, codes: np.ndarray, read: Reader, read_tilde: Reader | None
) -> tuple[np.ndarray, np.ndarray]:
    first = read(edges)
    second = first if read_tilde is None else read_tilde(edges)
    values = np.where(codes == X, np.minimum(first, second), first)
    names = np.where(first <= second, "w", "w_tilde")
    names = np.where(codes == K, "cone", names)
    return np.where(codes == NONE, 0.0, values), np.where(codes == NONE, "none", names)
