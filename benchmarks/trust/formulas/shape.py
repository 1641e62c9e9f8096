"""Procrustes distances: nuclear norms by singular values, rotations by scipy."""

from typing import Any

import numpy as np

from .. import conditions
from ..tolerance import Law
from .blocks import center, padded, rank
from .routes import NotDefined, Route, Routes, quotient


def unit(x: np.ndarray) -> np.ndarray:
    if np.all(x == x[0]):
        raise NotDefined("all rows are equal")
    return center(x) / np.sqrt(np.sum(center(x) ** 2))


def nuclear_norm(a: np.ndarray) -> float:
    return float(np.sum(np.linalg.svd(a, compute_uv=False)))


def rotated(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x after the best rotation to y, of the same width, by scipy."""
    from scipy.linalg import orthogonal_procrustes

    return x @ orthogonal_procrustes(x, y)[0]


def in_form(m: Any, nuc: float) -> float:
    nuc = min(nuc, 1.0)
    if m.form == "similarity":
        return nuc
    if m.form == "squared":
        return 2 - 2 * nuc
    if m.form == "euclidean":
        return float(np.sqrt(2 - 2 * nuc))
    return float(np.arccos(nuc))


def held_out(m: Any, x: np.ndarray, y: np.ndarray, *, second: bool) -> float:
    """The cosine of rotated rows and rows of y over all folds."""
    a, b = unit(x), unit(y)
    dot = xx = yy = 0.0
    for fold in range(m.folds):
        test = np.arange(len(a)) % m.folds == fold
        means = a[~test].mean(axis=0), b[~test].mean(axis=0)
        product = (a[~test] - means[0]).T @ (b[~test] - means[1])
        rotation = partial_rotation(product, second=second)
        left, right = (a[test] - means[0]) @ rotation, b[test] - means[1]
        dot += float(np.sum(left * right))
        xx += float(np.sum((a[test] - means[0]) ** 2))
        yy += float(np.sum(right**2))
    return quotient(dot, np.sqrt(xx * yy))


def partial_rotation(product: np.ndarray, *, second: bool) -> np.ndarray:
    """The polar factor on the directions whose singular values are not 0."""
    if not second:
        u, s, vt = np.linalg.svd(product, full_matrices=False)
        keep = s > max(product.shape) * np.finfo(float).eps * s[0]
        return u[:, keep] @ vt[keep]
    values, vectors = np.linalg.eigh(product.T @ product)  # M (M'M)^-1/2
    keep = np.sqrt(np.clip(values, 0, None)) > 1e-7 * np.sqrt(values[-1])
    chosen = vectors[:, keep]
    return product @ (chosen / np.sqrt(values[keep])) @ chosen.T


def procrustes(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    if m.cross_validated:
        return in_form(m, held_out(m, x, y, second=False))
    return in_form(m, nuclear_norm(unit(x).T @ unit(y)))


def procrustes_by_scipy(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    """The disparity of scipy is 1 - nuc^2."""
    from scipy.spatial import procrustes as scipy_procrustes

    if m.cross_validated:
        return in_form(m, held_out(m, x, y, second=True))
    unit(x), unit(y)
    disparity = scipy_procrustes(*padded(x, y))[2]
    return in_form(m, float(np.sqrt(1 - disparity)))


def procrustes_form(m: Any) -> Any:
    return {"angular": "angle", "euclidean": "root"}.get(m.form, "plain")


def procrustes_condition(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    if not m.cross_validated:
        return conditions.offset(m, x, y)
    found = 1.0
    for fold in range(m.folds):
        train = np.arange(len(x)) % m.folds != fold
        found = max(found, conditions.rotation(m, x[train], y[train]))
    return found


def size_and_shape(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    unit(x), unit(y)
    a, b = center(x), center(y)
    squares = np.sum(a**2) + np.sum(b**2)
    return float(np.sqrt(max(squares - 2 * nuclear_norm(a.T @ b), 0.0)))


def size_and_shape_by_scipy(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    unit(x), unit(y)
    a, b = padded(center(x), center(y))
    return float(np.linalg.norm(rotated(a, b) - b))


def aligned_cosine(m: Any, x: np.ndarray, y: np.ndarray, *, second: bool) -> float:
    if m.center:
        unit(x), unit(y)
    a, b = (center(v) if m.center else v for v in (x, y))
    if rank(a.T @ b) == min(a.shape[1], b.shape[1]) and second:
        turned = rotated(*padded(a, b))[:, : b.shape[1]]
        a_turned = turned
    else:
        a_turned = a @ partial_rotation(a.T @ b, second=second)
    values = []
    for row, moved, other in zip(a, a_turned, b, strict=True):
        size = np.linalg.norm(row) * np.linalg.norm(other)
        values.append(quotient(moved @ other, size))
    return float(np.mean(values))


def cosine_condition(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    if m.center:
        shortest = min(
            np.linalg.norm(center(v), axis=1).min() / np.linalg.norm(center(v))
            for v in (x, y)
        )
        return conditions.rotation(m, x, y) / shortest
    return conditions.raw_rotation(m, x, y)


ROUTES = {
    "procrustes": Routes(
        Law(procrustes_condition, procrustes_form),
        (
            Route("nuclear norm by singular values", procrustes),
            Route(
                "scipy procrustes; held out: eigenvectors of M'M",
                procrustes_by_scipy,
                "scipy",
            ),
        ),
    ),
    "size_and_shape": Routes(
        Law(conditions.offset, lambda m: "root", conditions.centered_norms),
        (
            Route("nuclear norm by singular values", size_and_shape),
            Route("scipy orthogonal_procrustes", size_and_shape_by_scipy, "scipy"),
        ),
    ),
    "aligned_cosine": Routes(
        Law(cosine_condition),
        (
            Route(
                "polar factor by singular vectors, row by row",
                lambda m, x, y: aligned_cosine(m, x, y, second=False),
            ),
            Route(
                "scipy orthogonal_procrustes; not unique: eigenvectors of M'M",
                lambda m, x, y: aligned_cosine(m, x, y, second=True),
                "scipy",
            ),
        ),
    ),
}
