"""Canonical correlations: by eigenvalues of covariances, and by angles and projections.

PWCCA averages the weights of tied correlations, as its definition says.
"""

import math
from typing import Any

import numpy as np

from .. import conditions
from ..tolerance import Law
from .blocks import basis, center, rank
from .routes import NotDefined, Route, Routes, quotient

TIE = 1e-8


def refuse_few_rows(x: np.ndarray, y: np.ndarray) -> None:
    """Excluded: r1 + r2 > n - 1, where some correlations are 1 whatever the data."""
    ranks = [rank(center(v)) for v in (x, y)]
    if 0 in ranks or sum(ranks) > len(x) - 1:
        raise NotDefined("two such spaces always intersect")


def by_covariances(x: np.ndarray, y: np.ndarray, ridge: tuple[float, float]) -> Any:
    """Roots of the eigenvalues of Sxx^-1 Sxy Syy^-1 Syx, in descending order."""
    a, b = (center(v) for v in (x, y))
    if not any(ridge):  # in a basis of principal directions, where Sxx is invertible
        a, b = (v @ np.linalg.svd(v)[2][: rank(v)].T for v in (a, b))
    inverse = [
        np.linalg.inv(v.T @ v + penalty * np.eye(v.shape[1]))
        for v, penalty in zip((a, b), ridge, strict=True)
    ]
    product = inverse[0] @ a.T @ b @ inverse[1] @ b.T @ a
    values = np.sort(np.linalg.eigvals(product).real)[::-1]
    return np.sqrt(np.clip(values, 0, None))


def by_angles(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    from scipy.linalg import subspace_angles

    return np.cos(np.sort(subspace_angles(basis(center(x)), basis(center(y)))))


def by_roots(x: np.ndarray, y: np.ndarray, ridge: tuple[float, float]) -> np.ndarray:
    """Singular values of Sxx^-1/2 Sxy Syy^-1/2."""
    from scipy.linalg import sqrtm

    a, b = (center(v) for v in (x, y))
    roots = [
        np.linalg.inv(sqrtm(v.T @ v + penalty * np.eye(v.shape[1])).real)
        for v, penalty in zip((a, b), ridge, strict=True)
    ]
    return np.linalg.svd(roots[0] @ a.T @ b @ roots[1], compute_uv=False)


def mean_cca(m: Any, x: np.ndarray, y: np.ndarray, *, second: bool) -> float:
    sizes = [rank(center(v)) for v in (x, y)]
    if m.shrinkage:
        if 0 in sizes:
            raise NotDefined("all rows are equal")
        total = [m.shrinkage * np.sum(center(v) ** 2) / v.shape[1] for v in (x, y)]
        route = by_roots if second else by_covariances
        rho = route(x, y, (total[0], total[1]))
    else:
        refuse_few_rows(x, y)
        rho = by_angles(x, y) if second else by_covariances(x, y, (0.0, 0.0))
    power = 2 if m.form == "squared" else 1
    return quotient(np.sum(rho[: min(sizes)] ** power), min(sizes))


def variates(x: np.ndarray, y: np.ndarray, *, second: bool) -> Any:
    """Correlations, and the canonical variates of x as orthonormal columns."""
    u, v = basis(center(x)), basis(center(y))
    if second:  # eigenvectors of P_x P_y P_x, n x n
        projected = u @ u.T @ v @ v.T @ u @ u.T
        values, vectors = np.linalg.eigh((projected + projected.T) / 2)
        inside = u @ u.T @ vectors[:, ::-1][:, : u.shape[1]]
        return np.sqrt(np.clip(values[::-1][: u.shape[1]], 0, None)), inside
    left, rho, _ = np.linalg.svd(u.T @ v)
    full = np.zeros(u.shape[1])
    full[: len(rho)] = rho
    return full, u @ left


def pwcca_one_way(x: np.ndarray, y: np.ndarray, *, second: bool) -> float:
    refuse_few_rows(x, y)
    rho, h = variates(x, y, second=second)
    count = min(rank(center(x)), rank(center(y)))
    projected, weights = center(x).T @ h, np.zeros(count)
    start = 0
    while start < count:
        stop = start + 1
        while stop < count and rho[start] - rho[stop] <= TIE:
            stop += 1
        last = stop == count and rho[start] <= TIE
        space = projected[:, start:] if last else projected[:, start:stop]
        size = space.shape[1]
        mean = math.gamma(size / 2) / (math.sqrt(math.pi) * math.gamma((size + 1) / 2))
        weights[start:stop] = mean * np.sum(np.sqrt(np.sum(space**2, axis=1)))
        start = stop
    return quotient(np.sum(weights * rho[:count]), np.sum(weights))


def pwcca(m: Any, x: np.ndarray, y: np.ndarray, *, second: bool) -> float:
    score = pwcca_one_way(x, y, second=second)
    if m.variant == "asymmetric":
        return score
    return (score + pwcca_one_way(y, x, second=second)) / 2


def gap_condition(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    """Directions of variates also depend on the gaps between correlations."""
    u, v = basis(center(x)), basis(center(y))
    squares = np.linalg.svd(u.T @ v, compute_uv=False) ** 2
    gaps = np.abs(np.diff(np.append(squares, 0.0)))
    gaps = gaps[gaps > TIE]
    smallest = float(np.min(gaps, initial=1.0))
    return conditions.squared_subspace(m, x, y) / smallest


def _route(function: Any, *, second: bool) -> Any:
    return lambda m, x, y: function(m, x, y, second=second)


ROUTES = {
    "mean_cca": Routes(
        Law(conditions.squared_subspace),
        (
            Route("eigenvalues of covariances", _route(mean_cca, second=False)),
            Route("scipy angles, sqrtm", _route(mean_cca, second=True), "scipy"),
        ),
    ),
    "pwcca": Routes(
        Law(gap_condition),
        (
            Route("singular vectors of two bases", _route(pwcca, second=False)),
            Route("eigenvectors of projections", _route(pwcca, second=True)),
        ),
    ),
}
