"""Linear algebra, on inputs with large rounding errors."""

import numpy as np
import pytest

import similitude as sim
from similitude import _linalg
from similitude._base._validate import points
from similitude._linalg import balanced
from similitude._linalg._blocks import budget_rows, spans

RNG = np.random.default_rng(9)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("offset", [0.0, 2.0, 1e3, -1e6])
def test_center_removes_the_mean_up_to_rounding(dtype: str, offset: float) -> None:
    x = (RNG.normal(size=(5000, 3)) + offset).astype(dtype)
    means = _linalg.center(points(x)).astype(np.float64).mean(axis=0)
    # For offsets up to 3 standard deviations the rounding error of the mean remains;
    # for larger offsets a second pass removes it.
    rounding = 8 * np.finfo(dtype).eps * (1 + min(abs(offset), 3))
    assert np.max(np.abs(means)) < rounding


def test_center_accepts_a_small_spread_and_rejects_constants() -> None:
    """A spread of 1e-12 of the offset is data; a spread of one eps is rounding."""
    x = 1.0 + 1e-12 * RNG.normal(size=(50, 3))
    _linalg.center(points(x))
    for constant in (0.1, 1e8 / 3, 0.0):
        with pytest.raises(sim.Undefined, match="constant"):
            _linalg.center(points(np.full((50, 3), constant)))


def test_balanced_is_exact_and_changes_only_extreme_scales() -> None:
    x = RNG.normal(size=(6, 3))
    assert balanced(points(x)).values is x
    for scale in (2.0**-300, 2.0**300):
        moved = balanced(points(x * scale)).values
        np.testing.assert_array_equal(moved / moved[0, 0], x / x[0, 0])
        assert 0.5 <= np.max(np.abs(moved)) <= 1
    zeros = points(np.zeros((3, 2)))
    assert balanced(zeros) is zeros


@pytest.mark.parametrize("shape", [(30, 5), (5, 30), (8, 8)])
def test_whiten_gives_an_orthonormal_basis(shape: tuple[int, int]) -> None:
    x = RNG.normal(size=shape) + 1
    z = _linalg.whiten(points(x))
    xc = x - x.mean(axis=0)
    assert z.rank == np.linalg.matrix_rank(xc) == z.rows.shape[1]
    np.testing.assert_allclose(z.rows.T @ z.rows, np.eye(z.rank), atol=1e-12)
    np.testing.assert_allclose(z.rows @ (z.rows.T @ xc), xc, atol=1e-12)


def test_whiten_keeps_small_directions() -> None:
    """A spectrum over ten decades; its squares would be lost to rounding."""
    x = RNG.normal(size=(50, 6)) * 10.0 ** -np.arange(0, 12, 2)
    assert _linalg.whiten(points(x)).rank == 6


@pytest.mark.parametrize("shape", [(30, 5), (5, 30)])
def test_whiten_with_penalty_gives_the_ridge_smoother(shape: tuple[int, int]) -> None:
    x = RNG.normal(size=shape)
    xc = x - x.mean(axis=0)
    z = _linalg.whiten(points(x), 0.7).rows
    smoother = xc @ np.linalg.solve(xc.T @ xc + 0.7 * np.eye(shape[1]), xc.T)
    np.testing.assert_allclose(z @ z.T, smoother, atol=1e-12)


def test_polar_factor_is_orthogonal_and_maximizes_the_trace() -> None:
    m = RNG.normal(size=(4, 6))
    q = _linalg.polar_factor(m)
    np.testing.assert_allclose(q @ q.T, np.eye(4), atol=1e-12)
    trace = np.linalg.svd(m, compute_uv=False).sum()
    np.testing.assert_allclose(np.sum(q * m), trace, rtol=1e-12)
    low = np.outer(RNG.normal(size=4), RNG.normal(size=6))
    partial = _linalg.polar_factor(low, partial=True)
    assert np.linalg.matrix_rank(partial) == 1


def test_cross_product_of_float32_is_accurate_for_many_rows() -> None:
    x = RNG.normal(size=(9000, 3)).astype(np.float32) + 10
    exact = x.astype(np.float64).T @ x.astype(np.float64)
    assert _linalg.cross_product(x, x).dtype == np.float64
    np.testing.assert_allclose(_linalg.cross_product(x, x), exact, rtol=1e-6)


def test_distances_of_duplicates_are_zero() -> None:
    x = RNG.normal(size=(9, 40)) + 3
    x = np.concatenate([x, x])
    for metric in ("euclidean", "cosine", "correlation"):
        rows = _linalg.metric_rows(points(x), metric)
        d = _linalg.cross_distances(rows, rows, metric)
        np.testing.assert_array_equal(d[np.arange(18), (np.arange(18) + 9) % 18], 0)
        assert np.count_nonzero(d == 0) == 36


def test_rankable_ties_values_that_differ_by_rounding() -> None:
    a = np.asarray([0.1 + 0.2, 0.3, 0.3 + 1e-9, 0.0])
    b = _linalg.rankable(a)
    assert b[0] == b[1] < b[2]
    assert b[3] == 0
    np.testing.assert_allclose(b, a, rtol=2e-11)


def test_memory_budget_limits_rows_of_a_block() -> None:
    with sim.config(memory_budget=2**20):
        assert budget_rows(1_000, 8 * 1_000) == 8
        assert budget_rows(10, 8) == 10
        assert budget_rows(10, 2**30) == 1
    assert list(spans(5, 2)) == [(0, 2), (2, 4), (4, 5)]


@pytest.mark.parametrize("offset", [0.1, 1e6 / 3])
def test_a_constant_column_is_dead_for_any_number_of_rows(offset: float) -> None:
    """The rounding error of its mean must not count as a direction."""
    rng = np.random.default_rng(0)
    for n in range(20, 200, 7):
        spread = 1e3 * rng.normal(size=(n, 3))
        x = points(np.column_stack([spread, np.full(n, offset)]))
        white = _linalg.whiten(x)
        assert (white.rank, white.dead) == (3, 1)
        assert x.d - len(_linalg.unit_columns(x)[1]) == 1
