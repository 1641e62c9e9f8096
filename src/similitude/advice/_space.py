"""Descriptors of one space: how many directions it uses, and how evenly."""

import numpy as np


def effective_rank(values: np.ndarray) -> float:
    """The exponential of the entropy of the singular values (RankMe), not centered.

    It is 1 if all rows are multiples of one row, and at most min(n, d).
    """
    wide = np.asarray(values, dtype=np.float64)
    gram = wide.T @ wide if wide.shape[1] <= wide.shape[0] else wide @ wide.T
    spectrum = np.sqrt(np.clip(np.linalg.eigvalsh(gram), 0.0, None))
    total = spectrum.sum()
    if not 0 < total < np.inf:
        return 0.0
    shares = spectrum[spectrum > 0] / total
    return float(np.exp(-np.sum(shares * np.log(shares))))


def dead_units(values: np.ndarray) -> int:
    """The number of columns that do not vary."""
    return int(np.sum((values == values[:1]).all(axis=0)))
