"""Ranks of values. `scipy.stats` has them too, but takes half a second to import."""

import numpy as np


def ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1 on; equal values have the mean of their ranks."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]


def rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's correlation; each side needs two different values."""
    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])
