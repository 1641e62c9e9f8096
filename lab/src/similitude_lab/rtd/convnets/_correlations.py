"""Correlations of curves, and their means over seeds."""

from collections.abc import Sequence

import numpy as np

from ...study import mean_interval

KINDS = ("pearson", "spearman")


def correlation(kind: str, x: np.ndarray, y: np.ndarray) -> float:
    """Pearson's or Spearman's correlation; NaN if a curve is constant."""
    from scipy import stats

    if np.ptp(x) == 0 or np.ptp(y) == 0 or not np.isfinite([x, y]).all():
        return float("nan")
    found = stats.pearsonr(x, y) if kind == "pearson" else stats.spearmanr(x, y)
    return float(found.statistic)


def over_seeds(values: Sequence[float]) -> dict[str, float]:
    """Mean and its 95 % interval, from one value per seed."""
    mean, low, high, n = mean_interval(values)
    return {"mean": mean, "low": low, "high": high, "seeds": n}
