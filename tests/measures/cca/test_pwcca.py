"""PWCCA against the eigenproblem of its definition, and with tied correlations."""

import numpy as np
import pytest
import scipy

import similitude as sim

RNG = np.random.default_rng(9)
X = RNG.normal(size=(90, 6)) * [3, 1, 1, 0.5, 2, 1] + 4
Y = X[:, :3] @ RNG.normal(size=(3, 4)) + RNG.normal(size=(90, 4))


def naive(x: np.ndarray, y: np.ndarray) -> float:
    """A generalized eigenproblem gives coefficients, then variates, then weights."""
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    sxy = x.T @ y
    squares, a = scipy.linalg.eigh(sxy @ np.linalg.solve(y.T @ y, sxy.T), x.T @ x)
    count = min(x.shape[1], y.shape[1])
    rho, a = np.sqrt(squares[::-1][:count]), a[:, ::-1][:, :count]
    variates = x @ a
    np.testing.assert_allclose(variates.T @ variates, np.eye(count), atol=1e-10)
    alpha = np.abs(variates.T @ x).sum(axis=1)
    return (alpha * rho).sum() / alpha.sum()


def test_pwcca_equals_the_eigenproblem_for_both_orders_of_widths() -> None:
    np.testing.assert_allclose(sim.pwcca(X, Y), naive(X, Y), rtol=1e-9)
    np.testing.assert_allclose(sim.pwcca(Y, X), naive(Y, X), rtol=1e-9)
    both = sim.pwcca(X, Y, variant="symmetrized")
    np.testing.assert_allclose(both, (naive(X, Y) + naive(Y, X)) / 2, rtol=1e-9)


def test_variates_are_orthonormal_and_coefficients_are_not() -> None:
    """Orthonormal coefficients would give a different number."""
    x, y = X - X.mean(axis=0), Y - Y.mean(axis=0)
    qx, rx = np.linalg.qr(x)
    qy = np.linalg.qr(y)[0]
    u, rho, _ = np.linalg.svd(qx.T @ qy, full_matrices=False)
    wrong = np.linalg.qr(np.linalg.solve(rx, u))[0]
    alpha = np.abs((x @ wrong).T @ x).sum(axis=1)
    assert abs(sim.pwcca(X, Y) - (alpha * rho).sum() / alpha.sum()) > 1e-3


def orthonormal(count: int) -> np.ndarray:
    rows = RNG.normal(size=(90, count))
    return np.linalg.qr(rows - rows.mean(axis=0))[0]


def test_weights_of_ties_are_the_mean_over_bases() -> None:
    """Three directions are shared, so their basis is not unique; one is not shared."""
    basis = orthonormal(7)
    x = basis[:, :4] @ RNG.normal(size=(4, 5))
    y = basis[:, [0, 1, 2, 4]] @ RNG.normal(size=(4, 4))
    weights, alone = [], np.abs(basis[:, 3] @ x).sum()
    for _ in range(4000):
        turn = np.linalg.qr(RNG.normal(size=(3, 3)))[0]
        weights.append(np.abs((basis[:, :3] @ turn).T @ x).sum())
    expected = np.mean(weights) / (np.mean(weights) + alone)
    got = float(sim.pwcca(x, y))
    error = np.std(weights) / np.sqrt(4000) / (np.mean(weights) + alone)
    assert abs(got - expected) < 4 * error
    # The score is unique: rotations of y and rounding of x do not choose a basis.
    turned = y @ np.linalg.qr(RNG.normal(size=(4, 4)))[0]
    np.testing.assert_allclose(sim.pwcca(x, turned), got, rtol=1e-10)
    shaken = x * (1 + 1e-14 * RNG.normal(size=x.shape))
    np.testing.assert_allclose(sim.pwcca(shaken, y), got, rtol=1e-9)


def test_zero_correlations_share_the_remaining_space_of_x() -> None:
    """x has four directions; y has one of them, and one that is orthogonal to all."""
    basis = orthonormal(5)
    x = basis[:, :4] @ RNG.normal(size=(4, 6))
    y = basis[:, [0, 4]]
    one = np.abs(basis[:, 0] @ x).sum()
    rest = np.linalg.norm(basis[:, 1:4].T @ x, axis=0).sum() / 2  # c_3 = 1/2
    np.testing.assert_allclose(sim.pwcca(x, y), one / (one + rest), rtol=1e-9)
    other = y @ np.asarray([[0.6, -0.8], [0.8, 0.6]])
    np.testing.assert_allclose(sim.pwcca(x, other), one / (one + rest), rtol=1e-9)


def test_dead_and_dependent_units_do_not_count() -> None:
    padded = np.column_stack([Y, np.full(90, 0.1), Y[:, 0] - Y[:, 1]])
    measure = sim.measures.PWCCA()
    p, q = measure.prepare(X), measure.prepare(padded)
    ranks = {"rank_x": 6, "rank_y": 4, "dead_x": 0, "dead_y": 1}
    assert measure.details(p, q) == ranks
    np.testing.assert_allclose(measure.compare(p, q), sim.pwcca(X, Y), rtol=1e-9)


def test_pwcca_beyond_the_rank_limit_is_undefined() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 40, 25))
    with pytest.raises(sim.Undefined, match="11 canonical correlations"):
        sim.pwcca(x, y)
