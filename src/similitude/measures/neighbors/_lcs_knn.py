"""Longest common subsequence of neighbor lists."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ..._base._array import Score
from ..._base._seed import Rng
from .._claims import Claims
from ._base import NeighborMetric, Neighbors, SampledNeighborMeasure, matches, ties

__all__ = ["LCSKNN", "lcs_knn"]


@dataclass(frozen=True, kw_only=True)
class LCSKNN(SampledNeighborMeasure):
    """Longest common subsequence of neighbor lists; see `similitude.lcs_knn`."""

    name = "lcs_knn"
    refs = ("huh2024platonic",)
    chance = "below k / (n - 1)"

    variant: Literal["paper", "platonic"] = "paper"

    def claims(self) -> Claims:
        claims = super().claims()
        if self.variant == "paper":
            return claims
        chance = "below k^2 / (n - 1)"
        return replace(claims, range=(0.0, float(self.k)), chance=chance)

    def per_stimulus(self, p: Neighbors, q: Neighbors) -> np.ndarray:
        # The dynamic programming table, row by row, for all stimuli at once.
        above = np.zeros((self.k + 1, len(p.indices)), dtype=np.int32)
        for _, same in matches(p, q):
            row = np.zeros_like(above)
            for s in range(self.k):
                longer = np.maximum(above[s + 1], row[s])
                row[s + 1] = np.where(same[:, s], above[s] + 1, longer)
            above = row
        unit = self.k if self.variant == "paper" else 1
        return above[-1] / unit

    def details(self, p: Neighbors, q: Neighbors) -> dict[str, Any]:
        largest = 1 if self.variant == "paper" else self.k
        return {"chance_at_most": largest * self.k / (p.n - 1)} | ties(p, q)


def lcs_knn(
    x: Any,
    y: Any,
    /,
    *,
    k: int = 10,
    metric: NeighborMetric = "cosine",
    query_rows: int | None = None,
    variant: Literal["paper", "platonic"] = "paper",
    rng: Rng | None = None,
) -> Score:
    r"""Length of the longest common subsequence of the two neighbor lists.

    .. math::

        \frac{1}{n} \sum_{i=1}^n \frac{\mathrm{LCS}(N^x_k(i),\, N^y_k(i))}{k}

    where

    - :math:`N^x_k(i)` is the list of the k other rows of x nearest to row i, nearest
      first. Ties are in the order of their indices.
    - LCS is the length of the longest common subsequence; gaps are allowed.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library. Row i of both is the same stimulus.
    k
        Number of neighbors, at most n - 1.
    metric
        ``"cosine"`` or ``"euclidean"``.
    variant
        ``"paper"`` divides the length by k. ``"platonic"`` gives the numbers of the
        published code platonic-rep: the mean length itself, between 0 and k.
    query_rows
        If given, only this many rows, drawn at random, are compared with all rows. The
        score is then an unbiased estimate of the score of all rows.
    rng
        Integer, numpy Generator or SeedSequence; required if rows are drawn.

    Returns
    -------
    0-d array of the caller's library
        In [0, 1]; at most `mutual_knn`. Unrelated representations therefore score
        below k / (n - 1). Platonic: k times that, in [0, k].

    Notes
    -----
    Invariant to rotations, reflections and a factor for each row of either side.
    With metric="euclidean", invariant to rotations, reflections, isotropic scaling and
    translation.

    Not to be confused with: the longest common run without gaps; `mutual_knn`, which
    ignores the order of the neighbors.

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
    Three points on a line, with k=2. Between x and y the two neighbors of the point 0
    swap places, which leaves a common subsequence of length 1. The lists of the other
    points stay the same: (1/2 + 1 + 1) / 3.

    >>> x, y = [[0.0], [1.0], [-1.5]], [[0.0], [1.0], [-0.9]]
    >>> round(float(lcs_knn(x, y, k=2, metric="euclidean")), 4)
    0.8333
    """
    measure = LCSKNN(k=k, metric=metric, query_rows=query_rows, variant=variant)
    return measure(x, y, rng)
