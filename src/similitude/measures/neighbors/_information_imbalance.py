"""Information imbalance: are near rows of one space also near in the other?"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._validate import Count, points
from ...transformations import DIRECTIONS, SHAPE
from .._base import Measure
from .._claims import Alias, Claims, KnownScore
from ._base import NeighborMetric, Neighbors, neighbors, ties

__all__ = ["InformationImbalance", "information_imbalance"]


@dataclass(frozen=True, eq=False)
class Placed:
    """The nearest rows of each row, and the rows, which give places to others."""

    near: Neighbors
    rows: np.ndarray


@dataclass(frozen=True, kw_only=True)
class InformationImbalance(Measure):
    """Places of near rows in the other space; see `information_imbalance`."""

    name = "information_imbalance"
    aliases = (Alias("inf_imb"), Alias("imbalance"))
    refs = ("glielmo2022ranking",)
    cost = "moderate"
    known = (
        KnownScore([[0], [2], [5]], [[0], [2], [-1]], 4 / 3, {"metric": "euclidean"}),
    )

    k: Count = 1
    metric: NeighborMetric = "euclidean"

    def claims(self) -> Claims:

        return Claims(
            kind="divergence",
            range=(0.0, 2.0),
            symmetric=False,
            invariant=DIRECTIONS if self.metric == "cosine" else SHAPE,
            differentiable=False,
            chance="1",
            neighbors=(self.k, self.metric),
            per_stimulus="mean",
        )

    def prepare(self, x: Any, seed: Any = None) -> Placed:
        x = points(x)
        near = neighbors(x, self.k, self.metric)
        return Placed(near, _array.to_numpy(_linalg.metric_rows(x, self.metric)))

    def compare(self, p: Placed, q: Placed) -> Array:
        return _array.scalar(np.mean(self.per_stimulus(p, q)), p.near.like)

    def per_stimulus(self, p: Placed, q: Placed) -> np.ndarray:
        """(2 r - k - 1) / (n - k - 1), where r is the mean place of k near rows."""
        n, k = p.near.n, self.k
        if n == k + 1:  # all other rows are near
            return np.zeros(n)
        return (2 * self._mean_places(p, q) - k - 1) / (n - k - 1)

    def _mean_places(self, p: Placed, q: Placed) -> np.ndarray:
        found = _linalg.places(q.rows, p.near.indices, self.metric)
        return np.mean(found, axis=1)

    def permute(self, q: Placed, order: np.ndarray) -> Placed:
        return replace(q, near=q.near.permute(order), rows=q.rows[order])

    def null_work(self, n: int, d_x: int, d_y: int) -> float:
        return 3e6 + n * n * (d_y + 20.0 * self.k)

    def details(self, p: Placed, q: Placed) -> dict[str, Any]:
        """The published number, 2 r / n, and ties of neighbors."""
        mean = float(np.mean(self._mean_places(p, q)))
        return {"imbalance": 2 * mean / p.near.n} | ties(p.near, q.near)


def information_imbalance(
    x: Any, y: Any, /, *, k: int = 1, metric: NeighborMetric = "euclidean"
) -> Score:
    r"""Whether rows that are near in x are also near in y; 0 if always, 1 by chance.

    .. math::

        \frac{2 \bar r - k - 1}{n - k - 1}, \qquad
        \bar r = \frac{1}{n k} \sum_{i=1}^n \sum_{j \in N^x_k(i)} r^y_{ij}

    where

    - :math:`N^x_k(i)` are the k other rows of x nearest to row i;
    - :math:`r^y_{ij}` is the place of row j by its distance from row i in y; the
      nearest row has place 1. Ties go to the smaller index.

    A low score from x to y and a high score from y to x mean that x has the information
    of y, and more. `details["imbalance"]` is the published number,
    :math:`\Delta(x \to y) = 2 \bar r / n`. It is (k + 1) / n for equal spaces, and the
    score here is the same without this offset.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library. Row i of both is the same stimulus.
    k
        Number of neighbors in x, at most n - 1; the paper uses 1.
    metric
        ``"euclidean"`` or ``"cosine"``.

    Returns
    -------
    0-d array of the caller's library
        In [0, 2]; unrelated representations score 1 on average.

    Notes
    -----
    Asymmetric. Invariant to rotations, reflections, isotropic scaling and translation.
    With metric="cosine", invariant to rotations, reflections and a factor for each row
    of either side. All pairs of rows of y are compared, n^2 d operations.

    Not to be confused with: `mutual_knn`, which counts common neighbors and does not
    see how far a lost neighbor has moved.

    Raises
    ------
    Undefined
        If k > n - 1 or all rows are equal. With the cosine, also if a row is zero or
        all rows have one direction.

    References
    ----------
    glielmo2022ranking

    Examples
    --------
    The square loses the sign, so it says less about x than x says about it.

    >>> import numpy as np
    >>> x = np.linspace(-1, 1, 40)[:, None]
    >>> x = x + 0.01 * np.random.default_rng(0).normal(size=x.shape)
    >>> there, back = information_imbalance(x, x**2), information_imbalance(x**2, x)
    >>> bool(there < 0.2 < 0.4 < back)
    True
    """
    return InformationImbalance(k=k, metric=metric)(x, y)
