"""Barcodes by the textbook reduction and by ripser, trees by Prim and by scipy."""

from collections.abc import Callable
from typing import Any

import numpy as np

from topology.clouds import ripser_bars, zero_block
from topology.reference_engine import relative_pairs, rips_pairs

from .. import conditions
from ..tolerance import Law
from .blocks import center, distances
from .routes import NotDefined, Route, Routes


def unit_distances(m: Any, x: np.ndarray) -> np.ndarray:
    """Divided by their quantile over pairs; a single point is left as it is."""
    found = distances(center(x))
    if m.normalize == "none" or not found.any():
        return found
    unit = np.quantile(found[np.triu_indices(len(x), k=1)], m.quantile)
    if unit == 0:
        raise NotDefined("most rows are equal")
    return found / unit


def unit_distances_by_scipy(m: Any, x: np.ndarray) -> np.ndarray:
    from scipy.spatial.distance import pdist, squareform

    pairs = pdist(center(x))
    if m.normalize == "quantile" and pairs.any():
        unit = np.quantile(pairs, m.quantile)
        if unit == 0:
            raise NotDefined("most rows are equal")
        pairs = pairs / unit
    return squareform(pairs)


def length_by_reduction(k: np.ndarray, x: np.ndarray) -> float:
    """Total length of the bars of H_1(R(x), R(k)), by the textbook."""
    birth, death, in_birth, in_death = relative_pairs(k, x, 1)[1]
    weights = (np.zeros_like(x), x, k)
    total = 0.0
    for b, d, code_b, code_d in zip(birth, death, in_birth, in_death, strict=True):
        total += weights[code_d][tuple(d)] - weights[code_b][tuple(b)]
    return float(total)


def length_by_ripser(k: np.ndarray, x: np.ndarray) -> float:
    """The published 2n x 2n matrix, whose H_1 are these bars."""
    bars = ripser_bars(zero_block(k, x), 1)[1]
    return float(np.sum(bars[:, 1] - bars[:, 0]))


Length = Callable[[np.ndarray, np.ndarray], float]


def rtd(length: Length, w: np.ndarray, v: np.ndarray) -> float:
    low = np.minimum(w, v)
    return (length(w, low) + length(v, low)) / 2


def max_rtd(length: Length, w: np.ndarray, v: np.ndarray) -> float:
    high = np.maximum(w, v)
    return (length(high, v) + length(high, w)) / 2


def srtd(length: Length, w: np.ndarray, v: np.ndarray) -> float:
    return length(np.maximum(w, v), np.minimum(w, v))


def rtd_lite(
    length: Callable[[np.ndarray], float], w: np.ndarray, v: np.ndarray
) -> float:
    return (length(w) + length(v)) / 2 - length(np.minimum(w, v))


def prim(w: np.ndarray) -> float:
    """The length of the minimum spanning tree, grown from row 0."""
    inside, total = {0}, 0.0
    while len(inside) < len(w):
        edges = [(w[i, j], j) for i in inside for j in range(len(w)) if j not in inside]
        value, j = min(edges)
        total, inside = total + float(value), inside | {j}
    return total


def single_linkage(w: np.ndarray) -> float:
    """The heights of single linkage are the edges of the tree."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    return float(np.sum(linkage(squareform(w, checks=False), "single")[:, 2]))


def total(formula: Any, length: Any, distance: Any) -> Any:
    return lambda m, x, y: formula(length, distance(m, x), distance(m, y))


def rips_bars(w: np.ndarray) -> np.ndarray:
    """Bars of H_1 by the textbook reduction."""
    birth, death, _, _ = rips_pairs(w, 1)[1]
    ends = [(w[tuple(b)], w[tuple(d)]) for b, d in zip(birth, death, strict=True)]
    return np.array(ends).reshape(-1, 2)


def cheapest_matching(a: np.ndarray, b: np.ndarray, *, second: bool) -> float:
    """Bars are matched with bars, or with the diagonal at the cost of their length."""
    from .matching import assigned_sum, best_sum

    n, k = len(a), len(b)
    if n + k == 0:
        return 0.0
    costs = np.zeros((n + k, k + n))
    costs[:n, :k] = np.abs(a[:, None, :] - b[None, :, :]).sum(axis=2)
    costs[:n, k:] = (a[:, 1] - a[:, 0])[:, None]
    costs[n:, :k] = (b[:, 1] - b[:, 0])[None, :]
    return -(best_sum if second else assigned_sum)(-costs)


def wasserstein(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    bars = (rips_bars(unit_distances(m, v)) for v in (x, y))
    return cheapest_matching(*bars, second=False)


def wasserstein_by_ripser(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    bars = (ripser_bars(unit_distances_by_scipy(m, v), 1)[1] for v in (x, y))
    return cheapest_matching(*bars, second=True)


def size(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    """At most n bars, each at most as long as the largest distance."""
    return max(float(unit_distances_by_scipy(m, v).max()) for v in (x, y))


def _barcodes(formula: Any) -> Routes:
    return Routes(
        Law(conditions.offset, size=size),
        (
            Route(
                "reduction of the boundary matrix",
                total(formula, length_by_reduction, unit_distances),
            ),
            Route(
                "ripser (float32) on the published matrix",
                total(formula, length_by_ripser, unit_distances_by_scipy),
                "ripser",
                single=True,
            ),
        ),
        small=True,
    )


ROUTES = {
    "rtd": _barcodes(rtd),
    "max_rtd": _barcodes(max_rtd),
    "srtd": _barcodes(srtd),
    "rtd_lite": Routes(
        Law(conditions.offset, size=size),
        (
            Route("trees by Prim", total(rtd_lite, prim, unit_distances)),
            Route(
                "scipy single linkage",
                total(rtd_lite, single_linkage, unit_distances_by_scipy),
                "scipy",
            ),
        ),
    ),
    "rips_wasserstein": Routes(
        Law(conditions.offset, size=size),
        (
            Route("reduction, Hungarian method", wasserstein),
            Route(
                "ripser (float32), linear program",
                wasserstein_by_ripser,
                "ripser",
                single=True,
            ),
        ),
        small=True,
    ),
}
