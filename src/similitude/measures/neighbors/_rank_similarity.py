"""Ranks of shared neighbors."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._base._array import Score
from ..._base._seed import Rng
from ._base import (
    NeighborMetric,
    Neighbors,
    SampledNeighborMeasure,
    chance_of_shared,
    matches,
    ties,
)

__all__ = ["RankSimilarity", "rank_similarity"]


@dataclass(frozen=True, kw_only=True)
class RankSimilarity(SampledNeighborMeasure):
    """Agreement on ranks of shared neighbors; see `similitude.rank_similarity`."""

    name = "rank_similarity"
    refs = ("wang2022understanding", "klabunde2025similarity")
    chance = "below k / (n - 1)"

    def per_stimulus(self, p: Neighbors, q: Neighbors) -> np.ndarray:
        weights, count = self._weights(), len(p.indices)
        total, common = np.zeros(count), np.zeros(count, int)
        for r, same in matches(p, q):
            total += same @ weights[r]
            common += np.count_nonzero(same, axis=1)
        return total / self._largest()[common]

    def _weights(self) -> np.ndarray:
        """Weight of a shared neighbor with rank r in one list and s in the other."""
        r = np.arange(1.0, self.k + 1)
        return 2.0 / ((1.0 + np.abs(r[:, None] - r)) * (r[:, None] + r))

    def _largest(self) -> np.ndarray:
        """Largest sum of 0, 1, ..., k shared neighbors; 1 for 0, as a divisor."""
        harmonic = np.cumsum(1.0 / np.arange(1.0, self.k + 1))
        return np.concatenate([[1.0], harmonic])

    def details(self, p: Neighbors, q: Neighbors) -> dict[str, Any]:
        """The mean over random lists: all pairs of ranks are equally likely."""
        common = np.arange(self.k + 1) / self._largest()
        chance = chance_of_shared(p.n, self.k) @ common * np.mean(self._weights())
        return {"chance": float(chance)} | ties(p, q)


def rank_similarity(
    x: Any,
    y: Any,
    /,
    *,
    k: int = 10,
    metric: NeighborMetric = "cosine",
    query_rows: int | None = None,
    rng: Rng | None = None,
) -> Score:
    r"""Agreement of the ranks of shared neighbors in both neighborhoods.

    .. math::

        \frac{1}{n} \sum_{i=1}^n \frac{1}{H(|S_i|)} \sum_{j \in S_i}
        \frac{2}{(1 + |r^x_{ij} - r^y_{ij}|)\,(r^x_{ij} + r^y_{ij})},
        \qquad H(m) = \sum_{l=1}^m \frac{1}{l}

    where

    - :math:`S_i` are the rows among the k nearest of row i in both x and y. If
      :math:`S_i` is empty, row i adds 0.
    - :math:`r^x_{ij}` is the rank of j among the neighbors of i in x, starting at 1.
      Ties are in the order of their indices.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library. Row i of both is the same stimulus.
    k
        Number of neighbors, at most n - 1.
    metric
        ``"cosine"`` or ``"euclidean"``.
    query_rows
        If given, only this many rows, drawn at random, are compared with all rows. The
        score is then an unbiased estimate of the score of all rows.
    rng
        Integer, numpy Generator or SeedSequence; required if rows are drawn.

    Returns
    -------
    0-d array of the caller's library
        In [0, 1]. `details` has the mean score of random lists.

    Notes
    -----
    Invariant to rotations, reflections and a factor for each row of either side.
    With metric="euclidean", invariant to rotations, reflections, isotropic scaling and
    translation. Near neighbors count more than far neighbors. The score of a row is
    normalized, so it does not measure how many neighbors are shared.

    Not to be confused with: a rank correlation of the distances, as in `rsa`;
    `mutual_knn`, which counts shared neighbors.

    Raises
    ------
    Undefined
        If k > n - 1 or all rows are equal. With the cosine, also if a row is zero or
        all rows have one direction.

    References
    ----------
    wang2022understanding, klabunde2025similarity

    Examples
    --------
    Three points on a line, with k=2. Between x and y the two neighbors of the point 0
    swap ranks, and the lists of the other points stay the same. The first row adds
    2 * 2/(2 * 3) / (1 + 1/2) = 4/9, and the other rows add 1 each.

    >>> x, y = [[0.0], [1.0], [-1.5]], [[0.0], [1.0], [-0.9]]
    >>> round(float(rank_similarity(x, y, k=2, metric="euclidean")), 4)
    0.8148
    """
    measure = RankSimilarity(k=k, metric=metric, query_rows=query_rows)
    return measure(x, y, rng)
