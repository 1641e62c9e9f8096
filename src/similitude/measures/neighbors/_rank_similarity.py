"""Ranks of shared neighbors."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._array import Array, scalar
from ._base import NeighborMeasure, NeighborMetric, Neighbors, chance_of_shared, matches

__all__ = ["RankSimilarity", "rank_similarity"]


@dataclass(frozen=True, kw_only=True)
class RankSimilarity(NeighborMeasure):
    """Agreement on ranks of shared neighbors; see `similitude.rank_similarity`."""

    name = "rank_similarity"
    refs = ("wang2022understanding", "klabunde2025similarity")
    chance = "below k / (n - 1)"

    def compare(self, p: Neighbors, q: Neighbors) -> Array:
        weights, total, common = self._weights(), np.zeros(p.n), np.zeros(p.n, int)
        for r, same in matches(p, q):
            total += same @ weights[r]
            common += np.count_nonzero(same, axis=1)
        return scalar(np.mean(total / self._largest()[common]), p.like)

    def _weights(self) -> np.ndarray:
        """What a shared neighbor adds that is r-th in one list and s-th in another."""
        r = np.arange(1.0, self.k + 1)
        return 2.0 / ((1.0 + np.abs(r[:, None] - r)) * (r[:, None] + r))

    def _largest(self) -> np.ndarray:
        """The most that 0, 1, ..., k shared neighbors can add; of none, 1."""
        harmonic = np.cumsum(1.0 / np.arange(1.0, self.k + 1))
        return np.concatenate([[1.0], harmonic])

    def details(self, p: Neighbors, q: Neighbors) -> dict[str, Any]:
        """The mean over random lists: every pair of ranks is equally likely."""
        common = np.arange(self.k + 1) / self._largest()
        chance = chance_of_shared(p.n, self.k) @ common * np.mean(self._weights())
        return {"chance": float(chance)}


def rank_similarity(
    x: Any, y: Any, /, *, k: int = 10, metric: NeighborMetric = "cosine"
) -> Array:
    r"""Do shared neighbors have the same rank in both neighborhoods?

    .. math::

        \frac{1}{n} \sum_{i=1}^n \frac{1}{H(|S_i|)} \sum_{j \in S_i}
        \frac{2}{(1 + |r^x_{ij} - r^y_{ij}|)\,(r^x_{ij} + r^y_{ij})},
        \qquad H(m) = \sum_{l=1}^m \frac{1}{l}

    where

    - :math:`S_i` are the rows among the k nearest of row i in both x and y; a row that
      has none adds 0;
    - :math:`r^x_{ij}` is the place of j among the neighbors of i in x, from 1 on;
      equally near rows are in the order of their indices.

    Parameters
    ----------
    x, y
        n x d1 and n x d2, rows the same n stimuli; arrays of one library.
    k
        Number of neighbors, at most n - 1.
    metric
        ``"cosine"`` or ``"euclidean"``.

    Returns
    -------
    0-d array of the caller's library
        In [0, 1]. What random lists score on average is in `details`.

    Notes
    -----
    Invariant to rotations, reflections and a factor for each row of either side;
    with metric="euclidean" to rotations, reflections, isotropic scaling, translation.
    Near neighbors count more than far ones.

    Not to be confused with: a rank correlation of the distances, as in `rsa`; it does
    not know how many neighbors are shared, which is what `mutual_knn` counts.

    Raises
    ------
    Undefined
        For k > n - 1, constant rows, and zero rows under the cosine.

    References
    ----------
    wang2022understanding, klabunde2025similarity

    Examples
    --------
    On a line the two neighbors of the point 0 change places and those of the others
    do not: 2 * 2/(2 * 3) / (1 + 1/2) = 4/9 for the first row, 1 for the others.

    >>> x, y = [[0.0], [1.0], [-1.5]], [[0.0], [1.0], [-0.9]]
    >>> round(float(rank_similarity(x, y, k=2, metric="euclidean")), 4)
    0.8148
    """
    return RankSimilarity(k=k, metric=metric)(x, y)
