"""Scores of singular inputs by their definitions, in extended precision.

Here are the measures and maps that divide by singular values, or count them. A function
returns None if its definition excludes the input.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from similitude import Measure
from similitude.advice import describe
from similitude.latent.align import fit_affine, fit_cca, fit_linear
from similitude.representation import Representation

from .extended_precision import (
    Wide,
    basis,
    centered,
    least_squares,
    solve,
    svd,
)

Score = float | None


def has_formula(measure: Measure) -> bool:
    """Whether `exact` knows this variant."""
    if measure.options.get("variant") == "as_published":  # adds an epsilon
        return False
    held_out = measure.options.get("cross_validated") and measure.name == "procrustes"
    return measure.name in FORMULAS and not held_out


def exact(measure: Measure, x: np.ndarray, y: np.ndarray) -> Score:
    """The score of these rows, as if their digits were exact."""
    found = FORMULAS[measure.name](measure, x, y)
    return None if found is None else float(found)


def _correlations(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, int, int]:
    a, b = basis(x), basis(y)
    return svd(a.T @ b)[1], a.shape[1], b.shape[1]


def _ridge_root(x: np.ndarray, penalty: Any) -> np.ndarray:
    """Z with ZZ' = X (X'X + penalty I)^-1 X'."""
    u, s, _ = svd(x)
    return u * (s / np.sqrt(s**2 + penalty))


def mean_cca(m: Any, x: np.ndarray, y: np.ndarray) -> Score:
    a, b = centered(x), centered(y)
    rho, r1, r2 = _correlations(a, b)
    if m.shrinkage:
        penalties = [m.shrinkage * np.sum(v**2) / v.shape[1] for v in (a, b)]
        z, w = (_ridge_root(v, p) for v, p in zip((a, b), penalties, strict=True))
        rho = svd(z.T @ w)[1]
    elif r1 + r2 > len(x) - 1:
        return None
    power = 2 if m.form == "squared" else 1
    return np.sum(rho**power) / min(r1, r2)


def pwcca(m: Any, x: np.ndarray, y: np.ndarray) -> Score:
    one = _pwcca(x, y)
    if m.variant == "asymmetric" or one is None:
        return one
    return (one + _pwcca(y, x)) / 2


def _pwcca(x: np.ndarray, y: np.ndarray) -> Any:
    """Correlations that are tied, also at 0, share the mean weight of their space."""
    a, p, q = centered(x), basis(centered(x)), basis(centered(y))
    if p.shape[1] + q.shape[1] > len(x) - 1:
        return None
    turn, rho, _ = svd(p.T @ q)
    rest = basis(np.column_stack([turn, np.eye(p.shape[1])]))[:, len(rho) :]
    projected = a.T @ p @ np.column_stack([turn, rest])
    count = min(p.shape[1], q.shape[1])
    values = np.zeros(count, Wide)
    values[: len(rho)] = rho
    weighted = total = Wide(0)
    start = 0
    while start < count:
        stop = start + 1
        while stop < count and values[start] - values[stop] <= 1e-8:
            stop += 1
        to = projected.shape[1] if stop == count and values[start] <= 1e-8 else stop
        k, size = stop - start, to - start
        mean = math.gamma(size / 2) / math.sqrt(math.pi) / math.gamma((size + 1) / 2)
        lengths = np.sqrt(np.sum(projected[:, start:to] ** 2, axis=1))
        weight = k * mean * np.sum(lengths)
        weighted, total = weighted + weight * values[start], total + weight
        start = stop
    return weighted / total


def svcca(m: Any, x: np.ndarray, y: np.ndarray) -> Score:
    kept = []
    for v in (x, y):
        u, s, _ = svd(centered(v))
        sums = np.cumsum(s ** (2 if m.by == "variance" else 1))
        kept.append(u[:, : int(np.searchsorted(sums, m.threshold * sums[-1])) + 1])
    return np.sum(svd(kept[0].T @ kept[1])[1]) / min(k.shape[1] for k in kept)


def eigenspace_overlap(m: Any, x: np.ndarray, y: np.ndarray) -> Score:
    a, b = (centered(v) if m.center else np.asarray(v, Wide) for v in (x, y))
    p, q = basis(a), basis(b)
    largest = max(p.shape[1], q.shape[1])
    if largest >= len(x) - m.center:
        return None
    return np.sum((p.T @ q) ** 2) / largest


