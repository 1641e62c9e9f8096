"""Choice of the engine for each degree; `_pairs.py` has the contract of engines.

The `lune` engine computes degree 1, and the `cohomology` engine higher degrees. Tests
compare both with a textbook reduction. Degree 0 of a pair is empty, because every
vertex of X is a vertex of K.
"""

import numpy as np

from . import _cohomology, _lune
from ._pairs import NONE, K, Pairs, X, no_pairs


def relative_pairs(k: np.ndarray, x: np.ndarray, max_dim: int) -> list[Pairs]:
    """Bars of H_i(R(x), R(k)) for i = 0 ... max_dim, from float32 matrices."""
    found = [no_pairs()]
    if max_dim >= 1:
        found.extend(_lune.relative_pairs(x, k))
    if max_dim >= 2:
        found.extend(_cohomology.relative_pairs(k, x, max_dim)[2:])
    return found


def relative_pairs_and_trees(
    x: np.ndarray, *ks: np.ndarray
) -> tuple[list[Pairs], list[np.ndarray]]:
    """Bars of H_1(R(x), R(k)) for each k, and spanning forests of x and of each k."""
    return _lune.relative_pairs_and_trees(x, *ks)


def rips_pairs(x: np.ndarray, max_dim: int) -> list[Pairs]:
    """Bars of H_i(R(x)) for i = 0 ... max_dim, from a float32 matrix."""
    found = list(_lune.rips_pairs(x))
    if max_dim >= 2:
        found.extend(_cohomology.rips_pairs(x, max_dim)[2:])
    return found[: max_dim + 1]


def zero_block_pairs(k: np.ndarray, x: np.ndarray, max_dim: int) -> list[Pairs]:
    """Bars of the published matrix, with edges and codes of the relative pair.

    Degree 1 is computed from the pair itself. An edge between a vertex and a twin has
    its weight in k, like a cone. Two twins have distance 0.
    """
    found = relative_pairs(k, x, min(max_dim, 1))
    if max_dim >= 2:
        n = len(x)
        for bars in rips_pairs(zero_block(k, x), max_dim)[2:]:
            births, birth_in = _as_relative(bars.birth_edges, bars.birth_in, n)
            deaths, death_in = _as_relative(bars.death_edges, bars.death_in, n)
            found.append(Pairs(births, deaths, birth_in, death_in))
    return found


def zero_block(k: np.ndarray, x: np.ndarray) -> np.ndarray:
    """[[x, k], [k, 0]]: all vertices, then their twins."""
    return np.block([[x, k], [k, np.zeros_like(k)]])


def _as_relative(
    edges: np.ndarray, codes: np.ndarray, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Edges of the 2n x 2n matrix, as edges and codes of the relative pair."""
    twins = (edges >= n).sum(axis=1)
    codes = np.where(codes == NONE, NONE, np.array([X, K, NONE], np.int8)[twins])
    edges = np.sort(np.where(edges < 0, edges, edges % n), axis=1)
    return np.where(codes[:, None] == NONE, -1, edges), codes
