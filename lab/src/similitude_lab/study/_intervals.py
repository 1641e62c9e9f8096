"""Means over repetitions with confidence intervals, and correlations."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy

CONFIDENCE = 0.95
Row = Mapping[str, Any]


class MeanInterval(NamedTuple):
    """A mean and its t interval; the limits are NaN for a single repetition."""

    mean: float
    low: float
    high: float
    n: int

    def named(self, name: str) -> dict[str, float]:
        """The mean and the limits as values: NAME, NAME_low and NAME_high."""
        return {name: self.mean, f"{name}_low": self.low, f"{name}_high": self.high}

    @property
    def limits(self) -> dict[str, float]:
        """The mean and the limits as columns of a table."""
        return {"mean": self.mean, "low": self.low, "high": self.high}

    def row(self, digits: int) -> dict[str, float]:
        """The four numbers as columns of a table."""
        return {name: round(v, digits) for name, v in self._asdict().items()}


def mean_interval(values: Any) -> MeanInterval:
    """The mean of independent repetitions and its t interval of 95 %."""
    values = np.asarray(values, dtype=np.float64)
    n = len(values)
    mean = float(values.mean()) if n else math.nan
    if n < 2:
        return MeanInterval(mean, math.nan, math.nan, n)
    error = float(values.std(ddof=1)) / math.sqrt(n)
    half = error * float(scipy.stats.t.ppf((1 + CONFIDENCE) / 2, n - 1))
    return MeanInterval(mean, mean - half, mean + half, n)


def paired_interval(first: Any, second: Any) -> MeanInterval:
    """The mean of ``first - second``, whose entries are pairs."""
    return mean_interval(np.asarray(first, float) - np.asarray(second, float))


def correlation(kind: str, x: np.ndarray, y: np.ndarray) -> float:
    """Pearson's or Spearman's correlation; NaN if it is not defined."""
    if np.ptp(x) == 0 or np.ptp(y) == 0 or not np.isfinite([x, y]).all():
        return float("nan")
    compute = scipy.stats.pearsonr if kind == "pearson" else scipy.stats.spearmanr
    return float(compute(x, y).statistic)


def limit_values(rows: Iterable[Row], name: Callable[[Row], str]) -> dict[str, float]:
    """Values ``mean_NAME``, ``low_NAME`` and ``high_NAME`` of rows with an interval."""
    limits = ("mean", "low", "high")
    return {f"{limit}_{name(row)}": row[limit] for row in rows for limit in limits}
