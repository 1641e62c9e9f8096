"""Weights that are computed from rows have the bits of weights held in a matrix."""

from typing import Any

import numpy as np
import pytest

import similitude as sim
from similitude import InvalidInput, Undefined, topology
from similitude._base._validate import points
from similitude.topology import _edge_weights as edge_weights
from similitude.topology._edge_weights import MatrixWeights, cloud_weights, singles

COLUMNS = ("births", "deaths", "birth_edges", "death_edges", "birth_in", "death_in")


def clouds(n: int = 80) -> tuple[np.ndarray, np.ndarray]:
    """Two clouds; some rows of the first are equal or almost equal."""
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, n, 7))
    x[:5] = x[5]
    x[6] = x[7] + 1e-9
    return x, y


def no_matrix(x: Any) -> np.ndarray:
    raise AssertionError("all float64 distances of a large cloud are held")


@pytest.mark.parametrize("normalize", ["quantile", "median", "mean", "none"])
def test_large_clouds_have_equal_barcodes_without_a_float64_matrix(
    normalize: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, y = clouds()
    small = topology.r_cross_barcode(x, y, normalize=normalize)[1]
    monkeypatch.setattr(edge_weights, "_MOST_KEPT", 10)
    monkeypatch.setattr(edge_weights, "euclidean", no_matrix)
    large = topology.r_cross_barcode(x, y, normalize=normalize)[1]
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(small, name), getattr(large, name))


@pytest.mark.parametrize("name", ["rtd", "srtd", "max_rtd"])
def test_scores_of_large_clouds_are_bit_identical(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, y = clouds()
    measure = sim.MEASURES[name]
    before = measure.details(measure.prepare(x), measure.prepare(y))
    monkeypatch.setattr(edge_weights, "_MOST_KEPT", 10)
    monkeypatch.setattr(edge_weights, "euclidean", no_matrix)
    assert measure.details(measure.prepare(x), measure.prepare(y)) == before


@pytest.mark.parametrize("scale", [1e-60, 1e60])
def test_weights_beyond_float32_are_scaled_by_one_power_of_two(
    scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also for one cloud that needs it next to one that does not."""
    x, y = clouds(30)
    kept = [cloud_weights(points(c), "none", 0.9) for c in (scale * x, y)]
    monkeypatch.setattr(edge_weights, "_MOST_KEPT", 10)
    read = [cloud_weights(points(c), "none", 0.9) for c in (scale * x, y)]
    for one, two in zip(singles(*kept), singles(*read), strict=True):
        np.testing.assert_array_equal(one, two)
    edges = np.array([[0, 9], [-1, -1], [3, 20], [0, 9]])
    for first, second in zip(kept, read, strict=True):
        values = second.reader(edges)(edges[::-1])
        np.testing.assert_array_equal(first.reader(edges)(edges[::-1]), values)
        assert values[2] == 0  # not an edge


def test_blocks_do_not_change_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small memory budget computes the distances in several blocks of rows."""
    monkeypatch.setattr(edge_weights, "_MOST_KEPT", 10)
    x = points(np.random.default_rng(0).normal(size=(600, 3)))
    with sim.config(memory_budget=2**20):
        large = cloud_weights(x, "quantile", 0.9)
        monkeypatch.undo()
        small = cloud_weights(x, "quantile", 0.9)
        edges = np.stack(np.triu_indices(600, k=1), axis=1)[::7]
        np.testing.assert_array_equal(large.single(0), small.single(0))
        np.testing.assert_array_equal(
            large.reader(edges)(edges), small.reader(edges)(edges)
        )


def test_units_of_large_clouds_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_weights, "_MOST_KEPT", 10)
    x = np.zeros((50, 2))
    y = np.random.default_rng(0).normal(size=(50, 2))
    assert topology.r_cross_barcode(x, y)[1].total_persistence == 0  # all rows equal
    x[0] = 1
    with pytest.raises(Undefined, match="quantile of the distances of y"):
        topology.r_cross_barcode(y, x)
    with pytest.raises(InvalidInput, match="quantile=2"):
        topology.r_cross_barcode(y, y, quantile=2)


def test_a_unit_divides_the_weights_of_a_matrix_like_the_matrix_itself() -> None:
    rng = np.random.default_rng(3)
    upper = np.triu(rng.random((20, 20)), 1)
    w = upper + upper.T
    edges = np.stack(np.triu_indices(20, k=1), axis=1)
    later, at_once = MatrixWeights(w, 0.3), MatrixWeights(w / 0.3)
    np.testing.assert_array_equal(later.single(0), at_once.single(0))
    np.testing.assert_array_equal(
        later.reader(edges)(edges), at_once.reader(edges)(edges)
    )
