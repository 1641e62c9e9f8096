"""Neighborhoods of all sizes, and the dimensions that two spaces share."""

import math
from typing import Any

import numpy as np

from .. import conditions
from ..tolerance import Law
from .blocks import center, distances
from .neighbor_lists import lists, refuse, unit_rows
from .routes import NotDefined, Route, Routes, quotient

TIE = 1e-9  # below this share of a distance, two distances are equal


def expected(n: int, k: int) -> float:
    """The mean Jaccard similarity of two random lists of k of n - 1 rows."""
    total = 0.0
    for s in range(k + 1):
        ways = math.comb(k, s) * math.comb(n - 1 - k, k - s)
        total += ways / math.comb(n - 1, k) * s / (2 * k - s)
    return total


def agreement(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    a, b = (lists(m, v, second=False) for v in (x, y))
    n, terms = len(x), []
    for k in range(1, n - 1):
        shares = []
        for p, q in zip(a, b, strict=True):
            first, other = set(p[:k]), set(q[:k])
            shares.append(len(first & other) / len(first | other))
        chance = expected(n, k)
        terms.append(quotient(np.mean(shares) - chance, 1 - chance))
    return float(np.mean(terms))


def agreement_by_places(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    """Row j is in both lists from k = the larger of its two places on."""
    from scipy.stats import hypergeom

    n = len(x)
    places = []
    for side in (lists(m, v, second=True) for v in (x, y)):
        place = np.zeros((n, n))
        np.put_along_axis(place, np.array(side), np.arange(1.0, n)[None, :], axis=1)
        places.append(place)
    later = np.maximum(*places) + n * np.eye(n)
    terms = []
    for k in range(1, n - 1):
        shared = np.sum(later <= k, axis=1)
        counts = np.arange(k + 1)
        law = hypergeom(n - 1, k, k).pmf(counts)
        chance = float(law @ (counts / (2 * k - counts)))
        terms.append((np.mean(shared / (2 * k - shared)) - chance) / (1 - chance))
    return float(np.mean(terms))


def cloud(m: Any, x: np.ndarray) -> np.ndarray:
    refuse(m, x)
    if m.metric == "cosine":
        return unit_rows(x)
    return center(x) / np.sqrt(np.mean(np.sum(center(x) ** 2, axis=1)))


def two_distances(rows: np.ndarray, *, second: bool) -> np.ndarray:
    """Distances to the two nearest rows, of rows for which they differ."""
    if second:
        from sklearn.neighbors import NearestNeighbors

        model = NearestNeighbors(n_neighbors=3, algorithm="brute").fit(center(rows))
        found = model.kneighbors(center(rows))[1]
        at = [[j for j in row if j != i][:2] for i, row in enumerate(found)]
        gaps = rows[:, None, :] - rows[np.array(at)]
        near = np.sort(np.sqrt(np.sum(gaps**2, axis=2)), axis=1)
    else:
        near = np.sort(distances(rows), axis=1)[:, 1:3]
    typical = np.median(near[:, 1])
    keep = (near[:, 0] > TIE * typical) & (near[:, 1] - near[:, 0] > TIE * near[:, 1])
    return near[keep]


def dimension(rows: np.ndarray, *, second: bool) -> float:
    """The slope through the origin over the lowest 90 % of ratios."""
    near = two_distances(rows, second=second)
    count = len(near)
    fitted = min(int(0.9 * count), count - 1)
    if fitted < 1:
        raise NotDefined("no row has two neighbors at different distances")
    ratios = np.sort(np.log(near[:, 1] / near[:, 0]))[:fitted]
    tail = np.array([-math.log(1 - i / count) for i in range(1, fitted + 1)])
    if second:
        return float(np.linalg.lstsq(ratios[:, None], tail, rcond=None)[0][0])
    return quotient(np.sum(tail * ratios), np.sum(ratios**2))


def shared_dimensions(m: Any, x: np.ndarray, y: np.ndarray, *, second: bool) -> float:
    a, b = cloud(m, x), cloud(m, y)
    joined = np.concatenate([a, b], axis=1)
    i, j, k = (dimension(rows, second=second) for rows in (a, b, joined))
    return quotient(i + j - k, max(i, j))


def dimension_condition(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    """Nearest distances lose digits to the size of rows; small logarithms again."""
    a, b = cloud(m, x), cloud(m, y)
    found = 1.0
    for rows in (a, b, np.concatenate([a, b], axis=1)):
        near = two_distances(rows, second=False)
        ratios = np.log(near[:, 1] / near[:, 0])
        size = np.linalg.norm(rows, axis=1).max() / near[:, 0].min()
        found = max(found, float(size / np.sqrt(np.mean(ratios**2))))
    return found * (1.0 if m.metric == "cosine" else conditions.offset(m, x, y))


ROUTES = {
    "neighbor_agreement": Routes(
        Law(conditions.one),
        (
            Route("sets at every size", agreement),
            Route("scipy cdist, hypergeom, places", agreement_by_places, "scipy"),
        ),
    ),
    "id_correlation": Routes(
        Law(dimension_condition),
        (
            Route(
                "sorted distances",
                lambda m, x, y: shared_dimensions(m, x, y, second=False),
            ),
            Route(
                "scikit-learn NearestNeighbors, least squares",
                lambda m, x, y: shared_dimensions(m, x, y, second=True),
                "sklearn",
            ),
        ),
    ),
}
