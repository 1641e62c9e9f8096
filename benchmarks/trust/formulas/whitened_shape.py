"""Partly whitened shapes, GULP and eigenspace overlap: powers, projections, traces."""

from typing import Any

import numpy as np

from .. import conditions
from ..tolerance import Law
from .blocks import basis, center, padded, rank
from .cca import refuse_few_rows
from .routes import NotDefined, Route, Routes, quotient
from .shape import nuclear_norm, rotated, unit


def phi(m: Any, x: np.ndarray) -> np.ndarray:
    """X f(X'X), by eigenvectors of X'X that are not 0."""
    rows = center(x)
    unit(x)
    values, vectors = np.linalg.eigh(rows.T @ rows)
    r = rank(rows)
    values, vectors = values[-r:], vectors[:, -r:]
    if m.variant == "power":
        factors = values ** (-(1 - m.alpha) / 2)
    else:
        factors = m.alpha + (1 - m.alpha) * values**-0.5
    return rows @ (vectors * factors) @ vectors.T


def phi_by_rows(m: Any, x: np.ndarray) -> np.ndarray:
    """The same by singular values: U f(S) V'."""
    unit(x)
    u, s, vt = np.linalg.svd(center(x), full_matrices=False)
    r = rank(center(x))
    u, s, vt = u[:, :r], s[:r], vt[:r]
    if m.variant == "power":
        weights = s**m.alpha
    else:
        weights = m.alpha * s + (1 - m.alpha)
    return (u * weights) @ vt


def angle(m: Any, x: np.ndarray, y: np.ndarray, *, second: bool) -> float:
    if m.alpha == 0:
        refuse_few_rows(x, y)
    a, b = ((phi_by_rows if second else phi)(m, v) for v in (x, y))
    if second:
        a, b = padded(a, b)
        total = float(np.sum(rotated(a, b) * b))
    else:
        total = nuclear_norm(a.T @ b)
    cosine = quotient(total, np.sqrt(np.sum(a**2) * np.sum(b**2)))
    return float(np.arccos(min(cosine, 1.0)))


def angle_condition(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    """A root of an eigenvalue has the error of the eigenvalue over twice the root."""
    a, b = (phi_by_rows(m, v) for v in (x, y))
    s = np.linalg.svd(a.T @ b, compute_uv=False)
    s = s[s > len(x) * np.finfo(float).eps * s[0]]
    shift = conditions.offset(m, x, y)
    spread = conditions.subspace(m, x, y) / shift
    return shift * spread ** (2 - 2 * m.alpha) * float(s[0] / s[-1])


def gulp_by_covariances(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    """tr (A^l A)^2 + tr (B^l B)^2 - 2 tr A^l C B^l C'."""
    a, b = gulp_sides(m, x, y)
    n = len(x)
    c_aa, c_bb, c_ab = a.T @ a / n, b.T @ b / n, a.T @ b / n
    if m.ridge:
        inverse_a, inverse_b = (
            np.linalg.inv(c + m.ridge * np.eye(len(c))) for c in (c_aa, c_bb)
        )
    else:
        inverse_a, inverse_b = (np.linalg.pinv(c, hermitian=True) for c in (c_aa, c_bb))
    squared = np.trace(inverse_a @ c_aa @ inverse_a @ c_aa)
    squared += np.trace(inverse_b @ c_bb @ inverse_b @ c_bb)
    squared -= 2 * np.trace(inverse_a @ c_ab @ inverse_b @ c_ab.T)
    return gulp_in_form(m, float(squared))


def gulp_by_predictions(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    """The squared distance of the two matrices that map targets to predictions."""
    maps = []
    for v in gulp_sides(m, x, y):
        if m.ridge:
            system = v.T @ v + len(v) * m.ridge * np.eye(v.shape[1])
            maps.append(v @ np.linalg.solve(system, v.T))
        else:
            maps.append(basis(v) @ basis(v).T)
    return gulp_in_form(m, float(np.sum((maps[0] - maps[1]) ** 2)))


def gulp_sides(m: Any, x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    sides = [unit(v) * np.sqrt(len(v)) for v in (x, y)]
    if m.ridge == 0 and max(map(rank, sides)) >= len(x) - 1:
        raise NotDefined("probes fit every target")
    return sides


def gulp_in_form(m: Any, squared: float) -> float:
    return float(np.sqrt(max(squared, 0.0))) if m.form == "distance" else squared


def gulp_condition(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    if m.ridge == 0:
        return conditions.squared_subspace(m, x, y)
    return conditions.offset(m, x, y) * (1 + 1 / m.ridge)


def overlap(m: Any, x: np.ndarray, y: np.ndarray, *, second: bool) -> float:
    a, b = (center(v) if m.center else v for v in (x, y))
    ranks = [rank(v) for v in (a, b)]
    if min(ranks) == 0 or max(ranks) >= len(x) - m.center:
        raise NotDefined("a column space is 0, or everything")
    if second:
        from scipy.linalg import subspace_angles

        total = np.sum(np.cos(subspace_angles(basis(a), basis(b))) ** 2)
    else:
        total = np.trace(a @ np.linalg.pinv(a) @ b @ np.linalg.pinv(b))
    return quotient(total, max(ranks))


def overlap_condition(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    found = conditions.subspace if m.center else conditions.raw_subspace
    return found(m, x, y)


def _route(function: Any, *, second: bool) -> Any:
    return lambda m, x, y: function(m, x, y, second=second)


ROUTES = {
    "shape_metric": Routes(
        Law(angle_condition, lambda m: "angle"),
        (
            Route("powers of X'X", _route(angle, second=False)),
            Route(
                "scipy orthogonal_procrustes",
                _route(angle, second=True),
                "scipy",
            ),
        ),
    ),
    "gulp": Routes(
        Law(
            gulp_condition,
            lambda m: "root" if m.form == "distance" else "plain",
            lambda m, x, y: float(rank(center(x)) + rank(center(y))),
        ),
        (
            Route("traces of covariances", gulp_by_covariances),
            Route("maps from targets to predictions", gulp_by_predictions),
        ),
    ),
    "eigenspace_overlap": Routes(
        Law(overlap_condition),
        (
            Route("trace of two projections", _route(overlap, second=False)),
            Route("scipy subspace_angles", _route(overlap, second=True), "scipy"),
        ),
    ),
}
