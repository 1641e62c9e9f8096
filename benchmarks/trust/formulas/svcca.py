"""SVCCA: by singular values, and by eigenvectors of Gram matrices and projections."""

from typing import Any

import numpy as np

from .. import conditions
from ..tolerance import Law
from .blocks import center
from .routes import NotDefined, Route, Routes, quotient

EPSILON = 1e-10  # of the published code


def kept(m: Any, s: np.ndarray) -> int:
    """The smallest k whose first k values reach the threshold, value by value."""
    power = 2 if m.by == "variance" else 1
    total, sum_of_first = float(np.sum(s**power)), 0.0
    for k, value in enumerate(s, start=1):
        sum_of_first += float(value) ** power
        if sum_of_first >= m.threshold * total:
            return k
    return len(s)


def main_directions(m: Any, x: np.ndarray) -> np.ndarray:
    if np.all(x == x[0]):
        raise NotDefined("all rows are equal")
    u, s, _ = np.linalg.svd(center(x), full_matrices=False)
    return u[:, : kept(m, s)]


def main_directions_of_gram(m: Any, x: np.ndarray) -> np.ndarray:
    """Eigenvectors of XX'."""
    if np.all(x == x[0]):
        raise NotDefined("all rows are equal")
    values, vectors = np.linalg.eigh(center(x) @ center(x).T)
    s = np.sqrt(np.clip(values[::-1], 0, None))
    s[np.sqrt(len(x)) * 1e-8 * s[0] > s] = 0.0  # squares lose half of the digits
    return vectors[:, ::-1][:, : kept(m, s[s > 0])]


def by_singular_values(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    u, v = (main_directions(m, side) for side in (x, y))
    total = np.sum(np.linalg.svd(u.T @ v, compute_uv=False))
    return quotient(total, min(u.shape[1], v.shape[1]))


def by_projections(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    """Correlations are the roots of the eigenvalues of P_x P_y."""
    u, v = (main_directions_of_gram(m, side) for side in (x, y))
    count = min(u.shape[1], v.shape[1])
    product = u @ u.T @ v @ v.T @ u @ u.T
    values = np.linalg.eigvalsh((product + product.T) / 2)[::-1][:count]
    return quotient(np.sum(np.sqrt(np.clip(values, 0, None))), count)


def published_directions(m: Any, x: np.ndarray) -> np.ndarray:
    """As the published code: means of rows removed, the first k above the threshold."""
    rows = x - x.mean(axis=1, keepdims=True)
    if np.abs(center(rows)).max() <= 1e-14 * np.abs(x).max():
        raise NotDefined("rows do not vary")
    u, s, _ = np.linalg.svd(rows, full_matrices=False)
    k = 0
    while s[: k + 1].sum() <= m.threshold * s.sum() and k + 1 < len(s):
        k += 1
    return center(u[:, : k + 1] * s[: k + 1])


def published(m: Any, x: np.ndarray, y: np.ndarray, *, second: bool) -> float:
    """Correlations of covariances to whose diagonals an epsilon is added."""
    sides = []
    for v in (x, y):
        rows = published_directions(m, v)
        largest = np.abs(rows.T @ rows).max()
        rows = rows[:, np.sum(rows**2, axis=0) >= EPSILON * largest]
        sides.append(rows / np.sqrt(largest))
    a, b = sides
    s_aa, s_bb = (v.T @ v + EPSILON * np.eye(v.shape[1]) for v in (a, b))
    if second:
        product = np.linalg.solve(s_aa, a.T @ b) @ np.linalg.solve(s_bb, b.T @ a)
        values = np.sort(np.linalg.eigvals(product).real)[::-1]
        rho = np.sqrt(np.clip(values, 0, None))[: min(a.shape[1], b.shape[1])]
    else:
        white = [
            v @ np.linalg.inv(np.linalg.cholesky(s)).T
            for v, s in zip(sides, (s_aa, s_bb), strict=True)
        ]
        rho = np.linalg.svd(white[0].T @ white[1], compute_uv=False)
    return quotient(np.sum(rho), min(a.shape[1], b.shape[1]))


def first(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    if m.variant == "as_published":
        return published(m, x, y, second=False)
    return by_singular_values(m, x, y)


def second(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    if m.variant == "as_published":
        return published(m, x, y, second=True)
    return by_projections(m, x, y)


def condition(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    """The kept space is as sharp as the gap at the cut; squares double the digits."""
    found = 1.0
    for v in (x, y):
        rows = v - v.mean(axis=1, keepdims=True) if m.variant != "definition" else v
        s = np.linalg.svd(center(rows), compute_uv=False)
        k = kept(m, s)
        gap = s[k - 1] - s[k] if k < len(s) else s[k - 1]
        found = max(found, float(s[0] ** 2 / (gap * s[k - 1])))
    return conditions.offset(m, x, y) * found


ROUTES = {
    "svcca": Routes(
        Law(condition),
        (
            Route("singular vectors; as published: Cholesky whitening", first),
            Route("eigenvectors of Grams and of projections", second),
        ),
    ),
}
