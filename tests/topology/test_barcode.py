"""`Barcode`, the result type of all topological computations."""

import numpy as np
import pytest

from similitude.errors import InvalidInput
from similitude.topology import Barcode
from similitude.topology._edge_weights import MatrixWeights, singles
from similitude.topology._engines._pairs import NONE, K, Pairs, X, gather


def barcode(births: list[float], deaths: list[float]) -> Barcode:
    k = len(births)
    return Barcode(
        degree=1,
        births=np.array(births),
        deaths=np.array(deaths),
        birth_edges=np.arange(2 * k).reshape(k, 2),
        death_edges=np.arange(2 * k).reshape(k, 2) + 1,
        birth_in=np.full(k, "w"),
        death_in=np.full(k, "cone"),
        n_points=2 * k + 1,
    )


def test_barcode_sorts_all_columns_together() -> None:
    b = barcode([2, 1, 1], [3, 9, 2])
    np.testing.assert_array_equal(b.births, [1, 1, 2])
    np.testing.assert_array_equal(b.deaths, [2, 9, 3])
    np.testing.assert_array_equal(b.birth_edges, [[4, 5], [2, 3], [0, 1]])
    np.testing.assert_array_equal(b.death_edges, [[5, 6], [3, 4], [1, 2]])
    np.testing.assert_array_equal(b.lengths, [1, 8, 1])
    assert b.total_persistence == 10
    assert len(b) == 3


def test_total_persistence_includes_infinite_bars_and_finite_drops_them() -> None:
    b = barcode([0, 1], [np.inf, 3])
    assert b.total_persistence == np.inf
    assert b.finite().total_persistence == 2
    np.testing.assert_array_equal(b.finite().birth_edges, [[2, 3]])


def test_columns_are_read_only_and_must_have_equal_length() -> None:
    b = barcode([1], [2])
    with pytest.raises(ValueError, match="read-only"):
        b.births[0] = 0
    with pytest.raises(InvalidInput, match="death_edges"):
        Barcode(1, *[np.ones(2)] * 2, np.ones((2, 2)), np.ones(2), [], [], 3)  # type: ignore[arg-type]


def test_gather_reads_values_from_the_named_matrix() -> None:
    w = np.array([[0, 1, 5], [1, 0, 4], [5, 4, 0]], dtype=float)
    v = np.array([[0, 3, 2], [3, 0, 6], [2, 6, 0]], dtype=float)
    births = np.array([[0, 2], [0, 1], [-1, -1]])
    deaths = np.array([[0, 2], [1, 2], [-1, -1]])
    codes = np.array([X, X, NONE], np.int8), np.array([K, X, NONE], np.int8)
    read, read_tilde = (MatrixWeights(m).reader(births) for m in (w, v))
    b = gather(Pairs(births, deaths, *codes), 1, 3, read, read_tilde)
    np.testing.assert_array_equal(b.births, [0, 1, 2])
    np.testing.assert_array_equal(b.deaths, [np.inf, 4, 5])
    np.testing.assert_array_equal(b.birth_in, ["none", "w", "w_tilde"])
    np.testing.assert_array_equal(b.death_in, ["none", "w", "cone"])
    for second in (read_tilde, None):  # two equal matrices, or only one
        tied = gather(Pairs(births, deaths, *codes), 1, 3, read_tilde, second)
        np.testing.assert_array_equal(tied.birth_in, ["none", "w", "w"])


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_rounding_to_float32_keeps_the_order_at_any_scale(scale: float) -> None:
    m = np.array([[0, 1.0, 1.5], [1.0, 0, np.inf], [1.5, np.inf, 0]]) * scale
    (rounded,) = singles(MatrixWeights(m))
    assert rounded.dtype == np.float32
    assert 0 < rounded[0, 1] < rounded[0, 2] < np.inf
    assert rounded[1, 2] == np.inf
