"""Relations of rows to other rows: CKNNA, second-order cosines, retrieval, matching."""

from typing import Any

import numpy as np

from measures.kernel_alignment.naive_hsic import naive_hsic_1

from .. import conditions
from ..tolerance import Law
from .blocks import center, rounded
from .neighbor_lists import lists, queries, refuse, unit_rows
from .routes import NotDefined, Route, Routes, quotient

DIGITS = 2.0**36  # scores are compared at 36 binary digits


def by_inner(m: Any, k: np.ndarray) -> np.ndarray:
    """The mask of the k largest kernel values of each row, without itself."""
    n = len(k)
    found = np.zeros((n, n), dtype=bool)
    for i in range(n):
        others = [j for j in range(n) if j != i]
        found[i, sorted(others, key=lambda j: -float(rounded(k[i, j])))[: m.k]] = True
    return found


def cknna(m: Any, x: np.ndarray, y: np.ndarray, *, second: bool) -> float:
    refuse(m, x)
    refuse(m, y)
    raw = [v @ v.T for v in (x, y)]
    near = [by_inner(m, g) for g in raw]
    if m.variant == "paper":
        raw = [g - g.mean(axis=1, keepdims=True) for g in raw]

    def term(i: int, j: int) -> float:
        both = near[i] & near[j]
        if m.variant == "platonic":
            a, b = raw[i] * both, raw[j] * both
            return naive_hsic_1(a, b) if not second else hsic_by_sums(a, b)
        if second:
            return float(np.sum((raw[i] * both) * (raw[j] * both)))
        rows = range(len(x))
        return sum(
            raw[i][a, b] * raw[j][a, b] for a in rows for b in rows if both[a, b]
        )

    own = term(0, 0), term(1, 1)
    if min(own) <= 0:
        raise NotDefined("a self-alignment is not positive")
    return quotient(term(0, 1), np.sqrt(own[0] * own[1]))


def hsic_by_sums(k: np.ndarray, l: np.ndarray) -> float:  # noqa: E741
    """HSIC_1 from sums of rows and columns; masked kernels have a zero diagonal."""
    n = len(k)
    total = np.einsum("ij,ji->", k, l) + k.sum() * l.sum() / ((n - 1) * (n - 2))
    return float(total - 2 * (k.sum(axis=0) @ l.sum(axis=1)) / (n - 2)) / (n * (n - 3))


