"""Linear regression against scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression as Sklearn
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score

import similitude as sim

RNG = np.random.default_rng(6)
X = RNG.normal(size=(50, 4)) + 1
Y = X @ RNG.normal(size=(4, 3)) + RNG.normal(size=(50, 3)) * [0.1, 1, 3]


def total_r2(y: np.ndarray, predicted: np.ndarray) -> float:
    return r2_score(y, predicted, multioutput="variance_weighted")


@pytest.mark.parametrize("ridge", [0.0, 0.3, 10.0])
def test_linear_regression_equals_sklearn(ridge: float) -> None:
    for x, y in ((X, Y), (Y, X)):
        model = (Ridge(alpha=ridge) if ridge else Sklearn()).fit(x, y)
        expected = total_r2(y, model.predict(x))
        got = sim.linear_regression(x, y, ridge=ridge)
        np.testing.assert_allclose(got, expected, rtol=1e-9)


@pytest.mark.parametrize("width", [4, 120])
@pytest.mark.parametrize("ridge", [0.0, 0.3])
def test_cross_validated_score_equals_sklearn(ridge: float, width: int) -> None:
    x = np.column_stack([X, RNG.normal(size=(50, width - 4))])
    residual = total = 0.0
    for fold in range(5):
        test = np.arange(50) % 5 == fold
        model = (Ridge(alpha=ridge) if ridge else Sklearn()).fit(x[~test], Y[~test])
        residual += np.sum((Y[test] - model.predict(x[test])) ** 2)
        total += np.sum((Y[test] - Y[~test].mean(axis=0)) ** 2)
    got = sim.linear_regression(x, Y, ridge=ridge, cross_validated=True)
    np.testing.assert_allclose(got, 1 - residual / total, rtol=1e-7)


def test_a_saturated_regression_is_undefined() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 30, 40))
    with pytest.raises(sim.Undefined, match="R\\^2 is 1 whatever the data"):
        sim.linear_regression(x, y)
    assert sim.linear_regression(x, y, cross_validated=True) < 0
    assert 0 < sim.linear_regression(x, y, ridge=5.0) < 1
    assert 0 < sim.linear_regression(x[:, :20], y) < 1


def test_duplicate_columns_do_not_change_regression() -> None:
    doubled = np.column_stack([X, X, np.ones(50)])
    expected = sim.linear_regression(X, Y)
    np.testing.assert_allclose(sim.linear_regression(doubled, Y), expected, rtol=1e-10)
