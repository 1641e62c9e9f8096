"""Naive matching of units: try all permutations."""

import itertools

import numpy as np


def normalized(x: np.ndarray, normalize: str) -> np.ndarray:
    x = x - x.mean(axis=0)
    if normalize == "frobenius":
        return x / np.linalg.norm(x)
    return x / np.linalg.norm(x, axis=0) if normalize == "columns" else x


def by_all_permutations(x: np.ndarray, y: np.ndarray) -> float:
    d = max(x.shape[1], y.shape[1])
    x, y = (np.pad(v, ((0, 0), (0, d - v.shape[1]))) for v in (x, y))
    orders = itertools.permutations(range(d))
    return min(np.linalg.norm(x - y[:, list(order)]) for order in orders)
