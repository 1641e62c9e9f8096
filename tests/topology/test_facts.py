"""Published values of RTD to all digits, and properties that hold for all inputs."""

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform

import similitude as sim
from similitude.errors import Undefined
from similitude.topology import (
    Barcode,
    r_cross_barcode,
    r_cross_barcode_from_distances,
    rips_barcode,
    rtd_lite_barcode_from_distances,
)
from topology.clouds import bars, random_distances, ripser_bars, zero_block

seeds = st.integers(0, 2**32 - 1)


def reference(x: np.ndarray, y: np.ndarray) -> Barcode:
    return r_cross_barcode(x, y, compat="reference")[1]


def printed(barcode: Barcode) -> list[float]:
    """Maximum, 0.976 quantile and median, as printed in the authors' notebooks."""
    lengths = np.sort(barcode.lengths)
    n = len(lengths)
    return [lengths[-1], lengths[n * 976 // 1000], lengths[n // 2]]


def half_sum(x: np.ndarray, y: np.ndarray) -> float:
    return (reference(x, y).total_persistence + reference(y, x).total_persistence) / 2


def linear_cka(x: np.ndarray, y: np.ndarray) -> float:
    return float(sim.cka(x, y, estimator="biased"))


def test_published_bars_of_two_small_clouds() -> None:
    rng = np.random.RandomState(7)
    p, q = rng.rand(100, 10), rng.rand(100, 10)
    there, back = reference(p, q), reference(q, p)
    assert (len(there), len(back)) == (149, 132)
    assert printed(there) == [
        0.36882200837135315,
        0.2792401611804962,
        0.048989325761795044,
    ]
    np.testing.assert_allclose(there.total_persistence, 10.81416176, atol=5e-9)
    np.testing.assert_allclose(back.total_persistence, 10.89306000, atol=5e-9)


def test_published_bars_of_two_clouds_in_the_plane() -> None:
    rng = np.random.RandomState(7)
    p, q = rng.rand(1000, 2), rng.rand(1000, 2)
    found = reference(p, q)
    assert len(found) == 1219
    assert printed(found) == [
        0.15257642325013876,
        0.10457093082368374,
        0.05195973068475723,
    ]
    np.testing.assert_allclose(found.total_persistence, 61.6466008, atol=5e-8)
    w, v = (squareform(pdist(z)) for z in (p, q))
    w, v = (np.float32(m / np.quantile(m, 0.9)) for m in (w, v))
    trees = rtd_lite_barcode_from_distances(w, v).total_persistence
    np.testing.assert_allclose(trees, 8.5980953, atol=5e-8)


def rings(k: int) -> np.ndarray:
    """Five rings of 100 points, k of them of radius 1."""
    others = [
        1 + 0.125 * (2 + d) if d % 2 == 0 else 1 - 0.125 * (1 + d) for d in range(5)
    ]
    angles = 2 * np.pi * np.arange(100) / 100
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return np.concatenate([r * circle for r in ([1.0] * k + others)[:5]])


@pytest.fixture(scope="module")
def ring_bars() -> dict[int, tuple[Barcode, Barcode]]:
    return {
        k: (reference(rings(1), rings(k)), reference(rings(k), rings(1)))
        for k in range(1, 6)
    }


Bars = dict[int, tuple[Barcode, Barcode]]


def test_published_bar_counts_of_rings(ring_bars: Bars) -> None:
    counts = [(len(there), len(back)) for there, back in ring_bars.values()]
    assert counts == [(0, 0), (600, 200), (300, 500), (300, 400), (400, 300)]


def test_published_bar_lengths_of_rings(ring_bars: Bars) -> None:
    for k in range(2, 6):
        assert printed(ring_bars[k][0])[0] == 0.11198318749666214
    assert printed(ring_bars[2][1]) == [0.026847925037145615] * 3
    assert printed(ring_bars[3][1]) == [
        0.013078518211841583,
        0.010321404784917831,
        0.006443798542022705,
    ]
    assert printed(ring_bars[5][1])[0] == 0.017732389271259308


def test_rtd_orders_rings_and_cka_does_not(ring_bars: Bars) -> None:
    scores = [
        (there.total_persistence + back.total_persistence) / 2
        for there, back in ring_bars.values()
    ]
    true = [0, 5.390032, 5.107753, 7.344689, 8.807541]
    np.testing.assert_allclose(scores, true, atol=5e-7)
    kendall = scipy.stats.kendalltau(range(5), scores).statistic
    np.testing.assert_allclose(kendall, 0.8)
    spearman = scipy.stats.spearmanr(range(5), scores).statistic
    np.testing.assert_allclose(spearman, 0.9)
    ckas = [linear_cka(rings(1), rings(k)) for k in range(1, 6)]
    true = [1, 0.714706, 0.956098, 0.839451, 0.888889]
    np.testing.assert_allclose(ckas, true, atol=5e-7)
    kendall = scipy.stats.kendalltau(range(5), ckas).statistic
    np.testing.assert_allclose(kendall, -0.2)


def test_rtd_orders_clusters_and_cka_does_not() -> None:
    rng = np.random.RandomState(7)
    groups = [rng.multivariate_normal(np.zeros(2), np.eye(2), 5) for _ in range(60)]
    scores, ckas = [], []
    for k in (2, 3, 4, 5, 6, 10, 12):
        angles = 2 * np.pi * (np.arange(60) % k) / k
        centers = 10 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        moved = np.concatenate([g + c for g, c in zip(groups, centers, strict=True)])
        scores.append(half_sum(np.concatenate(groups), moved))
        ckas.append(linear_cka(np.concatenate(groups), moved))
    true = [10.37584, 11.95840, 13.78535, 15.00705, 16.04787, 19.13486, 19.67305]
    np.testing.assert_allclose(scores, true, atol=5e-6)
    assert scores == sorted(scores)
    true = [0.022090, 0.009013, 0.025429, 0.030620, 0.014768, 0.012611, 0.034326]
    np.testing.assert_allclose(ckas, true, atol=5e-7)
    kendall = scipy.stats.kendalltau(range(7), ckas).statistic
    np.testing.assert_allclose(kendall, 5 / 21)


@settings(max_examples=40, deadline=None)
@given(seeds, st.integers(2, 30), st.floats(1e-3, 1e3))
def test_a_similar_copy_has_no_bars_above_rounding(
    seed: int, n: int, scale: float
) -> None:
    """Equal rows have no bars. A rotated, shifted, scaled copy has rounding errors."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    assert len(r_cross_barcode(x, x)[1]) == 0
    rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    copy = scale * (x @ rotation + rng.normal(size=3))
    _, h1 = r_cross_barcode(x, copy)
    assert h1.total_persistence < 1e-6 * n


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(2, 20))
def test_permuting_rows_of_both_clouds_keeps_the_bars(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    x, y, order = rng.normal(size=(n, 3)), rng.normal(size=(n, 2)), rng.permutation(n)
    once = r_cross_barcode(x, y)[1]
    again = r_cross_barcode(x[order], y[order])[1]
    np.testing.assert_allclose(bars(again), bars(once), rtol=1e-12, atol=1e-14)


@settings(max_examples=25, deadline=None)
@given(seeds, st.integers(1, 9))
def test_bars_relative_to_a_constant_cloud_are_rips_bars(seed: int, n: int) -> None:
    """Degree 1 has the spanning tree, degree 2 the holes; the reverse is empty."""
    x = np.random.default_rng(seed).normal(size=(n, 2))
    point = np.ones((n, 4))
    there = r_cross_barcode(x, point, normalize="none", max_dim=2)
    h0, h1 = rips_barcode(x)
    np.testing.assert_array_equal(bars(there[1]), bars(h0.finite()))
    np.testing.assert_array_equal(bars(there[2]), bars(h1))
    assert [len(b) for b in r_cross_barcode(point, x, normalize="none", max_dim=2)] == [
        0,
        0,
        0,
    ]


@pytest.mark.parametrize("normalize", ["quantile", "median", "mean", "none"])
@pytest.mark.parametrize("compat", ["none", "reference", "zero_block"])
def test_constant_clouds_have_finite_bars_in_every_mode(
    normalize: str, compat: str
) -> None:
    x, point = np.random.default_rng(0).normal(size=(12, 2)), np.full((12, 3), 0.1)
    options = {"normalize": normalize, "compat": compat}
    for a, b in ((x, point), (point, x), (point, point)):
        for barcode in r_cross_barcode(a, b, **options):  # type: ignore[arg-type]
            assert np.isfinite(barcode.lengths).all()
    assert len(r_cross_barcode(x, point, **options)[1]) == 11  # type: ignore[arg-type]
    assert len(r_cross_barcode(point, x, **options)[1]) == 0  # type: ignore[arg-type]


def test_normalizing_by_zero_is_undefined() -> None:
    """All rows but one are equal, so most distances are 0."""
    x = np.zeros((40, 2))
    x[0] = 1
    with pytest.raises(Undefined, match="normalize='mean'"):
        r_cross_barcode(x, x)
    assert len(r_cross_barcode(x, x, normalize="mean")[1]) == 0


@settings(max_examples=60, deadline=None)
@given(seeds, st.integers(1, 12), st.sampled_from(["points", "lattice", "generic"]))
def test_deaths_are_finite_and_at_most_the_bound(seed: int, n: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    w, v = random_distances(rng, n, kind), random_distances(rng, n, kind)
    h0, h1, h2 = r_cross_barcode_from_distances(w, v, max_dim=2)
    assert len(h0) == 0
    assert np.isfinite(h1.deaths).all()
    assert np.isfinite(h2.deaths).all()
    m = np.minimum(w, v)
    tree = sim.topology.minimum_spanning_tree(w)[1]
    last = max(tree.max(initial=0), m.max(axis=0).min())
    assert (h1.deaths <= last).all()
    assert (h2.deaths <= w.max(axis=0).min()).all()


@settings(max_examples=40, deadline=None)
@given(seeds, st.integers(2, 25))
def test_births_are_edges_of_the_relative_neighborhood_graph(seed: int, n: int) -> None:
    """Generic data: edges of min(w, w~) without a common closer vertex, w~ < w."""
    rng = np.random.default_rng(seed)
    w, v = (random_distances(rng, n, "points") for _ in range(2))
    m = np.minimum(w, v)
    count = 0
    for i in range(n):
        for j in range(i):
            lune = np.maximum(m[i], m[j]) < m[i, j]
            count += not lune.any() and v[i, j] < w[i, j]
    _, h1 = r_cross_barcode_from_distances(w, v)
    assert len(h1) == count
    assert (h1.birth_in == "w_tilde").all()


def test_bars_depend_on_distances_only() -> None:
    """One column, and the same column among a million zeros, give identical bars."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(12, 1)), rng.normal(size=(12, 1))
    wide = np.zeros((12, 1_000_000))
    wide[:, 123_456] = x[:, 0]
    once = r_cross_barcode(x, y)[1]
    for again in (r_cross_barcode(x, y)[1], r_cross_barcode(wide, y)[1]):
        np.testing.assert_array_equal(bars(again), bars(once))
        np.testing.assert_array_equal(again.death_edges, once.death_edges)


def test_births_and_deaths_are_float64_distances_of_their_edges() -> None:
    """Events are ordered in float32, but values are read in float64."""
    rng = np.random.default_rng(3)
    w, v = (random_distances(rng, 40, "points") for _ in range(2))
    _, h1 = r_cross_barcode_from_distances(w, v)
    i, j = h1.birth_edges.T
    np.testing.assert_array_equal(h1.births, v[i, j])
    i, j = h1.death_edges.T
    cone = h1.death_in == "cone"
    np.testing.assert_array_equal(h1.deaths[cone], w[i, j][cone])
    np.testing.assert_array_equal(h1.deaths[~cone], np.minimum(w, v)[i, j][~cone])
    theirs = ripser_bars(zero_block(w, v), 1)[1]
    np.testing.assert_allclose(bars(h1), theirs, rtol=1e-6)
