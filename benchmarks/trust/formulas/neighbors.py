"""Measures of neighbor lists: by sets and loops, and by masks and other algorithms."""

import bisect
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import conditions
from ..tolerance import Law
from .neighbor_lists import lists, queries
from .routes import Route, Routes, quotient

Stimulus = Callable[[Any, list[int], list[int]], float]  # of two full ranked lists


def mean_over(stimulus: Stimulus, *, second: bool) -> Any:
    def score(m: Any, x: np.ndarray, y: np.ndarray) -> float:
        a, b = (lists(m, v, second=second) for v in (x, y))
        return float(np.mean([stimulus(m, a[i], b[i]) for i in queries(m, len(x))]))

    return score


def mask(m: Any, row: list[int]) -> np.ndarray:
    found = np.zeros(len(row) + 1, dtype=bool)
    found[row[: m.k]] = True
    return found


def shared(m: Any, a: list[int], b: list[int]) -> float:
    return len(set(a[: m.k]) & set(b[: m.k])) / m.k


def shared_by_masks(m: Any, a: list[int], b: list[int]) -> float:
    return float(np.sum(mask(m, a) & mask(m, b))) / m.k


def jaccard(m: Any, a: list[int], b: list[int]) -> float:
    first, other = set(a[: m.k]), set(b[: m.k])
    return len(first & other) / len(first | other)


def jaccard_by_package(m: Any, a: list[int], b: list[int]) -> float:
    from scipy.spatial.distance import jaccard as scipy_jaccard

    return float(1 - scipy_jaccard(mask(m, a), mask(m, b)))


def common_subsequence(m: Any, a: list[int], b: list[int]) -> float:
    """The table of the textbook: length for each pair of prefixes."""
    table = np.zeros((m.k + 1, m.k + 1), dtype=int)
    for i in range(m.k):
        for j in range(m.k):
            longer = max(table[i, j + 1], table[i + 1, j])
            table[i + 1, j + 1] = table[i, j] + 1 if a[i] == b[j] else longer
    return float(table[-1, -1]) / (m.k if m.variant == "paper" else 1)


def increasing_places(m: Any, a: list[int], b: list[int]) -> float:
    """Items are different, so it is the longest increasing sequence of places in b."""
    ends: list[int] = []
    for place in (b[: m.k].index(item) for item in a[: m.k] if item in b[: m.k]):
        at = bisect.bisect_left(ends, place)
        ends[at : at + 1] = [place]
    return len(ends) / (m.k if m.variant == "paper" else 1)


def rank_agreement(m: Any, a: list[int], b: list[int]) -> float:
    first, other = a[: m.k], b[: m.k]
    both = [j for j in first if j in other]
    total = 0.0
    for j in both:
        r, s = first.index(j) + 1, other.index(j) + 1
        total += 2 / ((1 + abs(r - s)) * (r + s))
    return total / sum(1 / l for l in range(1, len(both) + 1)) if both else 0.0  # noqa: E741


def rank_agreement_by_places(m: Any, a: list[int], b: list[int]) -> float:
    r, s = (np.argsort([*row[: m.k], *row[m.k :]]) + 1 for row in (a, b))
    near = (r <= m.k) & (s <= m.k)  # places by item, in the order of the items
    if not near.any():
        return 0.0
    values = 2 / ((1 + np.abs(r - s)) * (r + s))
    return float(values[near].sum() / np.sum(1 / np.arange(1, near.sum() + 1)))


def imbalance(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    a, b = (lists(m, v, second=False) for v in (x, y))
    places = [b[i].index(j) + 1 for i in range(len(x)) for j in a[i][: m.k]]
    return quotient(2 * np.mean(places) - m.k - 1, len(x) - m.k - 1)


def imbalance_by_ranks(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    n = len(x)
    a, b = (np.array(lists(m, v, second=True)) for v in (x, y))
    places = np.zeros((n, n))
    np.put_along_axis(places, b, np.arange(1.0, n)[None, :], axis=1)
    near = np.take_along_axis(places, a[:, : m.k], axis=1)
    return quotient(2 * near.mean() - m.k - 1, n - m.k - 1)


def cycle(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    a, b = (lists(m, v, second=False) for v in (x, y))
    hits = []
    for i in range(len(x)):
        if m.variant == "paper":
            hits.append(i in b[a[i][0]][: m.k])
        else:
            hits.append(any(i in a[j][: m.k] for j in b[i][: m.k]))
    return float(np.mean(hits))


def cycle_by_matrices(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    """Walks of two steps that return: the diagonal of a product of adjacencies."""
    n = len(x)
    a, b = np.zeros((n, n)), np.zeros((n, n))
    near_x, near_y = (lists(m, v, second=True) for v in (x, y))
    for i in range(n):
        a[i, near_x[i][: 1 if m.variant == "paper" else m.k]] = 1
        b[i, near_y[i][: m.k]] = 1
    walks = a @ b if m.variant == "paper" else b @ a
    return float(np.mean(np.diag(walks) > 0))


def _of(first: Stimulus, label: str, second: Stimulus, name: str) -> Routes:
    return Routes(
        Law(conditions.one),
        (
            Route(label, mean_over(first, second=False)),
            Route(name, mean_over(second, second=True), "scipy"),
        ),
    )


ROUTES = {
    "mutual_knn": _of(shared, "sets", shared_by_masks, "scipy cdist, masks"),
    "knn_jaccard": _of(jaccard, "sets", jaccard_by_package, "scipy jaccard"),
    "lcs_knn": _of(
        common_subsequence, "table", increasing_places, "scipy cdist, patience sorting"
    ),
    "rank_similarity": _of(
        rank_agreement, "lists", rank_agreement_by_places, "scipy cdist, places"
    ),
    "information_imbalance": Routes(
        Law(conditions.one),
        (
            Route("lists", imbalance),
            Route("scipy cdist, table of ranks", imbalance_by_ranks, "scipy"),
        ),
    ),
    "cycle_knn": Routes(
        Law(conditions.one),
        (
            Route("lists", cycle),
            Route("scipy cdist, products of adjacencies", cycle_by_matrices, "scipy"),
        ),
    ),
}
