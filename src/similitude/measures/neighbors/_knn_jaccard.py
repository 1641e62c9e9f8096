"""Jaccard similarity of neighborhoods."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._base._array import Score
from ..._base._seed import Rng
from .._claims import Alias
from ._base import (
    NeighborMetric,
    Neighbors,
    SampledNeighborMeasure,
    chance_of_shared,
    shared,
    ties,
)

__all__ = ["KNNJaccard", "knn_jaccard"]


@dataclass(frozen=True, kw_only=True)
class KNNJaccard(SampledNeighborMeasure):
    """Jaccard similarity of neighborhoods; see `similitude.knn_jaccard`."""

    name = "knn_jaccard"
    refs = ("schumacher2021effects", "klabunde2025similarity")
    aliases = (Alias("jaccard"),)
    chance = "just above p / (2 - p) with p = k / (n - 1)"

    def per_stimulus(self, p: Neighbors, q: Neighbors) -> np.ndarray:
        common = shared(p, q)
        return common / (2 * self.k - common)

    def details(self, p: Neighbors, q: Neighbors) -> dict[str, Any]:
        """The usual approximation of chance, and the exact mean over random lists."""
        k, share, common = self.k, self.k / (p.n - 1), np.arange(self.k + 1)
        exact = chance_of_shared(p.n, k) @ (common / (2 * k - common))
        chance = {"chance": share / (2 - share), "chance_exact": float(exact)}
        return chance | ties(p, q)


def knn_jaccard(
    x: Any,
    y: Any,
    /,
    *,
    k: int = 10,
    metric: NeighborMetric = "cosine",
    query_rows: int | None = None,
    rng: Rng | None = None,
) -> Score:
    r"""Mean Jaccard similarity of the neighborhoods of each row.

    .. math::

        \frac{1}{n} \sum_{i=1}^n
        \frac{|N^x_k(i) \cap N^y_k(i)|}{|N^x_k(i) \cup N^y_k(i)|}

    where

    - :math:`N^x_k(i)` are the k other rows of x nearest to row i. Ties go to the
      smaller index.

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
        In [0, 1]; unrelated representations score about p / (2 - p), p = k / (n - 1).

    Notes
    -----
    Invariant to rotations, reflections and a factor for each row of either side.
    With metric="euclidean", invariant to rotations, reflections, isotropic scaling and
    translation. `details` has the mean over random lists. It is a little above
    p / (2 - p), because the ratio is convex in the number of shared neighbors.

    Not to be confused with: `mutual_knn`, which divides by k.

    Raises
    ------
    Undefined
        If k > n - 1 or all rows are equal. With the cosine, also if a row is zero or
        all rows have one direction.

    References
    ----------
    schumacher2021effects, klabunde2025similarity

    Examples
    --------
    Four points on a line, with k=2; in y the last point is farther away. The neighbors
    of the third point change from {second, fourth} to {first, second}, with Jaccard
    similarity 1/3. The neighbors of the other points stay the same.

    >>> x, y = [[0.0], [1.0], [3.0], [4.0]], [[0.0], [1.0], [3.0], [9.0]]
    >>> round(float(knn_jaccard(x, y, k=2, metric="euclidean")), 4)
    0.8333
    """
    measure = KNNJaccard(k=k, metric=metric, query_rows=query_rows)
    return measure(x, y, rng)
