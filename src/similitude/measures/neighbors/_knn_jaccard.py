"""Jaccard similarity of neighborhoods."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._array import Array, scalar
from .._known_scores import Alias
from ._base import NeighborMeasure, NeighborMetric, Neighbors, chance_of_shared, shared

__all__ = ["KNNJaccard", "knn_jaccard"]


@dataclass(frozen=True, kw_only=True)
class KNNJaccard(NeighborMeasure):
    """Jaccard similarity of neighborhoods; see `similitude.knn_jaccard`."""

    name = "knn_jaccard"
    refs = ("schumacher2021effects", "klabunde2025similarity")
    aliases = (Alias("jaccard"),)
    chance = "just above p / (2 - p) with p = k / (n - 1)"

    def compare(self, p: Neighbors, q: Neighbors) -> Array:
        common = shared(p, q)
        return scalar(np.mean(common / (2 * self.k - common)), p.like)

    def details(self, p: Neighbors, q: Neighbors) -> dict[str, Any]:
        """Chance as it is usually given, and the mean over random lists."""
        k, share, common = self.k, self.k / (p.n - 1), np.arange(self.k + 1)
        exact = chance_of_shared(p.n, k) @ (common / (2 * k - common))
        return {"chance": share / (2 - share), "chance_exact": float(exact)}


def knn_jaccard(
    x: Any, y: Any, /, *, k: int = 10, metric: NeighborMetric = "cosine"
) -> Array:
    r"""Mean Jaccard similarity of the neighborhoods of each row.

    .. math::

        \frac{1}{n} \sum_{i=1}^n
        \frac{|N^x_k(i) \cap N^y_k(i)|}{|N^x_k(i) \cup N^y_k(i)|}

    where

    - :math:`N^x_k(i)` are the k rows of x nearest to row i, which is not one of them;
      of equally near rows those with the smaller index.

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
        In [0, 1]; unrelated representations score about p / (2 - p), p = k / (n - 1).

    Notes
    -----
    Invariant to rotations, reflections and a factor for each row of either side;
    with metric="euclidean" to rotations, reflections, isotropic scaling, translation.
    The mean over random lists is in `details`; it is a little above p / (2 - p), since
    the ratio is convex in the number of shared neighbors.

    Not to be confused with: `mutual_knn`, which divides by k.

    Raises
    ------
    Undefined
        For k > n - 1, constant rows, and zero rows under the cosine.

    References
    ----------
    schumacher2021effects, klabunde2025similarity

    Examples
    --------
    Points on a line, of which the last moves away. Two neighbors each: those of the
    third were the second and the fourth, and become the second and the first, one of
    three; the others keep theirs.

    >>> x, y = [[0.0], [1.0], [3.0], [4.0]], [[0.0], [1.0], [3.0], [9.0]]
    >>> round(float(knn_jaccard(x, y, k=2, metric="euclidean")), 4)
    0.8333
    """
    return KNNJaccard(k=k, metric=metric)(x, y)
