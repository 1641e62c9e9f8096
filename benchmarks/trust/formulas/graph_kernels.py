"""Kernels of graphs of all rows: pair by pair, and by masks and powers."""

from typing import Any

import numpy as np

from .blocks import distances
from .neighbor_lists import ranked, ranked_by_scipy
from .routes import NotDefined


def neighbor_graph(chosen: Any, x: np.ndarray, *, second: bool) -> np.ndarray:
    """1 on the diagonal, else the share of the two lists that have the other row."""
    n = len(x)
    if chosen.k > n - 2:
        raise NotDefined("all entries are 1, or there are no k neighbors")
    lists = (ranked_by_scipy if second else ranked)("euclidean", x)
    if second:
        graph = np.zeros((n, n))
        np.put_along_axis(graph, np.array(lists)[:, : chosen.k], 1.0, axis=1)
        return np.eye(n) + (graph + graph.T) / 2
    near = [set(row[: chosen.k]) for row in lists]
    found = np.eye(n)
    for i in range(n):
        for j in range(n):
            if i != j:
                found[i, j] = ((i in near[j]) + (j in near[i])) / 2
    return found


def diffusion(chosen: Any, x: np.ndarray, *, second: bool) -> np.ndarray:
    """D P^t: step by step, or D^1/2 (D^-1/2 K D^-1/2)^t D^1/2 by squaring."""
    apart = distances(x)
    middle = float(np.median(apart[np.triu_indices(len(x), k=1)]))
    sigma = chosen.sigma if chosen.sigma is not None else chosen.fraction * middle
    if sigma == 0:
        raise NotDefined("the median distance is 0")
    kernel = np.exp(-(apart**2) / (2 * sigma**2))
    degrees = kernel.sum(axis=1)
    if second:
        root = np.sqrt(np.outer(degrees, degrees))
        return np.linalg.matrix_power(kernel / root, chosen.t) * root
    found = np.diag(degrees)
    for _ in range(chosen.t):
        found = found @ (kernel / degrees[:, None])
    return found


def graph(chosen: Any, x: np.ndarray, *, second: bool) -> np.ndarray:
    made = neighbor_graph if chosen.name == "knn" else diffusion
    return made(chosen, x, second=second)
