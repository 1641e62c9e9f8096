"""Dissimilarity matrices: pair by pair, scipy, and rsatoolbox."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import conditions
from ..tolerance import Law
from .blocks import center, double_centered, rounded
from .routes import NotDefined, Route, Routes, quotient


def dissimilarity(inner: str, a: np.ndarray, b: np.ndarray) -> float:
    """By differences of directions: the distance of equal rows is exactly 0."""
    if inner == "correlation":
        a, b = a - a.mean(), b - b.mean()
    if inner in {"correlation", "cosine"}:
        sizes = [np.sqrt(np.sum(v * v)) for v in (a, b)]
        if min(sizes) == 0:
            raise NotDefined("a row has no direction")
        return float(np.sum((a / sizes[0] - b / sizes[1]) ** 2)) / 2
    squared = float(np.sum((a - b) ** 2))
    return squared if inner == "sqeuclidean" else float(np.sqrt(squared))


def by_pairs(inner: str, x: np.ndarray) -> np.ndarray:
    n = len(x)
    rows = x if inner in {"correlation", "cosine"} else center(x)
    return np.array(
        [
            dissimilarity(inner, rows[i], rows[j])
            for i in range(n)
            for j in range(i + 1, n)
        ]
    )


def by_scipy(inner: str, x: np.ndarray) -> np.ndarray:
    from scipy.spatial.distance import pdist

    if inner in {"euclidean", "sqeuclidean"}:
        return pdist(center(x), inner)
    rows = x - x.mean(axis=1, keepdims=True) if inner == "correlation" else x
    sizes = np.linalg.norm(rows, axis=1, keepdims=True)
    if sizes.min() == 0:
        raise NotDefined("a row has no direction")
    return pdist(rows / sizes, "sqeuclidean") / 2


def ranks(values: np.ndarray) -> np.ndarray:
    """Mean ranks, by counting smaller and equal values."""
    below = np.array([np.sum(values < v) for v in values])
    equal = np.array([np.sum(values == v) for v in values])
    return below + (equal + 1) / 2


def pearson(a: np.ndarray, b: np.ndarray) -> float:
    return cosine(a - a.mean(), b - b.mean())


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return quotient(a @ b, np.sqrt(a @ a) * np.sqrt(b @ b))


def kendall(a: np.ndarray, b: np.ndarray, *, ties: bool) -> float:
    """Concordant minus discordant pairs of pairs; tau-b leaves ties out below."""
    s, t = (np.sign(v[:, None] - v[None, :]) for v in (a, b))
    if ties:
        return quotient(np.sum(s * t), np.sqrt(np.sum(s * s) * np.sum(t * t)))
    refuse_equal(a, b)
    return quotient(np.sum(s * t), len(a) * (len(a) - 1))


def refuse_equal(*vectors: np.ndarray) -> None:
    if any(np.all(v == v[0]) for v in vectors):
        raise NotDefined("all rows are equally dissimilar")


@functools.cache
def inverse_of_shared(n: int) -> np.ndarray:
    """V^-1, with V = (CC')^2 entry by entry."""
    c = contrasts(n)
    return np.linalg.inv((c @ c.T) ** 2)


def contrasts(n: int) -> np.ndarray:
    """The matrix C of e_i - e_j, one row per pair."""
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    found = np.zeros((len(pairs), n))
    for row, (i, j) in enumerate(pairs):
        found[row, i], found[row, j] = 1, -1
    return found


def whitened(a: np.ndarray, b: np.ndarray, n: int) -> float:
    """d'V^-1 e over the lengths."""
    inverse = inverse_of_shared(n)
    return quotient(a @ inverse @ b, np.sqrt((a @ inverse @ a) * (b @ inverse @ b)))


def outer(m: Any, a: np.ndarray, b: np.ndarray, n: int) -> float:
    if m.outer == "whitened_cosine":
        return whitened(a, b, n)
    if m.outer in {"pearson", "cosine"}:
        refuse_equal(a, b)
        return (pearson if m.outer == "pearson" else cosine)(a, b)
    a, b = rounded(a), rounded(b)
    if m.outer == "spearman":
        return pearson(ranks(a), ranks(b))
    return kendall(a, b, ties=m.outer == "kendall_b")


def outer_by_scipy(m: Any, a: np.ndarray, b: np.ndarray, n: int) -> float:
    """By scipy; tau-a from tau-b and its ties; whitened: the cosine of two Grams."""
    import scipy.stats

    refuse_equal(a, b)
    if m.outer == "whitened_cosine":
        grams = (double_centered(scipy.spatial.distance.squareform(v)) for v in (a, b))
        return cosine(*(g.ravel() for g in grams))
    if m.outer == "cosine":
        return float(1 - scipy.spatial.distance.cosine(a, b))
    if m.outer == "pearson":
        return float(scipy.stats.pearsonr(a, b).statistic)
    a, b = rounded(a), rounded(b)
    if m.outer == "spearman":
        return float(scipy.stats.spearmanr(a, b).statistic)
    tau, pairs = float(scipy.stats.kendalltau(a, b).statistic), len(a) * (len(a) - 1)
    if m.outer == "kendall_b":
        return tau
    untied = [
        pairs - sum(c * (c - 1) for c in np.unique(v, return_counts=True)[1])
        for v in (a, b)
    ]
    return tau * float(np.sqrt(untied[0] * untied[1])) / pairs


METHODS = {
    "spearman": "spearman",
    "pearson": "corr",
    "cosine": "cosine",
    "kendall_a": "tau-a",
    "kendall_b": "kendall",
    "whitened_cosine": "cosine_cov",
}


def outer_by_rsatoolbox(m: Any, a: np.ndarray, b: np.ndarray, n: int) -> float:
    from rsatoolbox.rdm import RDMs, compare

    refuse_equal(a, b)
    if m.outer in {"spearman", "kendall_a", "kendall_b"}:
        a, b = rounded(a), rounded(b)
    found = compare(RDMs(a[None]), RDMs(b[None]), method=METHODS[m.outer])
    return float(found[0, 0])


def rsa(vector: Callable[..., np.ndarray], compared: Callable[..., float]) -> Any:
    def score(m: Any, x: np.ndarray, y: np.ndarray) -> float:
        for v in (x, y):
            if np.all(v == v[0]):
                raise NotDefined("all rows are equally dissimilar")
        return compared(m, vector(m.inner, x), vector(m.inner, y), len(x))

    return score


def condition(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    """Ranks are exact. Otherwise centering: of rows or of means, and of pairs."""
    if m.outer in {"spearman", "kendall_a", "kendall_b"}:
        return 1.0
    found = conditions.offset(m, x, y)
    if m.inner == "correlation":
        found = max(found, conditions.offset(m, x.T, y.T))
    if m.outer == "cosine":
        return found
    spread = 1.0
    for v in (x, y):
        d = by_scipy(m.inner, v)
        spread = max(spread, float(np.linalg.norm(d) / np.linalg.norm(d - d.mean())))
    return found * spread**2 * (len(x) if m.outer == "whitened_cosine" else 1)


def norm(vector: Callable[..., np.ndarray]) -> Any:
    def score(m: Any, x: np.ndarray, y: np.ndarray) -> float:
        for v in (x, y):
            if m.inner == "euclidean" and np.all(v == v[0]):
                raise NotDefined("all rows are equal")
        gaps = vector(m.inner, x) - vector(m.inner, y)
        return float(np.sqrt(2 * np.sum(gaps**2)))

    return score


def norm_size(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    return max(float(np.linalg.norm(by_scipy(m.inner, v))) for v in (x, y))


ROUTES = {
    "rsa": Routes(
        Law(condition),
        (
            Route("pair by pair", rsa(by_pairs, outer)),
            Route("scipy pdist and stats", rsa(by_scipy, outer_by_scipy), "scipy"),
            Route("rsatoolbox", rsa(by_scipy, outer_by_rsatoolbox), "rsatoolbox"),
        ),
    ),
    "rsm_norm_difference": Routes(
        Law(conditions.offset, size=norm_size),
        (
            Route("pair by pair", norm(by_pairs)),
            Route("scipy pdist", norm(by_scipy), "scipy"),
        ),
    ),
}
