"""Nearest neighbours: do the same stimuli keep the same company?"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .. import _array, _linalg
from .._array import Array
from .._validate import Points, check_at_least, points
from ..errors import Undefined
from ._base import Measure
from ._claims import DIRECTIONS, SHAPE, Claims

__all__ = ["MutualKNN", "mutual_knn"]

NeighborMetric = Literal["cosine", "euclidean"]


@dataclass(frozen=True, eq=False)
class Neighbors:
    """The k nearest other rows of every row, nearest first, ties by index."""

    indices: np.ndarray  # n x k
    like: Array  # an array of the caller's library, to answer in


@dataclass(frozen=True)
class MutualKNN(Measure):
    """Overlap of nearest neighbours; see `similitude.mutual_knn`."""

    name = "mutual_knn"
    refs = ("huh2024platonic",)

    k: int = 10
    metric: NeighborMetric = "cosine"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least("k", self.k, 1)

    def claims(self) -> Claims:
        invariant = DIRECTIONS if self.metric == "cosine" else SHAPE
        return Claims(
            kind="similarity",
            range=(0.0, 1.0),
            symmetric=True,
            invariant_x=invariant,
            invariant_y=invariant,
            differentiable=False,
            chance="k / (n - 1)",
        )

    def prepare(self, x: Any, seed: Any = None) -> Neighbors:
        return nearest(points(x), self.k, self.metric)

    def compare(self, p: Neighbors, q: Neighbors) -> Array:
        n, k = p.indices.shape
        offset = n * np.arange(n)[:, None]  # makes (row, neighbour) one number
        a, b = (p.indices + offset).ravel(), (q.indices + offset).ravel()
        shared = np.intersect1d(a, b, assume_unique=True).size
        return _array.scalar(shared / (n * k), p.like)

    # Ties keep the order in which they were found, which preparing anew would not.
    def permute(self, q: Neighbors, order: np.ndarray) -> Neighbors:
        position = np.empty_like(order)
        position[order] = np.arange(order.size)
        return Neighbors(position[q.indices[order]], q.like)

    def details(self, p: Neighbors, q: Neighbors) -> dict[str, Any]:
        n, k = p.indices.shape
        return {"chance": k / (n - 1)}


def nearest(x: Points, k: int, metric: str) -> Neighbors:
    """The k nearest other rows of each row; a row is not its own neighbour."""
    if k > x.n - 1:
        raise Undefined(
            f"k={k} neighbours need at least {k + 1} rows; got {x.n}. Lower k, or use "
            f"more stimuli."
        )
    rows = _linalg.metric_rows(x, metric)
    found, farthest = [], 0.0
    for start, stop, block in _linalg.distance_blocks(rows, metric):
        distances = _linalg.rankable(block)
        farthest = max(farthest, float(distances.max()))
        distances[np.arange(stop - start), np.arange(start, stop)] = np.inf
        found.append(_k_smallest(distances, k))
    if farthest == 0:
        raise Undefined(
            f"all rows have the same direction, so that none is nearer than another by "
            f"the {metric}. Use metric='euclidean'."
        )
    return Neighbors(np.concatenate(found), x.values[:1, :1])


def _k_smallest(distances: np.ndarray, k: int) -> np.ndarray:
    """Columns of the k smallest entries of each row, in order, ties by column.

    A partition finds the k-th smallest value; of the entries equal to it the first
    columns are taken, which a partition alone would not promise.
    """
    kth = np.partition(distances, k - 1, axis=1)[:, k - 1, None]
    tied = distances == kth
    room = k - np.sum(distances < kth, axis=1, keepdims=True)
    chosen = (distances < kth) | (tied & (np.cumsum(tied, axis=1) <= room))
    columns = np.nonzero(chosen)[1].reshape(-1, k)
    nearness = np.take_along_axis(distances, columns, axis=1)
    return np.take_along_axis(columns, np.argsort(nearness, axis=1, kind="stable"), 1)


def mutual_knn(
    x: Any, y: Any, /, *, k: int = 10, metric: NeighborMetric = "cosine"
) -> Array:
    r"""Share of nearest neighbours that two representations agree on.

    .. math::

        \frac{1}{n} \sum_{i=1}^n \frac{|N^x_k(i) \cap N^y_k(i)|}{k}

    where

    - :math:`N^x_k(i)` are the k rows of x nearest to row i, which is not one of them;
      of equally near rows those with the smaller index.

    Parameters
    ----------
    x, y
        n x d1 and n x d2, rows the same n stimuli; arrays of one library.
    k
        Number of neighbours, at most n - 1.
    metric
        ``"cosine"`` or ``"euclidean"``.

    Returns
    -------
    0-d array of the caller's library
        In [0, 1]; unrelated representations score k / (n - 1) on average.

    Notes
    -----
    Invariant to rotations, reflections and a factor for each row of either side;
    with metric="euclidean" to rotations, reflections, isotropic scaling, translation.
    Distances are compared at 11 digits, so that equal ones tie.

    Not to be confused with: the Jaccard similarity of the neighbourhoods, which divides
    by the size of the union; mutual neighbours in the sense of i in N(j) and j in N(i).

    Raises
    ------
    Undefined
        For k > n - 1, constant rows, and zero rows under the cosine.

    References
    ----------
    huh2024platonic

    Examples
    --------
    Three points on a line, and the last one moved next to the first: the middle one
    keeps its nearest neighbour, the others change theirs.

    >>> before, after = [[0.0], [1.0], [2.5]], [[0.0], [1.0], [-0.5]]
    >>> round(float(mutual_knn(before, after, k=1, metric="euclidean")), 4)
    0.3333
    """
    return MutualKNN(k=k, metric=metric)(x, y)
