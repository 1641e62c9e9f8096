"""Correlations of curves, and their means over seeds."""

from collections.abc import Sequence

import numpy as np

KINDS = ("pearson", "spearman")


def correlation(kind: str, x: np.ndarray, y: np.ndarray) -> float:
    """Pearson's or Spearman's correlation; NaN if a curve is constant."""
    from scipy import stats

    if np.ptp(x) == 0 or np.ptp(y) == 0 or not np.isfinite([x, y]).all():
        return float("nan")
    found = stats.pearsonr(x, y) if kind == "pearson" else stats.spearmanr(x, y)
    return float(found.statistic)


def over_seeds(values: Sequence[float]) -> tuple[float, float, float]:
    """Mean, and the 95 % interval of the mean by Student's t, from one value per seed.

    With one seed the interval is unknown.
    """
    from scipy import stats

    mean = float(np.mean(values))
    if len(values) < 2:
        return mean, float("nan"), float("nan")
    error = float(np.std(values, ddof=1)) / np.sqrt(len(values))
    half = float(stats.t.ppf(0.975, len(values) - 1)) * error
    return mean, mean - half, mean + half
