"""Second-order similarity: agreement of the similarities to neighbors."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Score
from ..._base._validate import points
from ...errors import Undefined
from ...transformations import DIRECTIONS, Group
from ._base import NeighborMeasure, NeighborMetric, Neighbors, neighbors, ties

__all__ = ["SecondOrderCosine", "second_order_cosine"]


@dataclass(frozen=True, eq=False)
class Directed(Neighbors):
    """Neighbor lists with the rows at unit length."""

    directions: np.ndarray  # n x d

    def permute(self, order: np.ndarray) -> Self:
        return replace(super().permute(order), directions=self.directions[order])


@dataclass(frozen=True, kw_only=True)
class SecondOrderCosine(NeighborMeasure):
    """Cosine of similarity vectors; see `similitude.second_order_cosine`."""

    name = "second_order_cosine"
    refs = ("hamilton2016cultural", "klabunde2025similarity")
    lowest = -1.0
    chance = "near 1 if all rows have nearly the same direction"

    def invariant(self) -> frozenset[Group]:
        if self.metric == "cosine":
            return DIRECTIONS
        # Neighbors do not change with scale or translation; cosines, not with scale.
        return frozenset({Group.ROTATION, Group.ISOTROPIC_SCALE})

    def prepare(self, x: Any, seed: Any = None) -> Directed:
        x = points(x)
        found = neighbors(x, self.k, self.metric)
        directions = _array.to_numpy(_linalg.unit_rows(x, "cosine"))
        return Directed(found.indices, found.like, directions, tied=found.tied)

    def per_stimulus(self, p: Directed, q: Directed) -> np.ndarray:
        rows = np.arange(p.n)
        union = np.concatenate([p.indices, q.indices], axis=1)
        a = _linalg.listed_products(p.directions, rows, union)
        b = _linalg.listed_products(q.directions, rows, union)
        twice = np.zeros(union.shape, dtype=bool)
        for r in range(self.k):  # a row that is in both lists counts once
            twice[:, self.k :] |= q.indices == p.indices[:, r, None]
        a[twice], b[twice] = 0.0, 0.0
        lengths = np.vecdot(a, a), np.vecdot(b, b)
        for name, length in zip("xy", lengths, strict=True):
            if np.min(length) <= (8 * np.finfo(length.dtype).eps) ** 2:
                raise Undefined(
                    f"row {int(np.argmin(length))} of {name} is orthogonal to all of "
                    f"its neighbors, so all of its similarities are 0. Use a larger k, "
                    f"or mutual_knn."
                )
        return np.vecdot(a, b) / np.sqrt(lengths[0] * lengths[1])

    def details(self, p: Neighbors, q: Neighbors) -> dict[str, Any]:
        return ties(p, q)


def second_order_cosine(
    x: Any, y: Any, /, *, k: int = 10, metric: NeighborMetric = "cosine"
) -> Score:
    r"""Cosine between the similarities of a row to its neighbors in x and in y.

    .. math::

        \frac{1}{n} \sum_{i=1}^n \cos\big( (s^x_{ij})_{j \in U_i},\,
        (s^y_{ij})_{j \in U_i} \big),
        \qquad U_i = N^x_k(i) \cup N^y_k(i)

    where

    - :math:`s^x_{ij}` is the cosine similarity of rows i and j of x;
    - :math:`N^x_k(i)` are the k other rows of x nearest to row i by `metric`. Ties go
      to the smaller index.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library. Row i of both is the same stimulus.
    k
        Number of neighbors in each, at most n - 1.
    metric
        ``"cosine"`` or ``"euclidean"``, for finding neighbors. Similarities are cosines
        in either case.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1]. If all rows have nearly the same direction, all similarities are
        near 1. The score is then near 1 for any two representations.

    Notes
    -----
    Invariant to rotations, reflections and a factor for each row of either side. With
    metric="euclidean", invariant to rotations, reflections and isotropic scaling.

    Not to be confused with: the cosine of *distances*, which are small where
    similarities are large; `rsa`, which compares all pairs at once.

    Raises
    ------
    Undefined
        If k > n - 1, if a row is zero, if all rows have the same direction, or if a row
        is orthogonal to all of its neighbors.

    References
    ----------
    hamilton2016cultural, klabunde2025similarity

    Examples
    --------
    Three directions, at 0, 45 and 90 degrees in x and at 0, 90 and 45 degrees in y. The
    similarities of the three rows are (c, 0), (c, c), (0, c) in x and (0, c), (0, c),
    (c, c) in y, where c is the cosine of 45 degrees. The cosines of these vectors are
    0, c and c.

    >>> x, y = [[1, 0], [1, 1], [0, 1]], [[1, 0], [0, 1], [1, 1]]
    >>> round(float(second_order_cosine(x, y, k=2)), 4)
    0.4714
    """
    return SecondOrderCosine(k=k, metric=metric)(x, y)
