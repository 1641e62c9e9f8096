"""The share of search results that another search keeps, and its interval."""

from dataclasses import dataclass

import numpy as np

from ...stats import groups, sample_interval

_POPULATION = 10**12  # queries to come; those at hand are a sample of them


@dataclass(frozen=True)
class Share:
    """A mean over the queries, with its 95 % interval for all queries to come.

    `corpus` is the number of rows that were searched.
    """

    value: float
    low: float
    high: float
    corpus: int

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def share(
    scores: np.ndarray, blocks: np.ndarray, corpus: int, *, lowest: float = 0.0
) -> Share:
    """The mean of scores from `lowest` to 1, and its interval over draws of blocks.

    Blocks are merged into groups of similar sizes, as many as blocks of one size with
    the same error. The values of the groups are those of the linearized ratio of both
    sums, so their variance is that of the mean.
    """
    n, mean = len(scores), float(np.mean(scores))
    sizes = np.unique(blocks, return_counts=True)[1]
    parts = groups(n, 0, blocks, max(2, int(n**2 / np.sum(sizes**2))))
    sums = np.array([np.sum(scores[part] - mean) for part in parts])
    values = mean + sums * len(parts) / n
    interval = sample_interval(values, _POPULATION, (lowest, 1.0))
    return Share(mean, interval.low, interval.high, corpus)


def recall(truth: np.ndarray, found: np.ndarray) -> np.ndarray:
    """For each query, the share of the true results that were found."""
    both = np.sort(np.concatenate([truth, found], axis=1), axis=1)
    return np.count_nonzero(both[:, 1:] == both[:, :-1], axis=1) / truth.shape[1]
