"""k-means clustering that returns the row nearest to each center."""

import numpy as np


def centers(
    rows: np.ndarray, start: np.ndarray, iterations: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the centers of clusters, by Lloyd from `start`, and the labels of rows."""
    found, k = start, len(start)
    labels = np.full(len(rows), -1)
    for _ in range(iterations):
        gaps = squared_gaps(rows, found)
        before, labels = labels, _without_empty(gaps, k)
        if (labels == before).all():
            break
        sums = np.zeros((k, rows.shape[1]))
        np.add.at(sums, labels, rows)
        found = sums / np.bincount(labels, minlength=k)[:, None]
    return found, labels


def medoids(rows: np.ndarray, start: np.ndarray, iterations: int) -> np.ndarray:
    """Return indices of distinct rows, one per cluster; `start` are first centers."""
    k = len(start)
    found, labels = centers(rows, start, iterations)
    gaps = squared_gaps(rows, found)[np.arange(len(rows)), labels]
    order = np.lexsort((np.arange(len(rows)), gaps, labels))
    first = np.searchsorted(labels[order], np.arange(k))
    return order[first]


def spread_out(
    rows: np.ndarray, k: int, rng: np.random.Generator, equal: float
) -> list[int]:
    """Choose rows by k-means++, with probability proportional to squared distance.

    Returns fewer than k indices if all rows are within `equal` of the drawn rows.
    """
    chosen = [int(rng.integers(len(rows)))]
    nearest = np.full(len(rows), np.inf)
    while len(chosen) < k:
        gap = ((rows - rows[chosen[-1]]) ** 2).sum(axis=1)
        nearest = np.minimum(nearest, np.where(gap > equal**2, gap, 0.0))
        if nearest.max() == 0:
            break
        chosen.append(int(rng.choice(len(rows), p=nearest / nearest.sum())))
    return chosen


def _without_empty(gaps: np.ndarray, k: int) -> np.ndarray:
    """Assign each row to its nearest center, and leave no cluster empty.

    An empty cluster takes the row that is farthest from its own center. A cluster
    with a single row keeps it.
    """
    labels = gaps.argmin(axis=1)
    sizes = np.bincount(labels, minlength=k)
    own = gaps[np.arange(len(gaps)), labels]
    for empty in np.flatnonzero(sizes == 0):
        row = np.where(sizes[labels] > 1, own, -1.0).argmax()
        sizes[labels[row]] -= 1
        labels[row], sizes[empty], own[row] = empty, 1, 0.0
    return labels


def squared_gaps(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compute ``|a_i - b_j|^2`` by one product, precise enough to rank distances."""
    gaps = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2.0 * a @ b.T
    return np.maximum(gaps, 0.0)
