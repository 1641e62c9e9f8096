"""Which engine computes which degree; `_pairs.py` has the contract of engines.

Degree 1 is the `lune` engine's, higher degrees are the `cohomology` engine's; the
`reference` engine is what tests compare both with. Degree 0 of a pair is empty: every
vertex of X is one of K.
"""

import numpy as np

from . import _cohomology, _lune
from ._pairs import NONE, K, Pairs, X, no_pairs


def relative_pairs(k: np.ndarray, x: np.ndarray, max_dim: int) -> list[Pairs]:
    """Bars of H_i(R(x), R(k)) for i = 0 ... max_dim, from float32 matrices."""
    return both_relative_pairs((k,), x, max_dim)[0]


def both_relative_pairs(
    ks: tuple[np.ndarray, ...], x: np.ndarray, max_dim: int
) -> list[list[Pairs]]:
    """The same for several k inside of one x, which share the work of degree 1."""
    found = [[no_pairs()] for _ in ks]
    if max_dim >= 1:
        for bars, pairs in zip(found, _lune.relative_pairs(x, *ks), strict=True):
            bars.append(pairs)
    if max_dim >= 2:
        for bars, k in zip(found, ks, strict=True):
            bars.extend(_cohomology.relative_pairs(k, x, max_dim)[2:])
    return found


def rips_pairs(x: np.ndarray, max_dim: int) -> list[Pairs]:
    """Bars of H_i(R(x)) for i = 0 ... max_dim, from a float32 matrix."""
    found = list(_lune.rips_pairs(x))
    if max_dim >= 2:
        found.extend(_cohomology.rips_pairs(x, max_dim)[2:])
    return found[: max_dim + 1]


def zero_block_pairs(k: np.ndarray, x: np.ndarray, max_dim: int) -> list[Pairs]:
    """Bars of the published matrix, with edges named as those of a relative pair.

    Degree 1 is that of the pair. An edge between a vertex and a twin has its weight in
    k, like a cone; two twins are at 0 from the start.
    """
    found = relative_pairs(k, x, min(max_dim, 1))
    if max_dim >= 2:
        n = len(x)
        for bars in rips_pairs(zero_block(k, x), max_dim)[2:]:
            births, birth_in = _named(bars.birth_edges, bars.birth_in, n)
            deaths, death_in = _named(bars.death_edges, bars.death_in, n)
            found.append(Pairs(births, deaths, birth_in, death_in))
    return found


def zero_block(k: np.ndarray, x: np.ndarray) -> np.ndarray:
    """[[x, k], [k, 0]]: every vertex, then its twin."""
    return np.block([[x, k], [k, np.zeros_like(k)]])


def _named(
    edges: np.ndarray, codes: np.ndarray, n: int
) -> tuple[np.ndarray, np.ndarray]:
    twins = (edges >= n).sum(axis=1)
    codes = np.where(codes == NONE, NONE, np.array([X, K, NONE], np.int8)[twins])
    edges = np.sort(np.where(edges < 0, edges, edges % n), axis=1)
    return np.where(codes[:, None] == NONE, -1, edges), codes
