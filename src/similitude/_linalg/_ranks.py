"""Ranks of values. `scipy.stats` has them too, but takes half a second to import."""

import numpy as np


def ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1 on; equal values have the mean of their ranks."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]


def rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's correlation; each side needs two different values."""
    a, b = (r - r.mean() for r in (ranks(a), ranks(b)))
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))
