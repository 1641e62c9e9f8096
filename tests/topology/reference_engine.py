"""The `reference` engine: textbook reduction over Z/2, to test the fast engines.

It lists every simplex, sorts them by event, and reduces the boundary matrix from left
to right. It works for any degree, but is slow for more than a dozen points.
"""

from collections.abc import Iterable
from itertools import combinations

import numpy as np

from similitude.topology._engines._pairs import NONE, K, Pairs, X, no_pairs

# (value, i, j, matrix): events are compared as tuples.
Event = tuple[float, int, int, int]
Simplex = tuple[int, ...]

START: Event = (0.0, -1, -1, NONE)


def relative_pairs(k: np.ndarray, x: np.ndarray, max_dim: int) -> list[Pairs]:
    """Bars of H_i(R(x), R(k)), i <= max_dim, as reduced homology of the cone."""
    return persistence_pairs(cone_complex(k, x, max_dim + 1), max_dim)


def rips_pairs(x: np.ndarray, max_dim: int) -> list[Pairs]:
    """Bars of H_i(R(x)), i <= max_dim."""
    return persistence_pairs(rips_complex(x, max_dim + 1), max_dim)


def rips_complex(x: np.ndarray, top: int, where: int = X) -> dict[Simplex, Event]:
    """Every simplex of dimension <= top, with the event of its last edge."""
    cells: dict[Simplex, Event] = {}
    for size in range(1, top + 2):
        for s in combinations(range(len(x)), size):
            event = max(
                (_event(x, e, where) for e in combinations(s, 2)), default=START
            )
            if event[0] < np.inf:
                cells[s] = event
    return cells


def cone_complex(k: np.ndarray, x: np.ndarray, top: int) -> dict[Simplex, Event]:
    """X with the cone over K, whose apex is the last vertex, and the empty simplex.

    The empty simplex is the face of every vertex, which makes the homology reduced.
    """
    apex = len(x)
    cells: dict[Simplex, Event] = {(): START, (apex,): START}
    cells |= rips_complex(x, top)
    for s, event in rips_complex(k, top - 1, K).items():
        cells[*s, apex] = event
    return cells


def _event(weights: np.ndarray, edge: Simplex, where: int) -> Event:
    i, j = edge
    return float(weights[i, j]), i, j, where


def persistence_pairs(cells: dict[Simplex, Event], max_dim: int) -> list[Pairs]:
    """Pairs of events by reduction of the boundary matrix; empty bars are omitted."""
    order = sorted(cells, key=lambda s: (cells[s], len(s), s))
    position = {s: p for p, s in enumerate(order)}
    reduced: dict[int, set[int]] = {}  # by pivot
    births: set[int] = set()
    bars: list[list[tuple[Event, Event | None]]] = [[] for _ in range(max_dim + 1)]
    for p, s in enumerate(order):
        column = {position[f] for f in _faces(s) if f in position}
        while column and max(column) in reduced:
            column ^= reduced[max(column)]
        if not column:
            births.add(p)
            continue
        pivot = max(column)
        reduced[pivot] = column
        births.remove(pivot)
        birth, death = cells[order[pivot]], cells[s]
        if 0 <= len(order[pivot]) - 1 <= max_dim and birth[0] < death[0]:
            bars[len(order[pivot]) - 1].append((birth, death))
    for p in sorted(births):
        if 0 <= len(order[p]) - 1 <= max_dim:
            bars[len(order[p]) - 1].append((cells[order[p]], None))
    return [_as_pairs(bars_of_degree) for bars_of_degree in bars]


def _faces(s: Simplex) -> Iterable[Simplex]:
    return (s[:v] + s[v + 1 :] for v in range(len(s)))


def _as_pairs(bars: list[tuple[Event, Event | None]]) -> Pairs:
    if not bars:
        return no_pairs()
    never: Event = (np.inf, -1, -1, NONE)
    ends = [(birth, death or never) for birth, death in bars]
    edges = np.array([[e[1:3] for e in bar] for bar in ends], np.int64)
    codes = np.array([[e[3] for e in bar] for bar in ends], np.int8)
    return Pairs(edges[:, 0], edges[:, 1], codes[:, 0], codes[:, 1])
