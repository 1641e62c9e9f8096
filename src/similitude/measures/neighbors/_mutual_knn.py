"""Overlap of the nearest neighbors of each stimulus."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._array import Array, Score, scalar
from ..._seed import Rng
from .._claims import Alias, Claims, KnownScore
from ._base import NeighborMetric, Neighbors, SampledNeighborMeasure, shared
from ._without_one import NeighborCoverage

__all__ = ["MutualKNN", "mutual_knn"]

_COVERAGE = NeighborCoverage("neighbors", 30)


@dataclass(frozen=True, kw_only=True)
class MutualKNN(SampledNeighborMeasure):
    """Overlap of nearest neighbors; see `similitude.mutual_knn`."""

    name = "mutual_knn"
    refs = ("huh2024platonic",)
    chance = "k / (n - 1)"
    aliases = (Alias("mutual_nn"), Alias("mknn"), Alias("knn"), Alias("nn"))
    known = (
        KnownScore(
            [[0], [2], [5]], [[0], [2], [-1]], 1 / 3, {"k": 1, "metric": "euclidean"}
        ),
    )

    def claims(self) -> Claims:
        claims = super().claims()
        return claims if claims.sampled else replace(claims, interval=_COVERAGE)

    def compare(self, p: Neighbors, q: Neighbors) -> Array:
        # A count is exact, and the mean of the shares of stimuli is rounded.
        return scalar(np.sum(shared(p, q)) / p.indices.size, p.like)

    def per_stimulus(self, p: Neighbors, q: Neighbors) -> np.ndarray:
        return shared(p, q) / self.k


def mutual_knn(
    x: Any,
    y: Any,
    /,
    *,
    k: int = 10,
    metric: NeighborMetric = "cosine",
    query_rows: int | None = None,
    rng: Rng | None = None,
) -> Score:
    r"""Share of nearest neighbors that two representations have in common.

    .. math::

        \frac{1}{n} \sum_{i=1}^n \frac{|N^x_k(i) \cap N^y_k(i)|}{k}

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
        In [0, 1]; unrelated representations score k / (n - 1) on average.

    Notes
    -----
    Invariant to rotations, reflections and a factor for each row of either side.
    With metric="euclidean", invariant to rotations, reflections, isotropic scaling and
    translation. Distances are compared at 11 digits, so that equal distances tie.

    Not to be confused with: the Jaccard similarity of the neighborhoods, which divides
    by the size of the union; mutual neighbors in the sense of i in N(j) and j in N(i).

    Raises
    ------
    Undefined
        If k > n - 1 or all rows are equal. With the cosine, also if a row is zero or
        all rows have one direction.

    References
    ----------
    huh2024platonic

    Examples
    --------
    Three points on a line. When the last point moves next to the first, the middle
    point keeps its nearest neighbor and the other two change theirs.

    >>> before, after = [[0.0], [1.0], [2.5]], [[0.0], [1.0], [-0.5]]
    >>> round(float(mutual_knn(before, after, k=1, metric="euclidean")), 4)
    0.3333
    """
    measure = MutualKNN(k=k, metric=metric, query_rows=query_rows)
    return measure(x, y, rng)
