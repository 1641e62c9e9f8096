"""The lune engine, compared with the reference engine and with ripser."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from similitude.topology import (
    r_cross_barcode_from_distances,
    rips_barcode_from_distances,
)
from similitude.topology._engines import _lune as lune
from topology import reference_engine as reference
from topology.clouds import (
    KINDS,
    bars,
    events,
    float32,
    half_zero_block,
    mapping_cone,
    random_distances,
    ripser_bars,
    zero_block,
)


@pytest.mark.parametrize("kind", KINDS)
def test_lune_pairs_equal_those_of_the_reference_engine(kind: str) -> None:
    """Both directions of one sweep; edges and matrices are equal too, even at ties."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = seed % 10
        w, v = (float32(random_distances(rng, n, kind)) for _ in range(2))
        x = np.minimum(w, v)
        for k, found in zip((w, v), lune.relative_pairs(x, w, v), strict=True):
            assert events(found) == events(reference.relative_pairs(k, x, 1)[1])


@pytest.mark.parametrize("kind", KINDS)
def test_lune_equals_reference_for_nested_filtrations(kind: str) -> None:
    """Pairs as in SRTD, where K has the larger of two distances, and in Max-RTD."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        w, v = (float32(random_distances(rng, 8, kind)) for _ in range(2))
        k = np.maximum(w, v)
        for x in (np.minimum(w, v), w):
            (found,) = lune.relative_pairs(x, k)
            assert events(found) == events(reference.relative_pairs(k, x, 1)[1])


@pytest.mark.parametrize("kind", KINDS)
def test_lune_rips_pairs_equal_those_of_the_reference_engine(kind: str) -> None:
    for seed in range(30):
        x = float32(random_distances(np.random.default_rng(seed), seed % 11, kind))
        for found, true in zip(
            lune.rips_pairs(x), reference.rips_pairs(x, 1), strict=True
        ):
            assert events(found) == events(true)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_lune_equals_reference_on_arbitrary_matrices(data: st.DataObject) -> None:
    n = data.draw(st.integers(0, 7))
    weight = st.sampled_from([0.0, 1.0, 2.0, 3.0, 4.0, float("inf")])

    def matrix() -> np.ndarray:
        upper = np.zeros((n, n), np.float32)
        for i in range(n):
            for j in range(i + 1, n):
                upper[i, j] = data.draw(weight)
        return upper + upper.T

    w, v = matrix(), matrix()
    x = np.minimum(w, v)
    (found,) = lune.relative_pairs(x, w)
    assert events(found) == events(reference.relative_pairs(w, x, 1)[1])


@pytest.mark.parametrize("copies", [2, 10, 18])
def test_coincident_points_do_not_change_the_barcode(copies: int) -> None:
    """120, 600 and 1080 points, whose sets have one, two and three blocks of words."""
    rng = np.random.default_rng(copies)
    w, v = (float32(random_distances(rng, 60, "points")) for _ in range(2))
    _, once = r_cross_barcode_from_distances(w, v)
    np.testing.assert_array_equal(bars(once), ripser_bars(zero_block(w, v), 1)[1])
    rows = rng.permutation(np.repeat(np.arange(60), copies))
    again = [m[np.ix_(rows, rows)] for m in (w, v)]
    _, often = r_cross_barcode_from_distances(*again)
    np.testing.assert_array_equal(bars(often), bars(once))


@pytest.mark.parametrize("kind", ["points", "lattice", "few values", "some values"])
def test_degree_1_equals_ripser_on_the_published_matrix(kind: str) -> None:
    """All bars are equal, for 60 clouds of each kind."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        w, v = (float32(random_distances(rng, 5 + seed // 2, kind)) for _ in range(2))
        assert_same_as_ripser(w, v)


def assert_same_as_ripser(w: np.ndarray, v: np.ndarray) -> None:
    mine = r_cross_barcode_from_distances(w, v)
    assert len(mine[0]) == 0
    np.testing.assert_array_equal(bars(mine[1]), ripser_bars(zero_block(w, v), 1)[1])


@pytest.mark.parametrize("kind", ["points", "lattice", "some values"])
def test_rips_barcode_equals_ripser(kind: str) -> None:
    for seed in range(20):
        w = float32(random_distances(np.random.default_rng(seed), 30, kind))
        mine = rips_barcode_from_distances(w)
        for barcode, theirs in zip(mine, ripser_bars(w, 1), strict=True):
            np.testing.assert_array_equal(bars(barcode), theirs)


@pytest.mark.parametrize("kind", ["points", "lattice", "few values", "generic"])
def test_degree_1_agrees_with_three_matrix_layouts(kind: str) -> None:
    """Degree 2 is compared with the mapping cone only."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        w, v = (float32(random_distances(rng, 7, kind)) for _ in range(2))
        _, h1, h2 = r_cross_barcode_from_distances(w, v, max_dim=2)
        cone = ripser_bars(mapping_cone(w, v), 2)
        np.testing.assert_array_equal(bars(h1), cone[1])
        np.testing.assert_array_equal(bars(h2), cone[2])
        for layout in (zero_block, half_zero_block):
            np.testing.assert_array_equal(bars(h1), ripser_bars(layout(w, v), 1)[1])


def test_published_matrix_misses_a_bar_of_degree_2() -> None:
    """A square whose diagonal is short in the other space: one bar [1, 3), or none."""
    w = np.array([[0, 1, 3, 1], [1, 0, 1, 3], [3, 1, 0, 1], [1, 3, 1, 0]], float)
    v = np.where(np.eye(4), 0.0, 5.0)
    v[0, 2] = v[2, 0] = 1
    h2 = r_cross_barcode_from_distances(w, v, max_dim=2)[2]
    np.testing.assert_array_equal(bars(h2), [[1, 3]])
    published = r_cross_barcode_from_distances(w, v, max_dim=2, compat="zero_block")
    assert len(published[2]) == 0


def test_compat_zero_block_equals_ripser_on_the_published_matrix() -> None:
    differ = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        w, v = (float32(random_distances(rng, 7, "generic")) for _ in range(2))
        _, h1, h2 = r_cross_barcode_from_distances(w, v, max_dim=2, compat="zero_block")
        theirs = ripser_bars(zero_block(w, v), 2)
        np.testing.assert_array_equal(bars(h1), theirs[1])
        np.testing.assert_array_equal(bars(h2), theirs[2])
        differ += len(h2) != len(r_cross_barcode_from_distances(w, v, max_dim=2)[2])
    assert differ > 0
