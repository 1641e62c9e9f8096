"""Statistics of one cloud: row by row, and by scipy and scikit-learn."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import conditions
from ..tolerance import Law
from .blocks import center
from .routes import NotDefined, Route, Routes, quotient

Statistic = Callable[[Any, np.ndarray], float]


def difference(statistic: Statistic) -> Callable[..., float]:
    return lambda m, x, y: abs(statistic(m, x) - statistic(m, y))


def concentricity(m: Any, x: np.ndarray) -> float:
    mean = sum(x) / len(x)
    values = [
        quotient(float(row @ mean), np.sqrt(row @ row) * np.sqrt(mean @ mean))
        for row in x
    ]
    return float(np.mean(values))


def concentricity_by_scipy(m: Any, x: np.ndarray) -> float:
    from scipy.spatial.distance import cdist

    return float(1 - np.mean(cdist(x, x.mean(axis=0)[None], "cosine")))


def participation(m: Any, x: np.ndarray) -> float:
    """(sum of eigenvalues)^2 / sum of their squares."""
    if np.all(x == x[0]):
        raise NotDefined("all rows are equal")
    values = np.linalg.eigvalsh(np.cov(x.T))
    return quotient(np.sum(values) ** 2, np.sum(values**2))


def participation_by_traces(m: Any, x: np.ndarray) -> float:
    """tr(G)^2 / tr(G^2) for the Gram matrix G of centered rows."""
    gram = center(x) @ center(x).T
    return quotient(np.trace(gram) ** 2, np.trace(gram @ gram))


def magnitude(m: Any, x: np.ndarray) -> float:
    mean = sum(x) / len(x)
    return float(np.sqrt(sum(value**2 for value in mean)))


def magnitude_by_gram(m: Any, x: np.ndarray) -> float:
    """The mean of all inner products is the squared length of the mean row."""
    return float(np.sqrt(np.mean(x @ x.T)))


def uniformity(m: Any, x: np.ndarray) -> float:
    rows = [row / np.sqrt(row @ row) for row in x]
    total, n = 0.0, len(rows)
    for i in range(n):
        for j in range(i):
            total += np.exp(-m.t * float(np.sum((rows[i] - rows[j]) ** 2)))
    return float(np.log(2 * total / (n * (n - 1))))


def uniformity_by_scipy(m: Any, x: np.ndarray) -> float:
    from scipy.spatial.distance import pdist
    from sklearn.preprocessing import normalize

    return float(np.log(np.mean(np.exp(-m.t * pdist(normalize(x), "sqeuclidean")))))


def _pair(first: Statistic, label: str, second: Statistic, name: str) -> Any:
    package = "sklearn" if "scikit" in name else "scipy" if "scipy" in name else None
    return (
        Route(label, difference(first)),
        Route(name, difference(second), package),
    )


ROUTES = {
    "concentricity_difference": Routes(
        Law(conditions.one),
        _pair(concentricity, "row by row", concentricity_by_scipy, "scipy cdist"),
    ),
    "effective_dimension_difference": Routes(
        Law(conditions.offset, size=lambda m, x, y: float(min(x.shape[1], len(x)))),
        _pair(
            participation,
            "eigenvalues of the covariance",
            participation_by_traces,
            "traces of the Gram matrix",
        ),
    ),
    "magnitude_difference": Routes(
        Law(conditions.one, size=conditions.norms),
        _pair(magnitude, "value by value", magnitude_by_gram, "mean of the Gram"),
    ),
    "uniformity_difference": Routes(
        Law(conditions.one),
        _pair(
            uniformity,
            "pair by pair",
            uniformity_by_scipy,
            "scikit-learn, scipy pdist",
        ),
    ),
}
