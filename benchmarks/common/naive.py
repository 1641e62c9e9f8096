"""Naive implementations of measures, with n x n arrays, loops and scipy."""

from collections.abc import Callable

import numpy as np
import scipy


def centered(x: np.ndarray) -> np.ndarray:
    return x - x.mean(axis=0)


def unit(x: np.ndarray) -> np.ndarray:
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def hsic_1(k: np.ndarray, l: np.ndarray) -> float:  # noqa: E741
    k, l = k.copy(), l.copy()  # noqa: E741
    np.fill_diagonal(k, 0)
    np.fill_diagonal(l, 0)
    n = len(k)
    return (
        np.sum(k * l)
        + k.sum() * l.sum() / ((n - 1) * (n - 2))
        - 2 / (n - 2) * (k.sum(axis=0) @ l.sum(axis=0))
    )


def aligned(k: np.ndarray, l: np.ndarray) -> float:  # noqa: E741
    return hsic_1(k, l) / np.sqrt(hsic_1(k, k) * hsic_1(l, l))


def rbf(x: np.ndarray) -> np.ndarray:
    squares = np.sum(x**2, axis=1)
    d = np.maximum(squares[:, None] + squares - 2 * x @ x.T, 0)
    sigma = np.median(np.sqrt(d[np.triu_indices(len(x), k=1)]))
    return np.exp(-d / (2 * sigma**2))


def rbf_cka(x: np.ndarray, y: np.ndarray) -> float:
    return aligned(rbf(x), rbf(y))


def cca(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    a, b = (np.linalg.svd(centered(v), full_matrices=False)[0] for v in (x, y))
    return np.linalg.svd(a.T @ b, compute_uv=False)


def neighbor_lists(x: np.ndarray, k: int = 10) -> np.ndarray:
    cosines = unit(x) @ unit(x).T
    np.fill_diagonal(cosines, -np.inf)
    return np.argsort(-cosines, axis=1)[:, :k]


def neighbor_sets(x: np.ndarray, y: np.ndarray) -> list[tuple[set, set]]:
    pairs = zip(neighbor_lists(x), neighbor_lists(y), strict=True)
    return [(set(a.tolist()), set(b.tolist())) for a, b in pairs]


def mutual_knn(x: np.ndarray, y: np.ndarray) -> float:
    return np.mean([len(a & b) / 10 for a, b in neighbor_sets(x, y)])


def knn_jaccard(x: np.ndarray, y: np.ndarray) -> float:
    return np.mean([len(a & b) / len(a | b) for a, b in neighbor_sets(x, y)])


def lcs_knn(x: np.ndarray, y: np.ndarray) -> float:
    def lcs(a: list[int], b: list[int]) -> int:
        table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
        for i, u in enumerate(a):
            for j, v in enumerate(b):
                longer = max(table[i][j + 1], table[i + 1][j])
                table[i + 1][j + 1] = table[i][j] + 1 if u == v else longer
        return table[-1][-1]

    pairs = zip(neighbor_lists(x).tolist(), neighbor_lists(y).tolist(), strict=True)
    return np.mean([lcs(a, b) / 10 for a, b in pairs])


def rsa(x: np.ndarray, y: np.ndarray) -> float:
    a, b = (scipy.spatial.distance.pdist(v, "correlation") for v in (x, y))
    return scipy.stats.spearmanr(a, b).statistic


def rsm_norm_difference(x: np.ndarray, y: np.ndarray) -> float:
    a, b = (scipy.spatial.distance.cdist(v, v) for v in (x, y))
    return np.linalg.norm(a - b)


def uniformity_difference(x: np.ndarray, y: np.ndarray) -> float:
    a, b = (
        np.log(np.mean(np.exp(-2 * scipy.spatial.distance.pdist(unit(v)) ** 2)))
        for v in (x, y)
    )
    return abs(a - b)


def eigenspace_overlap(x: np.ndarray, y: np.ndarray) -> float:
    a, b = (np.linalg.svd(v, full_matrices=False)[0] for v in (x, y))
    return np.sum((a @ a.T) * (b @ b.T)) / max(a.shape[1], b.shape[1])


def gulp(x: np.ndarray, y: np.ndarray) -> float:
    n, smoothers = len(x), []
    for v in (centered(x), centered(y)):
        v = v * np.sqrt(n) / np.linalg.norm(v)
        inverse = np.linalg.inv(v.T @ v / n + 0.01 * np.eye(v.shape[1]))
        smoothers.append(v @ inverse @ v.T / n)
    return np.linalg.norm(smoothers[0] - smoothers[1])


def procrustes(x: np.ndarray, y: np.ndarray) -> float:
    a, b = (centered(v) / np.linalg.norm(centered(v)) for v in (x, y))
    return np.arccos(min(1.0, np.linalg.svd(a.T @ b, compute_uv=False).sum()))


def linear_regression(x: np.ndarray, y: np.ndarray) -> float:
    x, y = centered(x), centered(y)
    fit = np.linalg.lstsq(x, y, rcond=None)[0]
    return 1 - np.sum((y - x @ fit) ** 2) / np.sum(y**2)


def effective_dimension_difference(x: np.ndarray, y: np.ndarray) -> float:
    spectra = [np.linalg.svd(centered(v), compute_uv=False) ** 2 for v in (x, y)]
    a, b = (np.sum(s) ** 2 / np.sum(s**2) for s in spectra)
    return abs(a - b)


def magnitude_difference(x: np.ndarray, y: np.ndarray) -> float:
    a, b = (np.linalg.norm(v.mean(axis=0)) for v in (x, y))
    return abs(a - b)


def concentricity_difference(x: np.ndarray, y: np.ndarray) -> float:
    a, b = (np.mean(unit(v) @ unit(v.mean(axis=0)[None])[0]) for v in (x, y))
    return abs(a - b)


NAIVE: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "cka": lambda x, y: aligned(x @ x.T, y @ y.T),
    "mean_cca": lambda x, y: np.mean(cca(x, y)),
    "procrustes": procrustes,
    "linear_regression": linear_regression,
    "rsa": rsa,
    "rsm_norm_difference": rsm_norm_difference,
    "uniformity_difference": uniformity_difference,
    "mutual_knn": mutual_knn,
    "knn_jaccard": knn_jaccard,
    "lcs_knn": lcs_knn,
    "eigenspace_overlap": eigenspace_overlap,
    "gulp": gulp,
    "effective_dimension_difference": effective_dimension_difference,
    "magnitude_difference": magnitude_difference,
    "concentricity_difference": concentricity_difference,
}
