"""Canonical correlations against the textbook eigenproblem."""

import numpy as np
import pytest
import scipy

import similitude as sim

RNG = np.random.default_rng(4)
X = RNG.normal(size=(80, 5)) + 3
Y = X[:, :2] @ RNG.normal(size=(2, 4)) + RNG.normal(size=(80, 4))


def naive_rho(x: np.ndarray, y: np.ndarray, ridge: float = 0.0) -> np.ndarray:
    """Roots of det(Sxy Syy^-1 Syx - rho^2 Sxx) = 0."""
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    sxx = x.T @ x + ridge * np.trace(x.T @ x) / x.shape[1] * np.eye(x.shape[1])
    syy = y.T @ y + ridge * np.trace(y.T @ y) / y.shape[1] * np.eye(y.shape[1])
    sxy = x.T @ y
    squares = scipy.linalg.eigh(sxy @ np.linalg.solve(syy, sxy.T), sxx)[0]
    count = min(x.shape[1], y.shape[1])
    return np.sqrt(np.clip(np.sort(squares)[::-1][:count], 0, None))


def test_mean_cca_equals_the_eigenproblem() -> None:
    rho = naive_rho(X, Y)
    np.testing.assert_allclose(sim.mean_cca(X, Y), rho.mean(), rtol=1e-10)
    np.testing.assert_allclose(sim.mean_cca(Y, X), rho.mean(), rtol=1e-10)
    squared = sim.mean_cca(X, Y, form="squared")
    np.testing.assert_allclose(squared, np.mean(rho**2), rtol=1e-10)


@pytest.mark.parametrize("shrinkage", [0.01, 1.0])
def test_shrinkage_equals_the_eigenproblem_with_a_ridge(shrinkage: float) -> None:
    expected = naive_rho(X, Y, shrinkage).mean()
    got = sim.mean_cca(X, Y, shrinkage=shrinkage)
    np.testing.assert_allclose(got, expected, rtol=1e-10)
    wide = RNG.normal(size=(80, 100))
    expected = naive_rho(Y, wide, shrinkage).mean()
    got = sim.mean_cca(wide, Y, shrinkage=shrinkage)
    np.testing.assert_allclose(got, expected, rtol=1e-10)


def test_mean_cca_beyond_the_rank_limit_is_undefined() -> None:
    """n = 100, 60 + 60 columns: 21 correlations would be 1 on noise."""
    x, y = np.random.default_rng(0).normal(size=(2, 100, 60))
    with pytest.raises(sim.Undefined, match=r"60 \+ 60 > n - 1 = 99: 21 canonical"):
        sim.mean_cca(x, y)
    q = [np.linalg.qr(v - v.mean(axis=0))[0] for v in (x, y)]
    rho = np.linalg.svd(q[0].T @ q[1])[1]
    assert np.sum(rho > 1 - 1e-12) == 21  # the number in the message
    assert 0 < sim.mean_cca(x, y, shrinkage=0.5) < 1
    sim.mean_cca(x[:, :49], y[:, :50])  # 49 + 50 = 99 is still allowed
    with pytest.raises(sim.Undefined, match="2 canonical correlations"):
        sim.mean_cca(x[:30, :2], y[:30])


def test_dead_and_dependent_units_do_not_count() -> None:
    padded = np.column_stack([X, np.full(80, 0.1), X[:, 0], X @ RNG.normal(size=5)])
    measure = sim.measures.MeanCCA()
    p, q = measure.prepare(padded), measure.prepare(Y)
    ranks = {"rank_x": 5, "rank_y": 4, "dead_x": 1, "dead_y": 0}
    assert measure.details(p, q) == ranks
    np.testing.assert_allclose(measure.compare(p, q), sim.mean_cca(X, Y), rtol=1e-10)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_large_offset_does_not_change_the_rank(dtype: str) -> None:
    """Rounding of stored values at an offset does not add a direction."""
    offset = np.column_stack([X, X[:, 0] + X[:, 1]]) + 1e3
    offset = offset.astype(dtype)
    assert sim.measures.MeanCCA().prepare(offset).rank == 5


def test_an_affine_map_scores_one_and_noise_scores_less() -> None:
    image = X @ RNG.normal(size=(5, 5)) - 7
    np.testing.assert_allclose(sim.mean_cca(X, image), 1.0, rtol=1e-12)
    assert sim.mean_cca(X, image + 0.1 * RNG.normal(size=image.shape)) < 0.9999


def test_the_denominator_is_the_smaller_numerical_rank() -> None:
    """It is neither a width nor the root of the product of both widths."""
    wide = np.column_stack([Y, Y @ RNG.normal(size=(4, 5)), np.zeros(80)])
    total = naive_rho(X, Y).sum()
    np.testing.assert_allclose(sim.mean_cca(wide, X), total / 4, rtol=1e-10)
    np.testing.assert_allclose(
        sim.mean_cca(X[:, :3], wide) * 3, naive_rho(X[:, :3], Y).sum(), rtol=1e-10
    )


@pytest.mark.parametrize(
    "measure",
    [
        sim.measures.MeanCCA(),
        sim.measures.SVCCA(),
        sim.measures.PWCCA(),
        sim.measures.Procrustes(form="similarity"),
        sim.measures.GReLUProcrustes(),
        sim.measures.GReLUCKA(),
        sim.measures.AlignedCosine(),
        sim.measures.HardCorrelationMatch(),
        sim.measures.SoftCorrelationMatch(),
    ],
    ids=lambda m: m.name,
)
def test_self_similarity_is_one_at_any_scale(measure: sim.Measure) -> None:
    """A representation has similarity 1 with itself, also with columns of any size."""
    for x in (X, 1e-6 * X, X * np.geomspace(1e-5, 1, 5)):
        np.testing.assert_allclose(measure(x, x), 1.0, rtol=1e-12)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("name", ["mean_cca", "pwcca", "shape_metric"])
def test_weak_columns_lost_in_the_rounding_of_an_offset_are_undefined(
    name: str, *, turned: bool
) -> None:
    """Before, they were dropped as constant: mean_cca was 0.51 instead of 0.67."""
    rng = np.random.default_rng(3)
    z = rng.normal(size=(300, 6))
    x, y = (
        (z @ rng.normal(size=(6, d)) + rng.normal(size=(300, d)))
        / np.arange(1, d + 1) ** 2
        for d in (10, 7)
    )
    if turned:
        x, y = (v @ np.linalg.qr(rng.normal(size=2 * v.shape[1:]))[0] for v in (x, y))
    measure = sim.MEASURES[name]
    exact = float(measure(x, y))
    for power in np.arange(0, 7.1, 0.5):
        stored = [(v + 10**power).astype(np.float32) for v in (x, y)]
        try:
            score = float(measure(*stored))
        except sim.Undefined as error:
            assert "Subtract the column means before storing" in str(error)  # noqa: PT017
            assert power > 3
        else:
            assert abs(score - exact) < 2e-3, power
            assert power < 5


def test_constant_columns_and_copies_are_no_loss_at_an_offset() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 4))
    wide = np.column_stack([x, np.zeros(200), x[:, 0]]) + 3e5
    assert sim.measures.MeanCCA().prepare(wide.astype(np.float32)).rank == 4
