"""Cycle consistency: from a row to its neighbor in x, and back in y."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._array import Array, scalar
from ._base import NeighborMeasure, NeighborMetric, Neighbors

__all__ = ["CycleKNN", "cycle_knn"]


@dataclass(frozen=True, kw_only=True)
class CycleKNN(NeighborMeasure):
    """Cycle consistency of neighbors; see `similitude.cycle_knn`."""

    name = "cycle_knn"
    refs = ("huh2024platonic",)
    symmetric = False
    chance = "k / (n - 1)"

    def compare(self, p: Neighbors, q: Neighbors) -> Array:
        nearest = p.indices[:, 0]
        back = np.any(q.indices[nearest] == np.arange(p.n)[:, None], axis=1)
        return scalar(np.count_nonzero(back) / p.n, p.like)


def cycle_knn(
    x: Any, y: Any, /, *, k: int = 10, metric: NeighborMetric = "cosine"
) -> Array:
    r"""Share of rows that are near their nearest neighbor of x in y as well.

    .. math::

        \frac{1}{n} \sum_{i=1}^n \big[\, i \in N^y_k(N^x_1(i)) \,\big]

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

    Returns
    -------
    0-d array of the caller's library
        In [0, 1]; unrelated representations score k / (n - 1) on average. The score
        can be below 1 for y = x, because being a nearest neighbor is not mutual.

    Notes
    -----
    Asymmetric. Invariant to rotations, reflections and a factor for each row of either
    side. With metric="euclidean", invariant to rotations, reflections, isotropic
    scaling and translation.

    Not to be confused with: the published code, which starts from all k neighbors and
    checks whether any of them leads back.

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
    return CycleKNN(k=k, metric=metric)(x, y)
