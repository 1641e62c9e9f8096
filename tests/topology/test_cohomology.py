"""The cohomology engine, compared with the reference engine and with ripser."""

import numpy as np
import pytest
from ripser import ripser
from scipy.spatial.distance import pdist, squareform

from similitude import InvalidInput
from similitude.topology._engines import _cohomology
from similitude.topology._engines._pairs import Pairs
from topology import reference_engine as _reference


def uniform(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.random((n, n))


def few_values(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.integers(4, size=(n, n)).astype(float)


def two_values(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.integers(1, 3, size=(n, n)).astype(float)


def some_never(rng: np.random.Generator, n: int) -> np.ndarray:
    values = rng.integers(1, 8, size=(n, n)).astype(float)
    return np.where(rng.random((n, n)) < 0.2, np.inf, values)


def all_equal(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.ones((n, n))


def duplicates(rng: np.random.Generator, n: int) -> np.ndarray:
    return squareform(pdist(rng.normal(size=(4, 2))[rng.integers(4, size=n)]))


WEIGHTS = [uniform, few_values, two_values, some_never, all_equal, duplicates]


def symmetric(values: np.ndarray) -> np.ndarray:
    upper = np.triu(values, k=1)
    upper[np.tril_indices(len(values))] = 0  # inf times 0
    return (upper + upper.T).astype(np.float32)


def listed(pairs: Pairs) -> list[tuple]:
    return sorted(map(tuple, np.column_stack(pairs).tolist()))


@pytest.mark.parametrize("weights", WEIGHTS)
def test_pairs_equal_those_of_the_reference_engine(weights) -> None:
    """Edges are equal too, even with ties, duplicates and infinite distances."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        n, max_dim = int(rng.integers(8)), int(rng.integers(4))
        k = symmetric(weights(rng, n))
        x = np.minimum(k, symmetric(weights(rng, n)))
        for got, expected in (
            (
                _cohomology.relative_pairs(k, x, max_dim),
                _reference.relative_pairs(k, x, max_dim),
            ),
            (
                _cohomology.rips_pairs(x, max_dim),
                _reference.rips_pairs(x, max_dim),
            ),
        ):
            assert [listed(p) for p in got] == [listed(p) for p in expected]


def bars(pairs: Pairs, k: np.ndarray, x: np.ndarray) -> np.ndarray:
    """(birth, death) of each bar, sorted."""
    ends = []
    for edges, codes, absent in (
        (pairs.birth_edges, pairs.birth_in, 0.0),
        (pairs.death_edges, pairs.death_in, np.inf),
    ):
        i, j = edges.T
        values = np.where(codes == 1, x[i, j], k[i, j])
        ends.append(np.where(codes == 0, absent, values))
    both = np.column_stack(ends)
    return both[np.lexsort(both.T[::-1])]


def ripser_bars(w: np.ndarray, degree: int) -> np.ndarray:
    """Bars of the finite distances; ripser would use inf as its threshold."""
    largest = np.max(w, where=np.isfinite(w), initial=0.0)
    found = ripser(
        np.where(np.isfinite(w), w, 2 * largest + 1),
        distance_matrix=True,
        maxdim=degree,
        thresh=largest,
    )["dgms"][degree]
    return found[np.lexsort(found.T[::-1])]


def mapping_cylinder(k: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The (2N + 1) x (2N + 1) matrix whose flag complex is the mapping cone."""
    n = len(k)
    half = np.where(np.triu(np.ones((n, n))) > 0, k, np.inf)
    m = np.zeros((2 * n + 1, 2 * n + 1), dtype=np.float32)
    m[:n, :n], m[n:-1, n:-1] = k, x
    m[n:-1, :n], m[:n, n:-1] = half, half.T
    m[n:-1, -1] = m[-1, n:-1] = np.inf
    return m


@pytest.mark.parametrize("weights", [uniform, few_values, two_values])
def test_degree_2_equals_ripser_on_the_mapping_cylinder(weights) -> None:
    rng = np.random.default_rng(1)
    count = 0
    for _ in range(40):
        k = symmetric(weights(rng, 7))
        x = np.minimum(k, symmetric(weights(rng, 7)))
        got = _cohomology.relative_pairs(k, x, 2)
        for degree in (1, 2):
            expected = ripser_bars(mapping_cylinder(k, x), degree)
            np.testing.assert_array_equal(bars(got[degree], k, x), expected)
        count += len(got[2].birth_in)
    assert count > 10


def test_degree_2_of_24_points_equals_ripser() -> None:
    rng = np.random.default_rng(2)
    k, y = (squareform(pdist(rng.normal(size=(24, 3)))) for _ in range(2))
    k, x = k.astype(np.float32), np.minimum(k, y).astype(np.float32)
    got = _cohomology.relative_pairs(k, x, 2)
    for degree in (1, 2):
        expected = ripser_bars(mapping_cylinder(k, x), degree)
        np.testing.assert_array_equal(bars(got[degree], k, x), expected)
    assert len(got[2].birth_in) > 5


def test_published_matrix_misses_the_bar_of_four_points() -> None:
    """The points are a square in w; one diagonal is short in w̃."""
    w = np.array([[0, 1, 3, 1], [1, 0, 1, 3], [3, 1, 0, 1], [1, 3, 1, 0]], np.float32)
    other = np.float32(5) * (1 - np.eye(4, dtype=np.float32))
    other[0, 2] = other[2, 0] = 1
    x = np.minimum(w, other)
    got = _cohomology.relative_pairs(w, x, 2)[2]
    np.testing.assert_array_equal(bars(got, w, x), [[1.0, 3.0]])
    doubled = np.block([[np.zeros((4, 4), np.float32), w], [w, x]])
    assert len(bars(_cohomology.rips_pairs(doubled, 2)[2], doubled, doubled)) == 0


@pytest.mark.parametrize("grid", [False, True], ids=["generic", "grid"])
def test_rips_pairs_equal_ripser(grid: bool) -> None:  # noqa: FBT001
    rng = np.random.default_rng(3)
    for n, max_dim in ((60, 1), (30, 2), (14, 3)):
        cloud = rng.integers(4, size=(n, 3)) if grid else rng.normal(size=(n, 3))
        w = squareform(pdist(cloud)).astype(np.float32)
        got = _cohomology.rips_pairs(w, max_dim)
        for degree, pairs in enumerate(got):
            expected = ripser_bars(w, degree)
            expected = expected[expected[:, 0] < expected[:, 1]]
            np.testing.assert_array_equal(bars(pairs, w, w), expected)


def test_bars_relative_to_a_point_are_rips_bars_one_degree_lower() -> None:
    """R-Cross-Barcode_i(P, point) is the reduced barcode of P in degree i - 1."""
    w = squareform(pdist(np.random.default_rng(4).normal(size=(20, 2))))
    w = w.astype(np.float32)
    x = np.zeros_like(w)
    got = _cohomology.relative_pairs(w, x, 2)
    plain = _cohomology.rips_pairs(w, 1)
    finite = bars(plain[0], w, w)[:-1]
    np.testing.assert_array_equal(bars(got[1], w, x), finite)
    np.testing.assert_array_equal(bars(got[2], w, x), bars(plain[1], w, w))
    assert all(len(p.birth_in) == 0 for p in _cohomology.relative_pairs(x, x, 2))


def test_too_many_simplices_are_rejected() -> None:
    w = np.ones((200, 200), np.float32) - np.eye(200, dtype=np.float32)
    with pytest.raises(InvalidInput, match="max_dim"):
        _cohomology.rips_pairs(w, 9)
