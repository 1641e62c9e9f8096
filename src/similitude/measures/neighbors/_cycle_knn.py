"""Cycle consistency: from a row to its neighbor in x, and back in y."""

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ..._base._array import Score
from .._claims import Claims
from ._base import NeighborMeasure, NeighborMetric, Neighbors, ties

__all__ = ["CycleKNN", "cycle_knn"]


@dataclass(frozen=True, kw_only=True)
class CycleKNN(NeighborMeasure):
    """Cycle consistency of neighbors; see `similitude.cycle_knn`."""

    name = "cycle_knn"
    refs = ("huh2024platonic",)
    symmetric = False
    chance = "k / (n - 1)"

    variant: Literal["paper", "platonic"] = "paper"

    def claims(self) -> Claims:
        # A row need not be among the k nearest neighbors of its own neighbors.
        claims = replace(super().claims(), best_with_itself=False)
        if self.variant == "paper":
            return claims
        return replace(claims, chance="just below 1 - (1 - k / (n - 1))^k")

    def per_stimulus(self, p: Neighbors, q: Neighbors) -> np.ndarray:
        rows = np.arange(p.n)
        if self.variant == "paper":
            nearest = p.indices[:, 0]
            back = np.any(q.indices[nearest] == rows[:, None], axis=1)
        else:
            back = np.zeros(p.n, dtype=bool)
            for r in range(self.k):  # one neighbor at a time bounds the memory
                returns = p.indices[q.indices[:, r]]
                back |= np.any(returns == rows[:, None], axis=1)
        return back.astype(float)

    def details(self, p: Neighbors, q: Neighbors) -> dict[str, Any]:
        if self.variant == "paper":
            return super().details(p, q)
        # A row that is on D lists of x is missed with probability C(n-1-D, k) /
        # C(n-1, k). This is convex in D, and the mean of D is k.
        missed = math.comb(p.n - 1 - self.k, self.k) / math.comb(p.n - 1, self.k)
        return {"chance_at_most": 1 - missed} | ties(p, q)


def cycle_knn(
    x: Any,
    y: Any,
    /,
    *,
    k: int = 10,
    metric: NeighborMetric = "cosine",
    variant: Literal["paper", "platonic"] = "paper",
) -> Score:
    r"""Share of rows that are near their nearest neighbor of x in y as well.

    .. math::

        \frac{1}{n} \sum_{i=1}^n \big[\, i \in N^y_k(N^x_1(i)) \,\big]

    With ``variant="platonic"``:

    .. math::

        \frac{1}{n} \sum_{i=1}^n \big[\, i \in \textstyle\bigcup_{j \in N^y_k(i)}
        N^x_k(j) \,\big]

    where

    - :math:`N^x_1(i)` is the row of x nearest to row i, and :math:`N^y_k(j)` are the k
      rows of y nearest to row j. A row is not its own neighbor. Ties go to the smaller
      index.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library. Row i of both is the same stimulus.
    k
        Number of neighbors in y, at most n - 1.
    metric
        ``"cosine"`` or ``"euclidean"``.
    variant
        ``"paper"`` starts from the nearest neighbor in x and returns in y.
        ``"platonic"`` gives the numbers of the published code platonic-rep: it starts
        from all k neighbors in y, and checks whether any of them leads back in x.

    Returns
    -------
    0-d array of the caller's library
        In [0, 1]; unrelated representations score k / (n - 1) on average. The score
        can be below 1 for y = x, because being a nearest neighbor is not mutual.
        Platonic: unrelated representations score just below 1 - (1 - k / (n - 1))^k;
        `details` gives the exact bound.

    Notes
    -----
    Asymmetric. Invariant to rotations, reflections and a factor for each row of either
    side. With metric="euclidean", invariant to rotations, reflections, isotropic
    scaling and translation.

    Not to be confused with: `mutual_knn`, which compares the two lists of one row.

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
    The nearest neighbors in x are 1, 0, 1, 2, and in y they are 2, 3, 0, 1. None of
    the steps 0 -> 1, 1 -> 0, 2 -> 1, 3 -> 2 in x leads back in y.

    >>> x, y = [[0.0], [1.0], [2.5], [5.0]], [[0.0], [5.0], [0.5], [5.5]]
    >>> float(cycle_knn(x, y, k=1, metric="euclidean"))
    0.0
    >>> float(cycle_knn(x, x, k=1, metric="euclidean"))
    0.5
    """
    return CycleKNN(k=k, metric=metric, variant=variant)(x, y)
