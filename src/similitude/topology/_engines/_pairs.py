"""Result of an engine: bars as pairs of edges, and their conversion to a `Barcode`.

**The contract of engines.** The input of an engine is one filtered pair of complexes on
N vertices, or one complex::

    engine(k, x, ...)       relative: K = R(k) inside X = R(x), with x <= k entrywise
    engine(x, ...)          plain:    X = R(x)

The matrices are symmetric C-contiguous float32 with zero diagonals, >= 0, rounded once
by `single` below; +inf means that the edge never appears. An R-Cross-Barcode has k = w
and x = min(w, w̃); SRTD has k = max(w, w̃) and the same x.

Time is one total order of *events*. Edge (i, j), i < j, enters X at the event
(x[i, j], i, j, 0) and K at the event (k[i, j], i, j, 1). Tuples are compared from the
left: by value, then by edge, then X before K. A simplex of X enters with the last of
its edges in X. The cone O * s over a simplex s of K enters with the last of the edges
of s in K. Vertices and cones over vertices are present from the start. The barcode over
*this* order is unique as a multiset of pairs of events, for every algorithm. Every
engine returns exactly this barcode, one `Pairs` per degree, without the bars whose two
float32 values are equal.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from .._barcode import Barcode

# The matrix that contains the weight of an edge: none, x, or k (a cone).
NONE, X, K = 0, 1, 2


class Pairs(NamedTuple):
    """Bars of one degree as events: edges with i <= j, and codes NONE, X or K."""

    birth_edges: np.ndarray  # (k, 2) int64, (-1, -1) with code NONE: from the start
    death_edges: np.ndarray  # (k, 2) int64, (-1, -1) with code NONE: never
    birth_in: np.ndarray  # (k,) int8
    death_in: np.ndarray  # (k,) int8


def no_pairs() -> Pairs:
    edges, codes = np.empty((0, 2), np.int64), np.empty(0, np.int8)
    return Pairs(edges, edges, codes, codes)


def single(*matrices: np.ndarray) -> list[np.ndarray]:
    """The matrices in float32, which defines the order of events.

    If float32 would overflow, all are multiplied by one power of two, which keeps the
    order. -0 becomes 0, because engines sort bits.
    """
    exponent = math.frexp(max(map(_largest, matrices), default=0.0))[1]
    if abs(exponent) >= 100:
        matrices = tuple(np.ldexp(m, -exponent) for m in matrices)
    options: Any = {"dtype": np.float32, "casting": "same_kind", "order": "C"}
    return [np.abs(m, **options) for m in matrices]


def _largest(m: np.ndarray) -> float:
    """The largest finite entry."""
    peak = float(np.max(m, initial=0.0))
    if peak < math.inf:
        return peak
    return float(np.max(m, initial=0.0, where=np.isfinite(m)))


def gather(
    pairs: Pairs, degree: int, w: np.ndarray, w_tilde: np.ndarray | None = None
) -> Barcode:
    """Barcode with values from float64 matrices: x is min(w, w_tilde), and k is w."""
    births, birth_in = _read(pairs.birth_edges, pairs.birth_in, w, w_tilde)
    deaths, death_in = _read(pairs.death_edges, pairs.death_in, w, w_tilde)
    deaths[pairs.death_in == NONE] = np.inf
    return Barcode(
        degree=degree,
        births=births,
        deaths=deaths,
        birth_edges=pairs.birth_edges,
        death_edges=pairs.death_edges,
        birth_in=birth_in,
        death_in=death_in,
        n_points=len(w),
    )


def _read(
    edges: np.ndarray, codes: np.ndarray, w: np.ndarray, w_tilde: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    i, j = edges.T
    first = w[i, j] if len(w) else np.empty(0)
    second = first if w_tilde is None else w_tilde[i, j]
    values = np.where(codes == X, np.minimum(first, second), first)
    names = np.where(first <= second, "w", "w_tilde")
    names = np.where(codes == K, "cone", names)
    return np.where(codes == NONE, 0.0, values), np.where(codes == NONE, "none", names)
