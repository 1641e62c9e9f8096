"""R^2 of linear maps: normal equations, and scikit-learn."""

from typing import Any

import numpy as np

from .. import conditions
from ..tolerance import Law
from .blocks import center, rank
from .routes import NotDefined, Route, Routes, quotient


def refuse(m: Any, x: np.ndarray, y: np.ndarray) -> None:
    if any(np.all(v == v[0]) for v in (x, y)):
        raise NotDefined("all rows are equal")
    if not m.ridge and not m.cross_validated and rank(center(x)) >= len(x) - 1:
        raise NotDefined("least squares fits every y")


def parts(m: Any, n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Training and test rows; all rows are both without cross-validation."""
    if not m.cross_validated:
        return [(np.ones(n, dtype=bool), np.ones(n, dtype=bool))]
    return [
        (np.arange(n) % m.folds != k, np.arange(n) % m.folds == k)
        for k in range(m.folds)
    ]


def share(m: Any, x: np.ndarray, y: np.ndarray, *, second: bool) -> float:
    """1 - squared errors over squared deviations, each from means of training rows."""
    refuse(m, x, y)
    predict = by_package if second else by_equations
    wrong = whole = 0.0
    for train, test in parts(m, len(x)):
        found = predict(m, x[train], y[train], x[test])
        wrong += float(np.sum((y[test] - found) ** 2))
        whole += float(np.sum((y[test] - y[train].mean(axis=0)) ** 2))
    return 1 - quotient(wrong, whole)


def by_equations(m: Any, x: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
    a, b = center(x), center(y)
    if m.ridge:
        weights = np.linalg.solve(a.T @ a + m.ridge * np.eye(a.shape[1]), a.T @ b)
    else:
        weights = np.linalg.pinv(a) @ b
    return y.mean(axis=0) + (new - x.mean(axis=0)) @ weights


def by_package(m: Any, x: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
    from sklearn.linear_model import LinearRegression, Ridge

    model = Ridge(alpha=m.ridge, solver="svd") if m.ridge else LinearRegression()
    return np.asarray(model.fit(x - x.mean(axis=0), y).predict(new - x.mean(axis=0)))


def condition(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    if m.ridge:
        largest = np.linalg.norm(center(x), ord=2) ** 2
        return conditions.offset(m, x, y) * float(1 + largest / m.ridge)
    found = 1.0
    for train, _ in parts(m, len(x)):
        found = max(found, conditions.squared_subspace(m, x[train], y[train]))
    return found


def worst(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    """A held-out error may be larger than the variance of y."""
    return max(1.0, 1 - share(m, x, y, second=False))


ROUTES = {
    "linear_regression": Routes(
        Law(condition, size=worst),
        (
            Route(
                "pseudo-inverse, normal equations",
                lambda m, x, y: share(m, x, y, second=False),
            ),
            Route(
                "scikit-learn LinearRegression, Ridge",
                lambda m, x, y: share(m, x, y, second=True),
                "sklearn",
            ),
        ),
    ),
}
