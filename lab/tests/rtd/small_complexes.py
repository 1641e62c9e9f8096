"""Homology of small complexes over Z/2, by elimination: slow and obvious.

A chain is an integer whose bits are simplices. A map of chains is a function.
"""

import itertools
from collections.abc import Callable

import numpy as np

Chain = int
TOP = 3  # highest dimension of the simplices


def reduced(chains: list[Chain]) -> dict[int, Chain]:
    """A basis of the span, by the highest bit."""
    basis: dict[int, Chain] = {}
    for chain in chains:
        while chain and (top := chain.bit_length()) in basis:
            chain ^= basis[top]
        if chain:
            basis[chain.bit_length()] = chain
    return basis


def rank(chains: list[Chain]) -> int:
    return len(reduced(chains))


class Complex:
    """The cliques of a weighted graph at one threshold, up to dimension 3."""

    def __init__(self, weights: np.ndarray, threshold: float) -> None:
        n = len(weights)
        near = weights <= threshold
        self.simplices = [
            [
                clique
                for clique in itertools.combinations(range(n), size)
                if all(near[a, b] for a, b in itertools.combinations(clique, 2))
            ]
            for size in range(1, TOP + 2)
        ]
        self.index = [
            {simplex: at for at, simplex in enumerate(own)} for own in self.simplices
        ]

    def chain(self, simplices: list[tuple[int, ...]], i: int) -> Chain:
        found = 0
        for simplex in simplices:
            found ^= 1 << self.index[i][simplex]
        return found

    def boundaries(self, i: int) -> list[Chain]:
        """The boundary of each simplex of dimension i; 0 for points."""
        if i == 0:
            return [0] * len(self.simplices[0])
        return [
            self.chain(list(itertools.combinations(simplex, i)), i - 1)
            for simplex in self.simplices[i]
        ]

    def cycles(self, i: int) -> list[Chain]:
        """A basis of the cycles of dimension i."""
        basis: dict[int, tuple[Chain, Chain]] = {}
        found = []
        for at, edge in enumerate(self.boundaries(i)):
            own = 1 << at
            while edge and (top := edge.bit_length()) in basis:
                edge, own = edge ^ basis[top][0], own ^ basis[top][1]
            if edge:
                basis[edge.bit_length()] = (edge, own)
            else:
                found.append(own)
        return found

    def betti(self, i: int) -> int:
        return len(self.cycles(i)) - rank(self.boundaries(i + 1))


def support(complex_: Complex, chain: Chain, i: int) -> list[tuple[int, ...]]:
    return [s for at, s in enumerate(complex_.simplices[i]) if chain >> at & 1]


def image_rank(
    chains: list[Chain], target: Complex, i: int, move: Callable[[Chain], Chain]
) -> int:
    """The rank of the images of cycles in the homology of dimension i of the target."""
    zero = target.boundaries(i + 1)
    return rank([*zero, *map(move, chains)]) - rank(zero)
