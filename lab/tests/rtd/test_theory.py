"""Theorem 1 and proposition 1 of the RTD paper, by brute force on at most 8 points.

For each threshold, maps of homology are computed as matrices over Z/2, so exactness is
checked by the ranks of the maps and not only by sums of Betti numbers.
"""

import itertools

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

import similitude as sim

from .small_complexes import Complex, image_rank, reduced, support

FAR = np.inf


def doubled_graph(w: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The graph of matrix (2): points A, copies A', and O, which is near all A."""
    n = len(w)
    across = np.where(np.tri(n, k=-1, dtype=bool), FAR, w)  # A'_i to A_j, i <= j
    aside, zero = np.full((n, 1), FAR), np.zeros((n, 1))
    return np.block(
        [
            [w, across.T, zero],
            [across, np.minimum(w, other), aside],
            [zero.T, aside.T, np.zeros((1, 1))],
        ]
    )


def thresholds(*weights: np.ndarray) -> list[float]:
    """Each distance, so that every complex of the filtrations occurs."""
    return sorted({float(v) for w in weights for v in w[np.triu_indices(len(w), 1)]})


def clouds(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    y = rng.normal(size=(n, 2)) if seed % 2 else x + 0.4 * rng.normal(size=(n, 2))
    if n > 6:  # a loop in y that x does not have
        angle = 2 * np.pi * np.arange(n) / n
        y = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        x = 3 * rng.normal(size=(n, 2))
        if seed == 4:  # a loop in both
            x = y + 0.05 * rng.normal(size=(n, 2))
    return squareform(pdist(x)), squareform(pdist(y))


class Sequence:
    """The maps of theorem 1 at one threshold, on cycles."""

    def __init__(self, w: np.ndarray, other: np.ndarray, threshold: float) -> None:
        self.n = len(w)
        self.sub = Complex(w, threshold)
        self.all = Complex(np.minimum(w, other), threshold)
        self.cone = Complex(doubled_graph(w, other), threshold)

    def include(self, chain: int, i: int) -> int:
        """R(w) into R(min)."""
        return self.all.chain(support(self.sub, chain, i), i)

    def copy(self, chain: int, i: int) -> int:
        """R(min) into the doubled graph, as the copies A'."""
        moved = [tuple(v + self.n for v in s) for s in support(self.all, chain, i)]
        return self.cone.chain(moved, i)

    def connect(self, chain: int, i: int) -> int:
        """The doubled graph to R(w): the link of O, one dimension lower."""
        last = 2 * self.n
        link = [s[:-1] for s in support(self.cone, chain, i) if s[-1] == last]
        return self.sub.chain([s for s in link if s], i - 1) if i else 0

    def ranks(self, i: int) -> tuple[int, int, int]:
        """The ranks of the three maps that leave dimension i."""
        return (
            image_rank(self.sub.cycles(i), self.all, i, lambda c: self.include(c, i)),
            image_rank(self.all.cycles(i), self.cone, i, lambda c: self.copy(c, i)),
            image_rank(
                self.cone.cycles(i), self.sub, i - 1, lambda c: self.connect(c, i)
            )
            if i
            else 0,
        )


def is_zero(chain: int, target: Complex, i: int) -> bool:
    return image_rank([chain], target, i, lambda c: c) == 0


def breaks(maps: Sequence) -> list[str]:
    """Where the sequence is not exact at one threshold.

    Two maps in a row must give 0, and at each group the rank of the map to it and of
    the map from it must add up: then the kernel is the image.
    """
    ranks = {i: maps.ranks(i) for i in range(3)}
    found = []
    for i in range(1, 3):
        include, copy, connect = ranks[i]
        of_cone = maps.cone.cycles(i)
        checks = {
            "rank at min": maps.all.betti(i) == include + copy,
            "rank at the doubled graph": maps.cone.betti(i) == copy + connect,
            "rank at w": maps.sub.betti(i - 1) == connect + ranks[i - 1][0],
            "w to min to the doubled graph": all(
                is_zero(maps.copy(maps.include(c, i), i), maps.cone, i)
                for c in maps.sub.cycles(i)
            ),
            "min to the doubled graph to w": all(
                is_zero(maps.connect(maps.copy(c, i), i), maps.sub, i - 1)
                for c in maps.all.cycles(i)
            ),
            "the doubled graph to w to min": all(
                is_zero(maps.include(maps.connect(c, i), i - 1), maps.all, i - 1)
                for c in of_cone
            ),
        }
        found += [
            f"{name}, dimension {i}" for name, holds in checks.items() if not holds
        ]
    return found


@pytest.mark.parametrize(
    ("seed", "n"), [(0, 5), (1, 5), (2, 6), (3, 6), (4, 8), (5, 8)]
)
def test_the_sequence_of_theorem_1_is_exact(seed: int, n: int) -> None:
    w, other = clouds(seed, n)
    levels = thresholds(w, other)
    levels = levels if n < 7 else levels[:: len(levels) // 8]
    used = set()
    for level in levels:
        maps = Sequence(w, other, level)
        assert breaks(maps) == []
        for i in range(1, 3):
            used |= {k for k, rank in zip("ijk", maps.ranks(i), strict=True) if rank}
    expected = {4: {"i", "k"}, 5: {"j", "k"}}.get(seed, {"k"})
    assert used >= expected, "the maps must not be trivial"


class CopyToPoints(Sequence):
    """A wrong map: R(min) goes to the points A, which are in the cone of O."""

    def copy(self, chain: int, i: int) -> int:
        inside = [s for s in support(self.all, chain, i) if s in self.cone.index[i]]
        return self.cone.chain(inside, i)


class LinkOfPoint(Sequence):
    """A wrong map: the link of the first copy instead of the link of O."""

    def connect(self, chain: int, i: int) -> int:
        links = [set(s) - {self.n} for s in support(self.cone, chain, i) if self.n in s]
        inside = [tuple(sorted(v % self.n for v in s if v < 2 * self.n)) for s in links]
        return self.sub.chain([s for s in inside if s in self.sub.index[i - 1]], i - 1)


class NoInclusion(Sequence):
    """A wrong map: 0 in place of the inclusion."""

    def include(self, chain: int, i: int) -> int:
        return 0


@pytest.mark.parametrize("wrong", [CopyToPoints, LinkOfPoint, NoInclusion])
def test_a_wrong_map_breaks_the_sequence(wrong: type[Sequence]) -> None:
    w, other = clouds(5, 8)
    levels = thresholds(w, other)[::4]
    assert any(breaks(wrong(w, other, level)) for level in levels)


def test_a_wrong_graph_breaks_the_sequence() -> None:
    """The check can fail: without edges between points and copies it does."""
    w, other = clouds(1, 5)
    graph = doubled_graph(w, other)
    graph[:5, 5:10] = graph[5:10, :5] = FAR
    broken = 0
    for level in thresholds(w, other):
        maps = Sequence(w, other, level)
        maps.cone = Complex(graph, level)
        broken += len(breaks(maps))
    assert broken


@pytest.mark.parametrize("seed", range(6))
def test_bars_of_the_library_are_the_homology_of_the_doubled_graph(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, 6, 2))
    w, other = squareform(pdist(x)), squareform(pdist(y))
    bars = sim.topology.r_cross_barcode(x, y, max_dim=2, normalize="none")
    for level in thresholds(w, other):
        cone = Complex(doubled_graph(w, other), level + 1e-9)
        for i in (1, 2):
            alive = (bars[i].births <= level + 1e-9) & (bars[i].deaths > level + 1e-9)
            assert alive.sum() == cone.betti(i), (level, i)


def graphs(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two weighted graphs with few different weights, so that coincidences occur."""
    edges = rng.integers(1, 4, size=(2, n * (n - 1) // 2)).astype(float)
    if rng.random() < 0.5:  # one edge differs
        edges[1] = edges[0]
        edges[1, rng.integers(edges.shape[1])] += rng.choice([-0.5, 0.5])
    first, second = (squareform(row) for row in edges)
    return first, second


def empty(w: np.ndarray, other: np.ndarray) -> bool:
    """Whether the R-Cross-Barcode has no bar in any degree."""
    graph = doubled_graph(w, other)
    return all(
        Complex(graph, level).betti(i) == (i == 0)
        for level in thresholds(w, other)
        for i in range(3)
    )


def isomorphic(w: np.ndarray, other: np.ndarray) -> bool:
    """Whether R(w) into R(min) is an isomorphism of homology at every threshold."""
    for level in thresholds(w, other):
        maps = Sequence(w, other, level)
        for i in range(3):
            both = maps.sub.betti(i), maps.all.betti(i)
            if {*both} != {maps.ranks(i)[0]}:
                return False
    return True


def persistent_ranks(w: np.ndarray, levels: list[float]) -> list[int]:
    """The ranks of all maps between thresholds; they determine the barcode."""
    complexes = [Complex(w, level) for level in levels]
    pairs = itertools.combinations_with_replacement(complexes, 2)
    return [_rank_between(a, b, i) for a, b in pairs for i in range(3)]


def _rank_between(a: Complex, b: Complex, i: int) -> int:
    return image_rank(a.cycles(i), b, i, lambda c: b.chain(support(a, c, i), i))


@pytest.mark.parametrize(("n", "pairs"), [(4, 120), (5, 40), (6, 20)])
def test_proposition_1_in_both_directions(n: int, pairs: int) -> None:
    """Both barcodes are empty if and only if both inclusions are isomorphisms.

    Then the barcodes of the two graphs are the same, and not only for equal graphs.
    """
    rng = np.random.default_rng(n)
    counts = {"empty, different graphs": 0, "not empty": 0, "one side only": 0}
    for _ in range(pairs):
        w, other = graphs(rng, n)
        sides = [(w, other), (other, w)]
        found = [empty(*side) for side in sides]
        assert found == [isomorphic(*side) for side in sides]
        if all(found):
            levels = thresholds(w, other)
            assert persistent_ranks(w, levels) == persistent_ranks(other, levels)
            counts["empty, different graphs"] += bool((w != other).any())
        counts["not empty"] += not any(found)
        counts["one side only"] += found[0] != found[1]
    assert min(counts.values()) > 0, counts


def quotient_betti(whole: Complex, inside: list[int], i: int) -> int:
    """The homology of a complex modulo the full subcomplex on some vertices."""
    kept = [
        [at for at, s in enumerate(own) if not {*s} <= {*inside}]
        for own in whole.simplices
    ]

    def rank(j: int) -> int:
        mask = sum(1 << at for at in kept[j - 1]) if j else 0
        edges = whole.boundaries(j)
        return len(reduced([edges[at] & mask for at in kept[j]]))

    return len(kept[i]) - rank(i) - rank(i + 1)


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_the_complexes_of_proposition_2_are_exact(seed: int) -> None:
    """The doubled graph modulo its copies has the homology of R(w), shifted by one.

    In dimension 1 the homology of R(w) is the reduced one, because O joins its parts.
    """
    n = 5
    w, other = clouds(seed, n)
    shifted = 0
    for level in thresholds(w, other):
        cone = Complex(doubled_graph(w, other), level)
        sub, both = Complex(w, level), Complex(np.minimum(w, other), level)
        copies = [len(s) for s in both.simplices]
        inside = [{*range(n, 2 * n)} >= {*s} for own in cone.simplices for s in own]
        assert sum(inside) == sum(copies)  # R(min) is a subcomplex
        for i in (1, 2):
            betti = quotient_betti(cone, list(range(n, 2 * n)), i)
            assert betti == sub.betti(i - 1) - (i == 1)
            shifted += betti
    assert shifted


def test_a_wrong_graph_breaks_the_complexes_of_proposition_2() -> None:
    n = 5
    w, other = clouds(1, n)
    graph = doubled_graph(w, other)
    graph[:n, 2 * n] = graph[2 * n, :n] = FAR  # O is alone
    wrong = 0
    for level in thresholds(w, other):
        betti = quotient_betti(Complex(graph, level), list(range(n, 2 * n)), 1)
        wrong += betti != Complex(w, level).betti(0) - 1
    assert wrong


@pytest.mark.parametrize("seed", range(4))
def test_there_are_no_bars_of_degree_0(seed: int) -> None:
    """The doubled graph is connected from 0 on; without O it is not."""
    w, other = clouds(seed, 5)
    graph = doubled_graph(w, other)
    levels = [0.0, *thresholds(w, other)]
    assert {Complex(graph, level).betti(0) for level in levels} == {1}
    assert Complex(graph[:-1, :-1], 0.0).betti(0) > 1


def test_barcodes_miss_features_at_other_places_and_rtd_does_not() -> None:
    angle = 2 * np.pi * np.arange(40) / 40
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1) * (1 + angle[:, None] / 9)
    moved = ring[np.random.default_rng(0).permutation(40)]
    bars = [sim.topology.rips_barcode(cloud, max_dim=1)[1] for cloud in (ring, moved)]
    np.testing.assert_allclose(sim.topology.bottleneck_distance(*bars), 0, atol=1e-12)
    assert sim.rtd(ring, moved) > 1
    np.testing.assert_allclose(sim.rtd(ring, ring.copy()), 0, atol=1e-12)