def gulp(m: Any, x: np.ndarray, y: np.ndarray) -> Score:
    roots = []
    for v in map(centered, (x, y)):
        z = _ridge_root(v, m.ridge * np.sum(v**2)) if m.ridge else basis(v)
        if not m.ridge and z.shape[1] >= len(x) - 1:
            return None
        roots.append(z)
    z, w = roots
    own, other, both = (np.sum(v**2) for v in (z.T @ z, w.T @ w, z.T @ w))
    square = max(own + other - 2 * both, Wide(0))
    return square if m.form == "squared" else np.sqrt(square)


def linear_regression(m: Any, x: np.ndarray, y: np.ndarray) -> Score:
    if not m.cross_validated and not m.ridge:
        if basis(centered(x)).shape[1] >= len(x) - 1:
            return None
    wrong = whole = Wide(0)
    for train, test in _folds(m, len(x)):
        (a, c), (b, d) = (
            (centered(v[train]), v[test] - np.mean(v[train].astype(Wide), axis=0))
            for v in (x, y)
        )
        if m.ridge:
            eye = m.ridge * np.eye(a.shape[1], dtype=Wide)
            fit = solve(a.T @ a + eye, a.T @ b)
        else:
            fit = least_squares(a, b)
        wrong, whole = wrong + np.sum((d - c @ fit) ** 2), whole + np.sum(d**2)
    return 1 - wrong / whole


def _folds(m: Any, n: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    if not m.cross_validated:
        yield np.ones(n, bool), np.ones(n, bool)
        return
    for k in range(m.folds):
        yield np.arange(n) % m.folds != k, np.arange(n) % m.folds == k


def shape_metric(m: Any, x: np.ndarray, y: np.ndarray) -> Score:
    sides = []
    for v in (x, y):
        u, s, _ = svd(centered(v))
        weights = s**m.alpha if m.variant == "power" else m.alpha * s + 1 - m.alpha
        sides.append(u * (weights / np.sqrt(np.sum(weights**2))))
    if m.alpha == 0 and sum(v.shape[1] for v in sides) > len(x) - 1:
        return None
    return _angle(np.sum(svd(sides[0].T @ sides[1])[1]))


def procrustes(m: Any, x: np.ndarray, y: np.ndarray) -> Score:
    a, b = (centered(v) for v in (x, y))
    a, b = (v / np.sqrt(np.sum(v**2)) for v in (a, b))
    cosine = np.sum(svd(a.T @ b)[1])
    if m.form == "similarity":
        return cosine
    if m.form == "angular":
        return _angle(cosine)
    return 2 - 2 * cosine if m.form == "squared" else np.sqrt(2 - 2 * cosine)


def _angle(cosine: Any) -> Any:
    return np.arccos(min(cosine, Wide(1)))


FORMULAS = {
    f.__name__: f
    for f in (
        mean_cca,
        pwcca,
        svcca,
        eigenspace_overlap,
        gulp,
        linear_regression,
        shape_metric,
        procrustes,
    )
}


def _size(fit: Any) -> Any:
    """The norm of a fitted matrix: far too large if a map divides by rounding."""
    return lambda x, y: np.linalg.norm(fit(x, y).matrix)


def _rank(x: np.ndarray, y: np.ndarray) -> float:
    del y
    return describe(Representation("x", x)).rank


OTHERS = {
    "rank of describe": _rank,
    "fit_linear": _size(fit_linear),
    "fit_affine": _size(fit_affine),
    "fit_cca": _size(lambda x, y: fit_cca(x, y, weights="correlation")),
}


def exact_other(label: str, x: np.ndarray, y: np.ndarray) -> Score:
    """The norm of the exact matrix of a map, or the exact rank."""
    if label == "rank of describe":
        return basis(centered(x)).shape[1]
    moved = label in ("fit_affine", "fit_cca")
    a, b = (centered(v) if moved else np.asarray(v, Wide) for v in (x, y))
    if label == "fit_cca":
        if max(basis(v).shape[1] for v in (a, b)) >= len(x) - 1:
            return None
    elif len(x) - moved < x.shape[1]:
        return None
    found = least_squares(a, b)
    return float(np.sqrt(np.sum(found**2)))
