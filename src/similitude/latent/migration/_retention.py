"""Search results, the share of them that another search keeps, and its interval."""

from dataclasses import dataclass

import numpy as np

from ... import _linalg
from ...stats import sample_interval

_PART = 4096  # rows that are compared with the queries at a time
_POPULATION = 10**12  # queries to come; those at hand are a sample of them


@dataclass(frozen=True)
class Share:
    """A mean over the queries, with its 95 % interval for all queries to come."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def share(scores: np.ndarray) -> Share:
    interval = sample_interval(scores, _POPULATION, (0.0, 1.0))
    return Share(float(np.mean(scores)), interval.low, interval.high)


def parts_of(rows: np.ndarray) -> _linalg.Parts:
    return lambda: (rows[i:j] for i, j in _linalg.spans(len(rows), _PART))


def nearest(
    parts: _linalg.Parts, queries: np.ndarray, left_out: np.ndarray, k: int
) -> np.ndarray:
    """The k rows with the largest cosines, without the query itself (-1: not a row)."""
    return _linalg.nearest_of_queries(parts, left_out, k, "cosine", queries)[0]


def recall(truth: np.ndarray, found: np.ndarray) -> np.ndarray:
    """For each query, the share of the true results that were found."""
    both = np.sort(np.concatenate([truth, found], axis=1), axis=1)
    return np.count_nonzero(both[:, 1:] == both[:, :-1], axis=1) / truth.shape[1]
