"""Overlap of the nearest neighbors of each stimulus."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._base._array import Array, Score, scalar
from ..._base._seed import Rng
from ...errors import Undefined
from .._claims import Alias, Claims, KnownScore
from .._coverage import Coverage
from ._base import NeighborMetric, Neighbors, SampledNeighborMeasure, shared

__all__ = ["MutualKNN", "mutual_knn"]


@dataclass(frozen=True)
class NeighborCoverage(Coverage):
    """Coverage of the overlap of neighbors."""

    def without_each(self, p: Any, q: Any) -> np.ndarray:
        return overlaps_without_each(p, q)


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


def overlaps_without_each(p: Neighbors, q: Neighbors) -> np.ndarray:
    """n scores, each without one stimulus.

    If a stimulus is left out, its own overlap is missing. In the lists that contain it,
    the neighbor k + 1 takes its place.
    """
    if p.following is None or q.following is None:
        raise Undefined("an interval needs at least k + 2 rows; use more stimuli.")
    (n, k), overlap = p.indices.shape, shared(p, q)
    in_q, in_p = _contained(p, q), _contained(q, p)
    # The changes of the overlap of a row, if x or y gets its neighbor k + 1.
    more_x = 1 * _in_list(p.following, q.indices)
    more_y = 1 * _in_list(q.following, p.indices)
    more_both = more_x + more_y + (p.following == q.following)
    change = np.zeros(n)
    from_x = np.where(in_q, (more_both - 1)[:, None], more_x[:, None])
    from_y = np.where(in_p, 0, more_y[:, None])  # in both lists: counted in from_x
    for lists, changes in ((p.indices, from_x), (q.indices, from_y)):
        change += np.bincount(lists.ravel(), changes.ravel(), minlength=n)
    return (np.sum(overlap) - overlap + change) / ((n - 1) * k)


def _contained(p: Neighbors, q: Neighbors) -> np.ndarray:
    """Where the neighbors in p are also in the lists of q: an n x k mask."""
    columns = [_in_list(column, q.indices) for column in p.indices.T]
    return np.stack(columns, axis=1)


def _in_list(indices: np.ndarray, lists: np.ndarray) -> np.ndarray:
    """Whether each index is in the list of its row."""
    return np.any(indices[:, None] == lists, axis=1)


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
