"""RTD-lite, compared with its definition by components."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist, squareform

from similitude import topology


def clouds(rng: np.random.Generator, kind: str) -> tuple[np.ndarray, np.ndarray]:
    n = int(rng.integers(2, 25))
    if kind == "grid":
        x, y = rng.integers(3, size=(2, n, 2))
    elif kind == "duplicates":
        x, y = rng.normal(size=(2, 5, 2))[:, rng.integers(5, size=n)]
    else:
        x, y = rng.normal(size=(2, n, 3))
    return squareform(pdist(x)), squareform(pdist(y))


def by_contraction(w: np.ndarray, w_tilde: np.ndarray) -> list[tuple[float, float]]:
    """As published: each edge of the tree of min dies when w connects its sides.

    Earlier edges of min(w, w̃) count as connected.
    """
    n = len(w)
    least = np.minimum(w, w_tilde)
    edges, births = topology.minimum_spanning_tree(least)
    group = np.arange(n)  # joined by earlier edges of the tree
    found = []
    for (i, j), birth in zip(edges, births, strict=True):
        levels = np.unique(w)
        death = next(a for a in levels if _connected(w, a, group, i, j))
        if birth < death:
            found.append((birth, death))
        group[group == group[i]] = group[j]
    return sorted(found)


def _connected(w: np.ndarray, level: float, group: np.ndarray, i: int, j: int) -> bool:
    reached = group == group[i]
    while True:
        near = (w[reached] <= level).any(axis=0)
        more = np.isin(group, group[near])
        if (more == reached).all():
            return bool(reached[j])
        reached = more


@pytest.mark.parametrize("kind", ["generic", "grid", "duplicates"])
def test_barcode_equals_the_published_algorithm(kind: str) -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        w, w_tilde = clouds(rng, kind)
        bars = topology.rtd_lite_barcode_from_distances(w, w_tilde)
        got = np.column_stack([bars.births, bars.deaths])
        expected = np.reshape(by_contraction(w, w_tilde), (-1, 2))
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("kind", ["generic", "grid", "duplicates"])
def test_number_of_bars_is_the_difference_in_components(kind: str) -> None:
    """At every scale, components of w minus components of min(w, w̃)."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        w, w_tilde = clouds(rng, kind)
        least = np.minimum(w, w_tilde)
        bars = topology.rtd_lite_barcode_from_distances(w, w_tilde)
        trees = [linkage(squareform(m), "single") for m in (w, least)]
        for a in np.unique(w):
            alive = np.sum((bars.births <= a) & (a < bars.deaths))
            count = [fcluster(t, a, "distance").max() for t in trees]
            assert alive == count[0] - count[1]


def test_total_persistence_is_the_difference_of_tree_lengths() -> None:
    """MST(w) - MST(min) is at most the sum of all bars of degree 1."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        w, w_tilde = clouds(rng, "generic")
        bars = topology.rtd_lite_barcode_from_distances(w, w_tilde)
        trees = [
            topology.minimum_spanning_tree(m)[1] for m in (w, np.minimum(w, w_tilde))
        ]
        expected = trees[0].sum() - trees[1].sum()
        np.testing.assert_allclose(bars.total_persistence, expected, atol=1e-9)
        assert set(bars.deaths) <= set(trees[0])
        assert set(bars.births) <= set(trees[1])
        all_bars = topology.r_cross_barcode_from_distances(w, w_tilde)[1]
        assert bars.total_persistence <= all_bars.total_persistence + 1e-6


def test_births_and_deaths_are_distances_of_their_edges() -> None:
    w, w_tilde = clouds(np.random.default_rng(3), "generic")
    bars = topology.rtd_lite_barcode_from_distances(w, w_tilde)
    assert len(bars) > 3
    least = np.minimum(w, w_tilde)
    np.testing.assert_array_equal(least[tuple(bars.birth_edges.T)], bars.births)
    np.testing.assert_array_equal(w[tuple(bars.death_edges.T)], bars.deaths)
    assert set(bars.death_in) == {"cone"}
    assert set(bars.birth_in) <= {"w", "w_tilde"}


def test_components_that_w_never_joins_give_infinite_bars() -> None:
    never = np.inf
    w = [[0, 1, never], [1, 0, never], [never, never, 0]]
    w_tilde = [[0, 5, 2], [5, 0, 3], [2, 3, 0]]
    bars = topology.rtd_lite_barcode_from_distances(w, w_tilde)
    np.testing.assert_array_equal(bars.births, [2.0])
    np.testing.assert_array_equal(bars.deaths, [np.inf])
    np.testing.assert_array_equal(bars.death_edges, [[-1, -1]])
    np.testing.assert_array_equal(bars.death_in, ["none"])
    empty = topology.rtd_lite_barcode_from_distances(w, w)
    assert len(empty) == 0


@pytest.mark.parametrize("n", [0, 1, 2])
def test_rtd_lite_barcode_of_0_to_2_points(n: int) -> None:
    w = np.ones((n, n)) - np.eye(n)
    bars = topology.rtd_lite_barcode_from_distances(w, np.zeros((n, n)))
    np.testing.assert_array_equal(bars.deaths, [1.0] * max(n - 1, 0))


def test_each_cloud_is_normalized_by_its_own_unit() -> None:
    x = np.random.default_rng(4).normal(size=(40, 3))
    assert len(topology.rtd_lite_barcode(x, 1e90 * x[:, ::-1] + 0)) == 0
    assert len(topology.rtd_lite_barcode(x, 3 * x, normalize="none")) == 0
    assert len(topology.rtd_lite_barcode(3e50 * x, x, normalize="none")) == 39
