"""Pairs of a cloud and a noisy copy, and their normalized distances."""

import numpy as np
from scipy.spatial.distance import pdist, squareform


def clouds(seed: int, n: int = 40, d: int = 3) -> tuple[np.ndarray, np.ndarray]:
    x, noise = np.random.default_rng(seed).normal(size=(2, n, d))
    return x, x[:, :2] + 0.5 * noise[:, :2]


def in_units(x: np.ndarray) -> np.ndarray:
    pairs = pdist(x)
    return squareform(pairs / np.quantile(pairs, 0.9))
