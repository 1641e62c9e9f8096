"""The remaining kernel alignments: batches, populations of units, rows, maxima."""

from typing import Any

import numpy as np

from measures.kernel_alignment.naive_hsic import naive_hsic_1

from .. import conditions
from ..tolerance import Law
from .blocks import center, double_centered, u_centered, unit_columns
from .kernel_alignment import (
    cosine_by_hsic,
    cosine_of_centered,
    is_unbiased,
    refuse_equal_rows,
)
from .routes import NotDefined, Route, Routes, quotient


def linear_gram(x: np.ndarray) -> np.ndarray:
    refuse_equal_rows(x)
    return center(x) @ center(x).T


def linear_condition(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    grams = (center(v) @ center(v).T for v in (x, y))
    return conditions.offset(m, x, y) * conditions.alignment(m, *grams)


def population(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    """Means of HSIC_1 over pairs of columns, pair by pair."""
    for v in (x, y):
        refuse_unrelated(v)
    columns = [[np.outer(c, c) for c in center(v).T] for v in (x, y)]
    across = np.mean([naive_hsic_1(a, b) for a in columns[0] for b in columns[1]])
    own = []
    for side in columns:
        pairs = [
            (a, b) for i, a in enumerate(side) for j, b in enumerate(side) if i != j
        ]
        own.append(np.mean([naive_hsic_1(a, b) for a, b in pairs]))
    return quotient(across, np.sqrt(own[0] * own[1]))


def population_by_grams(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    """The same from whole Grams: all pairs minus the pairs (a, a)."""
    for v in (x, y):
        refuse_unrelated(v)
    k, l = (u_centered(linear_gram(v)) for v in (x, y))  # noqa: E741
    own = []
    for v, g in ((x, k), (y, l)):
        alone = sum(np.sum(u_centered(np.outer(c, c)) ** 2) for c in center(v).T)
        d = v.shape[1]
        own.append((np.sum(g * g) - alone) / (d * (d - 1)))
    d_x, d_y = x.shape[1], y.shape[1]
    return quotient(np.sum(k * l) / (d_x * d_y), np.sqrt(own[0] * own[1]))


def refuse_unrelated(x: np.ndarray) -> None:
    """The definition excludes columns within four deviations of independence."""
    refuse_equal_rows(x)
    n, squares = len(x), []
    for c in center(x).T:
        squares.append(np.sum(u_centered(np.outer(c, c)) ** 2))
    total = np.sum(u_centered(linear_gram(x)) ** 2) - np.sum(squares)
    products = np.sum(squares) ** 2 - np.sum(np.square(squares))
    if not total > 4 * np.sqrt(4 * products / (n * (n - 3))) > 0:
        raise NotDefined("columns are not related")


def batches(m: Any, n: int) -> list[slice]:
    """Consecutive rows; a rest of fewer than 4 joins the batch before it."""
    starts = list(range(0, n, m.batch))
    if len(starts) > 1 and n - starts[-1] < 4:
        starts = starts[:-1]
    return [slice(a, b) for a, b in zip(starts, [*starts[1:], n], strict=True)]


def by_batches(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    sums = np.zeros(3)
    for v in (x, y):
        refuse_equal_rows(v)
    for rows in batches(m, len(x)):
        k, l = (center(v[rows]) @ center(v[rows]).T for v in (x, y))  # noqa: E741
        sums += [naive_hsic_1(k, l), naive_hsic_1(k, k), naive_hsic_1(l, l)]
    return quotient(sums[0], np.sqrt(sums[1] * sums[2]))


def by_centered_batches(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    """Cosine of the two vectors of all U-centered Grams, weighted by 1 / n(n - 3)."""
    sides: list[list[np.ndarray]] = [[], []]
    for side, v in zip(sides, (x, y), strict=True):
        refuse_equal_rows(v)
        for rows in batches(m, len(v)):
            n = rows.stop - rows.start
            gram = u_centered(v[rows] @ v[rows].T) if np.abs(v).max() < 1e3 else None
            if gram is None:  # the product of large offsets would cancel
                gram = u_centered(center(v[rows]) @ center(v[rows]).T)
            side.append(gram.ravel() / np.sqrt(n * (n - 3)))
    a, b = (np.concatenate(side) for side in sides)
    return quotient(a @ b, np.linalg.norm(a) * np.linalg.norm(b))


def profiles(m: Any, x: np.ndarray) -> np.ndarray:
    gram = linear_gram(x)
    return u_centered(gram) if is_unbiased(m) else double_centered(gram)


def pnka(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    """The cosine of row i of one Gram with row i of the other, row by row."""
    values = []
    for a, b in zip(profiles(m, x), profiles(m, y), strict=True):
        values.append(quotient(a @ b, np.linalg.norm(a) * np.linalg.norm(b)))
    return float(np.mean(values))


def pnka_by_package(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    from sklearn.metrics.pairwise import cosine_similarity

    return float(np.mean(np.diag(cosine_similarity(profiles(m, x), profiles(m, y)))))


def profile_condition(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    """The shortest profile has the largest relative error."""
    found = 1.0
    for v in (x, y):
        lengths = np.linalg.norm(profiles(m, v), axis=1)
        found = max(found, np.linalg.norm(linear_gram(v)) / lengths.min())
    return conditions.offset(m, x, y) * found


def maximum_gram(x: np.ndarray) -> np.ndarray:
    """max_k x_ik x_jk of the standardized columns, pair by pair."""
    refuse_equal_rows(x)
    rows = unit_columns(x)
    return np.array([[max(a * b) for b in rows] for a in rows])


def maximum_gram_at_once(x: np.ndarray) -> np.ndarray:
    from sklearn.preprocessing import StandardScaler

    refuse_equal_rows(x)
    spread = center(x)[:, np.ptp(x, axis=0) > 0]
    rows = StandardScaler().fit_transform(spread) / np.sqrt(len(x))
    return np.max(rows[:, None, :] * rows[None, :, :], axis=2)


def maximum_condition(m: Any, x: np.ndarray, y: np.ndarray) -> float:
    grams = (maximum_gram(v) for v in (x, y))
    return conditions.offset_of_columns(m, x, y) * conditions.alignment(m, *grams)


ROUTES = {
    "cka_feature_corrected": Routes(
        Law(linear_condition),
        (
            Route("HSIC of all pairs of columns", population),
            Route("whole Grams minus equal columns", population_by_grams),
        ),
    ),
    "minibatch_cka": Routes(
        Law(linear_condition),
        (
            Route("HSIC of each batch", by_batches),
            Route("cosine of all centered batches", by_centered_batches),
        ),
    ),
    "pnka": Routes(
        Law(profile_condition),
        (
            Route("row by row", pnka),
            Route("scikit-learn cosine_similarity", pnka_by_package, "sklearn"),
        ),
    ),
    "g_relu_cka": Routes(
        Law(maximum_condition),
        (
            Route(
                "HSIC term by term",
                lambda m, x, y: cosine_by_hsic(m, maximum_gram(x), maximum_gram(y)),
            ),
            Route(
                "scikit-learn StandardScaler, cosine of centered Grams",
                lambda m, x, y: cosine_of_centered(
                    m, maximum_gram_at_once(x), maximum_gram_at_once(y)
                ),
                "sklearn",
            ),
        ),
    ),
}
