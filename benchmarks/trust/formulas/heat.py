"""IMD: heat traces by eigenvalues and by scipy's matrix exponential."""

from typing import Any

import numpy as np

from .. import conditions
from ..tolerance import Law
from .blocks import center, rounded
from .neighbor_lists import ranked, ranked_by_scipy, refuse
from .routes import SEED, Route, Routes

TIMES = np.logspace(-1, 1, 256)
WEIGHTS = np.exp(-2 * (TIMES + 1 / TIMES))


def laplacian(m: Any, x: np.ndarray, *, second: bool) -> np.ndarray:
    """I - D^-1/2 A D^-1/2 of the graph of neighbors in either direction."""
    refuse(m, x)
    n, lists = len(x), (ranked_by_scipy if second else ranked)("euclidean", x)
    a = np.zeros((n, n))
    for i, row in enumerate(lists):
        for j in row[: m.k]:
            a[i, j] = a[j, i] = 1
    if second:
        from scipy.sparse.csgraph import laplacian as scipy_laplacian

        return scipy_laplacian(a, normed=True)
    degrees = a.sum(axis=1)
    return np.eye(n) - a / np.sqrt(np.outer(degrees, degrees))


def starts(m: Any, x: np.ndarray) -> np.ndarray:
    """The drawn vectors, entry by distance from the mean: an input, not a result."""
    rng = np.random.default_rng(np.random.SeedSequence(SEED))
    drawn = rng.standard_normal((len(x), m.draws))
    order = np.argsort(rounded(np.linalg.norm(center(x), axis=1)), kind="stable")
    found = np.empty_like(drawn)
    found[order] = drawn
    return found / np.linalg.norm(found, axis=0)


def trace(m: Any, x: np.ndarray, *, second: bool) -> np.ndarray:
    from scipy.linalg import expm

    matrix, n = laplacian(m, x, second=second), len(x)
    if m.estimator != "stochastic":
        if second:
            return np.array([np.trace(expm(-t * matrix)) for t in TIMES]) / n
        return np.mean(np.exp(-np.outer(TIMES, np.linalg.eigvalsh(matrix))), axis=1)
    total = np.zeros(TIMES.size)
    for v in starts(m, x).T:
        krylov = [v]  # of the powers of L, made orthonormal by QR
        for _ in range(m.steps - 1):
            krylov.append(matrix @ krylov[-1])
        q = np.linalg.qr(np.stack(krylov, axis=1))[0]
        small = q.T @ matrix @ q
        ends = q.T @ v
        if second:
            heat = np.array([ends @ expm(-t * small) @ ends for t in TIMES])
        else:
            values, vectors = np.linalg.eigh(small)
            heat = np.exp(-np.outer(TIMES, values)) @ (vectors.T @ ends) ** 2
        # The trace of L is n, which corrects for the error of v'Lv.
        total += heat + TIMES * np.exp(-TIMES) * (v @ matrix @ v - 1)
    return total / m.draws


def score(m: Any, x: np.ndarray, y: np.ndarray, *, second: bool) -> float:
    gap = 1e6 * np.abs(trace(m, x, second=second) - trace(m, y, second=second))
    if m.aggregate == "l2":
        return float(np.sqrt(np.sum(gap**2)))
    return float(np.max(WEIGHTS * gap))


ROUTES = {
    "imd": Routes(
        Law(conditions.one, size=lambda m, x, y: 1e6),
        (
            Route("eigenvalues", lambda m, x, y: score(m, x, y, second=False)),
            Route(
                "scipy laplacian, expm",
                lambda m, x, y: score(m, x, y, second=True),
                "scipy",
            ),
        ),
    ),
}
