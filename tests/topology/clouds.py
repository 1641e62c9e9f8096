"""Inputs for the tests of topology, and barcodes in comparable form."""

from typing import Any

import numpy as np
from scipy.spatial.distance import pdist, squareform

from similitude.topology import Barcode
from similitude.topology._engines._pairs import Pairs

KINDS = ("points", "lattice", "few values", "some values", "never", "generic")


def random_distances(rng: np.random.Generator, n: int, kind: str) -> np.ndarray:
    """Distances of n points: metric or not, with ties, coincidences and infinities."""
    if n < 2:
        return np.zeros((n, n))
    if kind == "points":
        return squareform(pdist(rng.normal(size=(n, 3))))
    if kind == "lattice":  # many ties, many coincident points
        return squareform(pdist(rng.integers(0, 3, size=(n, 2)), "cityblock"))
    values = {
        "few values": lambda: rng.integers(0, 4, size=(n, n)),
        "some values": lambda: rng.integers(1, 12, size=(n, n)),
        "never": lambda: rng.choice([1, 2, 3, np.inf], size=(n, n)),
        "generic": lambda: rng.random((n, n)),
    }[kind]()
    upper = np.triu(values, 1).astype(float)
    return upper + upper.T


def float32(w: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(w, dtype=np.float32)


def events(pairs: Pairs) -> list[Any]:
    """Pairs of events, sorted to be independent of the engine."""
    columns = (p.tolist() for p in pairs)
    return sorted(zip(*columns, strict=True))


def bars(barcode: Barcode) -> np.ndarray:
    """(birth, death) of every bar."""
    return np.stack([barcode.births, barcode.deaths], axis=1)


def sorted_bars(diagram: Any) -> np.ndarray:
    diagram = np.asarray(diagram, dtype=float).reshape(-1, 2)
    return diagram[np.lexsort((diagram[:, 1], diagram[:, 0]))]


def ripser_bars(matrix: np.ndarray, max_dim: int) -> list[np.ndarray]:
    """Rips barcodes of all degrees by ripser, which computes in float32."""
    from ripser import ripser

    found = ripser(matrix, distance_matrix=True, maxdim=max_dim)["dgms"]
    return [sorted_bars(diagram) for diagram in found]


def zero_block(w: np.ndarray, w_tilde: np.ndarray) -> np.ndarray:
    """The published matrix; twins come first."""
    return np.block([[np.zeros_like(w), w], [w, np.minimum(w, w_tilde)]])


def half_zero_block(w: np.ndarray, w_tilde: np.ndarray) -> np.ndarray:
    """`zero_block`, with edges from twins to one side of the diagonal only."""
    half = np.where(np.tri(len(w), k=-1, dtype=bool), np.inf, w)
    return np.block([[np.zeros_like(w), half.T], [half, np.minimum(w, w_tilde)]])


def mapping_cone(w: np.ndarray, w_tilde: np.ndarray) -> np.ndarray:
    """(2N + 1) x (2N + 1): twins have distances w; an apex is adjacent to the twins."""
    n = len(w)
    half = np.where(np.tri(n, k=-1, dtype=bool), np.inf, w)
    never, near = np.full((n, 1), np.inf), np.zeros((n, 1))
    return np.block(
        [
            [w, half.T, near],
            [half, np.minimum(w, w_tilde), never],
            [near.T, never.T, np.zeros((1, 1))],
        ]
    )
