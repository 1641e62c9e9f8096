"""Ranks in the long exact sequence of a pair, by the reference engine."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topology import reference_engine as reference
from topology.clouds import KINDS, random_distances
from topology.reference_engine import Event, Simplex

TOP = 3


def simplices(cells: dict[Simplex, Event], now: Event) -> list[list[Simplex]]:
    """Simplices that have entered until `now`, by dimension."""
    entered = [s for s, event in cells.items() if event <= now]
    return [[s for s in entered if len(s) == d + 1] for d in range(TOP + 1)]


def boundary(rows: list[Simplex], columns: list[Simplex]) -> np.ndarray:
    place = {s: i for i, s in enumerate(rows)}
    matrix = np.zeros((len(rows), len(columns)), np.uint8)
    for j, s in enumerate(columns):
        for v in range(len(s)):
            face = s[:v] + s[v + 1 :]
            if face in place:
                matrix[place[face], j] ^= 1
    return matrix


def rank(matrix: np.ndarray) -> int:
    """Rank over Z/2, by elimination."""
    m, r = matrix.copy() % 2, 0
    for c in range(m.shape[1]):
        pivots = np.flatnonzero(m[r:, c])
        if pivots.size == 0:
            continue
        m[[r, r + pivots[0]]] = m[[r + pivots[0], r]]
        m[np.flatnonzero(m[:, c])[np.flatnonzero(m[:, c]) != r]] ^= m[r]
        r += 1
        if r == len(m):
            break
    return r


def betti(chains: list[list[Simplex]]) -> list[int]:
    """Betti numbers of the chain complex of these cells; other faces count as 0."""
    ranks = [0]
    ranks += [rank(boundary(chains[d - 1], chains[d])) for d in range(1, len(chains))]
    return [len(chains[d]) - ranks[d] - ranks[d + 1] for d in range(len(chains) - 1)]


def image_rank(small: list[list[Simplex]], large: list[list[Simplex]], d: int) -> int:
    """Rank of H_d(K) -> H_d(X): cycles of K, modulo boundaries of X."""
    cycles = nullspace(boundary(small[d - 1], small[d]) if d else None, len(small[d]))
    embed = boundary_free_inclusion(small[d], large[d])
    bounds = boundary(large[d], large[d + 1])
    return rank(np.hstack([embed @ cycles % 2, bounds])) - rank(bounds)


def boundary_free_inclusion(small: list[Simplex], large: list[Simplex]) -> np.ndarray:
    place = {s: i for i, s in enumerate(large)}
    matrix = np.zeros((len(large), len(small)), np.uint8)
    for j, s in enumerate(small):
        matrix[place[s], j] = 1
    return matrix


def nullspace(matrix: np.ndarray | None, columns: int) -> np.ndarray:
    if matrix is None or matrix.size == 0:
        return np.eye(columns, dtype=np.uint8)
    m = np.vstack([matrix, np.eye(columns, dtype=np.uint8)]).T.copy()
    rows, r = len(matrix), 0
    for c in range(rows):
        pivots = np.flatnonzero(m[r:, c])
        if pivots.size == 0:
            continue
        m[[r, r + pivots[0]]] = m[[r + pivots[0], r]]
        below = np.flatnonzero(m[r + 1 :, c]) + r + 1
        m[below] ^= m[r]
        r += 1
        if r == len(m):
            break
    return m[r:, rows:].T


def alive(pairs: reference.Pairs, now: Event, events: dict[str, np.ndarray]) -> int:
    """Number of bars that contain `now`."""
    count = 0
    for e, f, p, q in zip(*pairs, strict=True):
        start = (float(events["x" if p == 1 else "k"][tuple(e)]), *e, p)
        end = (
            (np.inf,)
            if q == 0
            else (float(events["x" if q == 1 else "k"][tuple(f)]), *f, q)
        )
        count += start <= now < end
    return count


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "never"])
def test_relative_dimensions_are_kernel_plus_cokernel_at_every_scale(kind: str) -> None:
    """The exact sequence gives dim H_d(X, K); it equals the number of bars alive."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        k, v = random_distances(rng, 6, kind), random_distances(rng, 6, kind)
        x = np.minimum(k, v)
        bars = reference.relative_pairs(k, x, TOP - 1)
        in_x = reference.rips_complex(x, TOP)
        in_k = reference.rips_complex(k, TOP, 2)
        for scale in np.unique(np.concatenate([k, x])):
            now = (scale, 99, 99, 9)
            larger, smaller = simplices(in_x, now), simplices(in_k, now)
            relative = [
                [s for s in cells if s not in set(inner)]
                for cells, inner in zip(larger, smaller, strict=True)
            ]
            h_x, h_k, h_xk = betti(larger), betti(smaller), betti(relative)
            images = [image_rank(smaller, larger, d) for d in range(TOP)]
            for d in range(TOP):
                # ... H_d(X) -> H_d(X, K) -> H_{d-1}(K) -> H_{d-1}(X) ...
                cokernel = h_x[d] - images[d]
                kernel = h_k[d - 1] - images[d - 1] if d else 0
                assert h_xk[d] == cokernel + kernel
                assert h_xk[d] == alive(bars[d], now, {"x": x, "k": k})


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_alternating_sum_of_bars_equals_that_of_cells(seed: int) -> None:
    """All dimensions are included: five points have simplices up to dimension 4."""
    rng = np.random.default_rng(seed)
    k, v = (random_distances(rng, 5, "some values") for _ in range(2))
    x = np.minimum(k, v)
    bars = reference.relative_pairs(k, x, 4)
    in_x, in_k = reference.rips_complex(x, 4), reference.rips_complex(k, 4, 2)
    for scale in np.unique(np.concatenate([k, x])):
        now = (scale, 99, 99, 9)
        cells = [
            sum((-1) ** (len(s) - 1) for s, e in c.items() if e <= now)
            for c in (in_x, in_k)
        ]
        found = [alive(b, now, {"x": x, "k": k}) for b in bars]
        assert sum((-1) ** d * h for d, h in enumerate(found)) == cells[0] - cells[1]
