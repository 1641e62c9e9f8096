"""Errors in common coordinates: value by value, and by scikit-learn."""

from typing import Any

import numpy as np

from .. import conditions
from ..tolerance import Law
from .routes import NotDefined, Route, Routes, quotient


def largest(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    pairs = zip(x.ravel(), y.ravel(), strict=True)
    return float(max(abs(a - b) for a, b in pairs))


def largest_by_package(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    from sklearn.metrics import max_error

    return float(max_error(x.ravel(), y.ravel()))


def relative(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    pairs = list(zip(x.ravel(), y.ravel(), strict=True))
    wrong, whole = sum((a - b) ** 2 for a, b in pairs), sum(a * a for a, _ in pairs)
    return float(np.sqrt(quotient(wrong, whole)))


def relative_by_package(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    from sklearn.metrics import mean_squared_error

    whole = mean_squared_error(x, np.zeros_like(x))
    return float(np.sqrt(quotient(mean_squared_error(x, y), whole)))


def decibels(error: float) -> float:
    if error == 0:
        return float("inf")
    return float(-20 * np.log10(error))


def cosines(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    values = []
    for a, b in zip(x, y, strict=True):
        size = np.sqrt(sum(a * a)) * np.sqrt(sum(b * b))
        values.append(quotient(sum(a * b), size))
    return float(np.mean(values))


def cosines_by_package(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    from scipy.spatial.distance import cosine

    if np.any(np.all(x == 0, axis=1) | np.all(y == 0, axis=1)):
        raise NotDefined("a row is zero")
    return float(np.mean([1 - cosine(a, b) for a, b in zip(x, y, strict=True)]))


ROUTES = {
    "max_deviation": Routes(
        Law(conditions.one, size=conditions.norms),
        (
            Route("value by value", largest),
            Route("scikit-learn max_error", largest_by_package, "sklearn"),
        ),
    ),
    "relative_error": Routes(
        Law(conditions.one),
        (
            Route("value by value", relative),
            Route("scikit-learn mean_squared_error", relative_by_package, "sklearn"),
        ),
    ),
    "row_cosine": Routes(
        Law(conditions.one),
        (
            Route("row by row", cosines),
            Route("scipy cosine", cosines_by_package, "scipy"),
        ),
    ),
    "sqnr": Routes(
        Law(conditions.one, size=lambda m, x, y: 20.0),
        (
            Route("value by value", lambda m, x, y: decibels(relative(m, x, y))),
            Route(
                "scikit-learn mean_squared_error",
                lambda m, x, y: decibels(relative_by_package(m, x, y)),
                "sklearn",
            ),
        ),
    ),
}