def cknna_condition(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    """Raw products lose digits to offsets: their size over the size of what counts."""
    found = 1.0
    for v in (x, y):
        g = v @ v.T
        left = g - g.mean(axis=1, keepdims=True) if m.variant == "paper" else g
        kept = (left * by_inner(m, g)).ravel()
        found = max(found, float(np.linalg.norm(g) / np.linalg.norm(kept)))
    return found


def neighbors_cosine(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    a, b = (lists(m, v, second=False) for v in (x, y))
    u, v = (unit_rows(side) for side in (x, y))
    values = []
    for i in range(len(x)):
        union = sorted(set(a[i][: m.k]) | set(b[i][: m.k]))
        s, t = ([float(side[i] @ side[j]) for j in union] for side in (u, v))
        size = np.sqrt(sum(p * p for p in s)) * np.sqrt(sum(p * p for p in t))
        values.append(quotient(sum(p * q for p, q in zip(s, t, strict=True)), size))
    return float(np.mean(values))


def neighbors_cosine_by_masks(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    from sklearn.metrics.pairwise import cosine_similarity

    n = len(x)
    union = np.zeros((n, n))
    for side in (lists(m, v, second=True) for v in (x, y)):
        for i, row in enumerate(side):
            union[i, row[: m.k]] = 1
    s, t = (cosine_similarity(v) * union for v in (x, y))
    size = np.linalg.norm(s, axis=1) * np.linalg.norm(t, axis=1)
    return float(np.mean(np.sum(s * t, axis=1) / size))


def related(m: Any, x: np.ndarray) -> np.ndarray:
    """Cosines, or squared distances, of all pairs; 0 of a row with itself."""
    refuse(m, x)
    if m.metric == "cosine":
        rows = unit_rows(x)
        if np.abs(center(rows)).max() <= 4 * np.finfo(float).eps:
            raise NotDefined("all rows have one direction")
        found = rows @ rows.T
    else:
        found = np.array([[np.sum((a - b) ** 2) for b in x] for a in x])
    np.fill_diagonal(found, 0.0)
    return found


def agreements(m: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Cosines of profiles i and j without the entries i and j, pair by pair."""
    s, t, n = related(m, x), related(m, y), len(x)
    found = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            keep = [l for l in range(n) if l not in (i, j)]  # noqa: E741
            a, b = s[i, keep], t[j, keep]
            size = np.linalg.norm(a) * np.linalg.norm(b)
            found[i, j] = a @ b / size if size else 0.0
    return np.round(found * DIGITS)


def agreements_at_once(m: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    s, t = related(m, x), related(m, y)
    squares = np.sum(s**2, axis=1)[:, None] - s**2, np.sum(t**2, axis=1)[None] - t**2
    return np.round(s @ t.T / np.sqrt(squares[0] * squares[1]) * DIGITS)


def reciprocal_rank(scores: Any, *, second: bool) -> Any:
    def score(m: Any, x: np.ndarray, y: np.ndarray) -> float:
        found, values = scores(m, x, y), []
        for i in queries(m, len(x)):
            if second:
                place = int(np.argsort(-found[i], kind="stable").tolist().index(i)) + 1
            else:
                row = found[i]
                ahead = [
                    v > row[i] or (v == row[i] and j < i) for j, v in enumerate(row)
                ]
                place = 1 + sum(ahead)
            values.append(1 / place if place <= m.k else 0.0)
        return float(np.mean(values))

    return score


def matched(scores: Any, *, second: bool) -> Any:
    """The smallest and largest share of correct rows over all best matchings."""

    def score(m: Any, x: np.ndarray, y: np.ndarray) -> list[float]:
        found, n = scores(m, x, y), len(x)
        shares = []
        for sign in (-1, 1):  # a preference below all differences of whole scores
            wanted = found * (n + 1) + sign * np.eye(n)
            shares.append(float(np.mean(best(wanted, second=second) == np.arange(n))))
        return shares

    return score


def best(gains: np.ndarray, *, second: bool) -> np.ndarray:
    from scipy.optimize import linear_sum_assignment

    if second:
        return hungarian((gains.max() - gains).astype(np.int64))
    return linear_sum_assignment(gains, maximize=True)[1]


def hungarian(costs: np.ndarray) -> np.ndarray:
    """The method of Kuhn with potentials, in whole numbers: the column of each row."""
    n, far = len(costs), np.iinfo(np.int64).max // 4
    u, v = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    row_of, before = np.zeros(n + 1, int), np.zeros(n + 1, int)
    for i in range(1, n + 1):
        row_of[0], column = i, 0
        least, used = np.full(n + 1, far), np.zeros(n + 1, dtype=bool)
        while row_of[column]:
            used[column] = True
            reduced = costs[row_of[column] - 1] - u[row_of[column]] - v[1:]
            closer = ~used[1:] & (reduced < least[1:])
            least[1:][closer], before[1:][closer] = reduced[closer], column
            column = int(np.argmin(np.where(used, far, least)))
            step = least[column]
            u[row_of[used]] += step
            v[used] -= step
            least[~used] -= step
        while column:
            row_of[column], column = row_of[before[column]], before[column]
    return np.argsort(row_of[1:])


ROUTES = {
    "cknna": Routes(
        Law(cknna_condition),
        (
            Route("entry by entry", lambda m, x, y: cknna(m, x, y, second=False)),
            Route("masked matrices", lambda m, x, y: cknna(m, x, y, second=True)),
        ),
    ),
    "second_order_cosine": Routes(
        Law(conditions.one),
        (
            Route("lists", neighbors_cosine),
            Route("scikit-learn, masks", neighbors_cosine_by_masks, "sklearn"),
        ),
    ),
    "retrieval_mrr": Routes(
        Law(conditions.one),
        (
            Route("pair by pair", reciprocal_rank(agreements, second=False)),
            Route("matrices, sorted", reciprocal_rank(agreements_at_once, second=True)),
        ),
    ),
    "matching_accuracy": Routes(
        Law(conditions.one),
        (
            Route(
                "pair by pair, scipy linear_sum_assignment",
                matched(agreements, second=False),
                "scipy",
            ),
            Route(
                "matrices, Hungarian method in whole numbers",
                matched(agreements_at_once, second=True),
            ),
        ),
    ),
}
