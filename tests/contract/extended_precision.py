"""Decompositions in extended precision, for exact scores of singular inputs.

numpy's linear algebra has no `longdouble`, so these are written out: Gram-Schmidt,
which is done twice, and one-sided Jacobi rotations. A column counts as dependent if the
rest of it is below `DEPENDENT` of its length. Inputs consist of small integers, so the
rest of an independent column is at least 1e-6, and that of a dependent one is the
rounding of extended precision, 1e-18.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

Wide = np.longdouble
DEPENDENT = 1e-12


def is_extended() -> bool:
    """Whether this machine has a type with more digits than float64."""
    return bool(np.finfo(Wide).eps < 1e-18)


def centered(x: np.ndarray) -> np.ndarray:
    """Without the means of columns; a constant column is exactly 0."""
    wide = np.asarray(x, Wide)
    moved = wide - wide.sum(axis=0) / Wide(len(wide))
    return np.where(np.all(wide == wide[0], axis=0), Wide(0), moved)


def _remembered(function: Callable[..., Any]) -> Callable[..., Any]:
    """Many measures decompose the same matrix."""
    known: dict[tuple[object, ...], Any] = {}

    @functools.wraps(function)
    def called(m: np.ndarray) -> Any:
        wide = np.ascontiguousarray(m, Wide)
        key = (wide.shape, tuple(wide.ravel().tolist()))
        if key not in known:
            known[key] = function(wide)
        return known[key]

    return called


@_remembered
def basis(m: np.ndarray) -> np.ndarray:
    """Orthonormal columns that span the columns of `m`, as many as its rank."""
    found = np.zeros((m.shape[0], 0), Wide)
    for column in np.asarray(m, Wide).T:
        length = np.sqrt(np.sum(column**2))
        rest = column
        for _ in range(2):
            rest = rest - found @ (found.T @ rest)
        size = np.sqrt(np.sum(rest**2))
        if size > DEPENDENT * length:
            found = np.column_stack([found, rest / size])
    return found


@_remembered
def svd(m: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """U, s and V' with s > 0, largest first."""
    if m.shape[0] < m.shape[1]:
        u, s, vt = svd(m.T)
        return vt.T, s, u.T
    a, v = np.array(m, Wide), np.eye(m.shape[1], dtype=Wide)
    for _ in range(60):
        turned = False
        for i in range(a.shape[1] - 1):
            for j in range(i + 1, a.shape[1]):
                p, q = a[:, i], a[:, j]
                pp, qq, pq = p @ p, q @ q, p @ q
                if abs(pq) <= 1e-19 * np.sqrt(pp * qq):
                    continue
                turned = True
                zeta = (qq - pp) / (2 * pq)
                t = (1 if zeta >= 0 else -1) / (abs(zeta) + np.sqrt(1 + zeta**2))
                c = 1 / np.sqrt(1 + t**2)
                turn = np.asarray([[c, c * t], [-c * t, c]], Wide)
                a[:, [i, j]] = a[:, [i, j]] @ turn
                v[:, [i, j]] = v[:, [i, j]] @ turn
        if not turned:
            break
    s = np.sqrt(np.sum(a**2, axis=0))
    order = np.argsort(-s)
    order = order[s[order] > DEPENDENT * np.max(s, initial=Wide(0))]
    return a[:, order] / s[order], s[order], v[:, order].T


def solve(m: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The solution of M X = R for a symmetric positive definite M, by Cholesky."""
    n = len(m)
    lower = np.zeros((n, n), Wide)
    for j in range(n):
        lower[j, j] = np.sqrt(m[j, j] - lower[j, :j] @ lower[j, :j])
        rest = m[j + 1 :, j] - lower[j + 1 :, :j] @ lower[j, :j]
        lower[j + 1 :, j] = rest / lower[j, j]
    found = np.array(right, Wide)
    for j in range(n):
        found[j] = (found[j] - lower[j, :j] @ found[:j]) / lower[j, j]
    for j in reversed(range(n)):
        found[j] = (found[j] - lower[j + 1 :, j] @ found[j + 1 :]) / lower[j, j]
    return found


def least_squares(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The minimum-norm B with the least |X B - Y|^2."""
    rows = basis(x.T)  # of the row space
    inside = x @ rows
    return rows @ solve(inside.T @ inside, inside.T @ y)
