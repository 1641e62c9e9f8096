"""Neighbor lists: by sorting each row in a loop, and from scipy's distance matrix."""

from typing import Any

import numpy as np

from .blocks import center, rounded
from .routes import SEED, NotDefined


def refuse(m: Any, x: np.ndarray) -> None:
    """Excluded: k > n - 1, equal rows, and for the cosine rows of one direction."""
    if np.all(x == x[0]) or m.options.get("k", 0) > len(x) - 1:
        raise NotDefined("there are no k neighbors, or all rows are equal")
    if m.options.get("metric", "euclidean") == "cosine":
        if np.any(np.all(x == 0, axis=1)):
            raise NotDefined("a row is zero")


def unit_rows(x: np.ndarray) -> np.ndarray:
    return x / np.sqrt(np.sum(x * x, axis=1, keepdims=True))


def ranked(metric: str, x: np.ndarray) -> list[list[int]]:
    """All other rows of each row, nearest first; ties by index; at 11 digits."""
    rows = unit_rows(x) if metric == "cosine" else x
    lists = []
    for i in range(len(x)):
        far = rounded(np.sum((rows[i] - rows) ** 2, axis=1))
        lists.append(sorted((j for j in range(len(x)) if j != i), key=lambda j: far[j]))
    return lists


def ranked_by_scipy(metric: str, x: np.ndarray) -> list[list[int]]:
    from scipy.spatial.distance import cdist

    rows = center(unit_rows(x) if metric == "cosine" else x)
    far = rounded(cdist(rows, rows, "sqeuclidean"))
    np.fill_diagonal(far, np.inf)
    order = np.argsort(far, axis=1, kind="stable")[:, :-1]
    return [[int(j) for j in row] for row in order]


def lists(m: Any, x: np.ndarray, *, second: bool) -> list[list[int]]:
    refuse(m, x)
    return (ranked_by_scipy if second else ranked)(m.metric, x)


def queries(m: Any, n: int) -> np.ndarray:
    """The rows that a sampled score averages: the draw is an input, not a result."""
    count = m.options.get("query_rows")
    if count is None or count >= n:
        return np.arange(n)
    rng = np.random.default_rng(np.random.SeedSequence(SEED))
    return np.sort(rng.choice(n, count, replace=False))
