"""Representational similarity analysis: correlate the dissimilarity matrices."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import scipy

from .. import _array, _linalg
from .._array import Array
from .._validate import check_choice, points
from ..errors import Undefined
from ._base import Measure
from ._claims import DIRECTIONS, SHAPE, Claims, Invariance

__all__ = ["RSA", "rsa"]

Inner = Literal["correlation", "cosine", "euclidean", "sqeuclidean"]
Outer = Literal[
    "spearman", "pearson", "kendall_a", "kendall_b", "cosine", "whitened_cosine"
]
OUTERS = ("spearman", "pearson", "kendall_a", "kendall_b", "cosine", "whitened_cosine")


@dataclass(frozen=True, eq=False)
class Dissimilarities:
    """The n x n dissimilarities of one representation, as `outer` wants them.

    Either one value for each pair i < j, row after row, or, for the whitened cosine,
    the whole matrix; in both cases already centred and scaled to unit length where
    the score is a cosine, so that comparing is one inner product.
    """

    values: Array
    n: int


@dataclass(frozen=True)
class RSA(Measure):
    """Correlation of dissimilarity matrices; see `similitude.rsa`."""

    name = "rsa"
    refs = ("kriegeskorte2008representational", "diedrichsen2020comparing")

    inner: Inner = "correlation"
    outer: Outer = "spearman"

    def __post_init__(self) -> None:
        check_choice("inner", self.inner, _linalg.METRICS)
        check_choice("outer", self.outer, OUTERS)

    def claims(self) -> Claims:
        invariant = SHAPE
        if self.inner == "cosine":
            invariant = DIRECTIONS
        elif self.inner == "correlation":
            invariant = frozenset(
                {
                    Invariance.PERMUTATION,
                    Invariance.ROW_SCALE,
                    Invariance.CONSTANT_SHIFT,
                }
            )
        # Dissimilarities are not negative; squared Euclidean ones whiten to a Gram
        # matrix, which has no negative eigenvalue.
        positive = self.outer == "cosine" or (
            self.outer == "whitened_cosine" and self.inner == "sqeuclidean"
        )
        return Claims(
            kind="similarity",
            range=(0.0 if positive else -1.0, 1.0),
            symmetric=True,
            invariant_x=invariant,
            invariant_y=invariant,
            differentiable=self.outer in {"pearson", "cosine", "whitened_cosine"},
            chance="near 1" if self.outer == "cosine" else None,
        )

    def prepare(self, x: Any, seed: Any = None) -> Dissimilarities:
        x = points(x)
        if x.n < 3:
            raise Undefined(f"RSA needs three rows or more; got {x.n}.")
        rows = _linalg.metric_rows(x, self.inner)
        if self.outer == "whitened_cosine":
            gram = _double_centred(rows, self.inner)
            return Dissimilarities(_unit(gram, gram), x.n)
        values = _upper_triangle(rows, self.inner)
        if self.outer == "cosine":
            return Dissimilarities(_unit(values, values), x.n)
        if self.outer == "pearson":
            return Dissimilarities(_unit(values - x.xp.mean(values), values), x.n)
        ranked = _linalg.rankable(values)
        if self.outer == "spearman":
            ranks = scipy.stats.rankdata(ranked)
            ranked = _unit(ranks - (ranks.size + 1) / 2, ranks)
        elif np.ptp(ranked) == 0:
            raise Undefined(_FLAT)
        return Dissimilarities(_array.from_numpy(ranked, rows), x.n)

    def compare(self, p: Dissimilarities, q: Dissimilarities) -> Array:
        if self.outer in {"kendall_a", "kendall_b"}:
            a, b = _array.to_numpy(p.values), _array.to_numpy(q.values)
            tau = _kendall_a(a, b) if self.outer == "kendall_a" else _kendall_b(a, b)
            return _array.scalar(tau, p.values)
        return _array.namespace(p.values, q.values).sum(p.values * q.values)

    def permute(self, q: Dissimilarities, order: np.ndarray) -> Dissimilarities:
        if self.outer == "whitened_cosine":
            values = _array.take(_array.take(q.values, order), order, axis=1)
        else:
            values = _array.take(q.values, _pair_positions(order))
        return replace(q, values=values)


_FLAT = (
    "all pairs of rows are equally dissimilar, so there is nothing to correlate. Use "
    "more stimuli, or another inner=."
)


def _upper_triangle(rows: Array, metric: str) -> Array:
    """Dissimilarities of the pairs i < j, without ever holding the n x n matrix."""
    xp, n = _array.namespace(rows), rows.shape[0]
    pieces = []
    for start, stop, block in _linalg.distance_blocks(rows, metric):
        later = np.arange(n)[None, :] > np.arange(start, stop)[:, None]
        pieces.append(block[_array.from_numpy(later, rows)])
    return xp.concat(pieces)


def _double_centred(rows: Array, metric: str) -> Array:
    """G = -HDH/2, whose inner product is the whitened one of the dissimilarities D.

    With C the matrix of pairwise contrasts c_k = e_i - e_j, dissimilarities are linear
    in a centred G: d_k = c_k'G c_k. The noise covariance of d is V = (CC') squared
    entrywise, which is that linear map times its adjoint; hence d'V^-1 d* = <G, G*>.
    """
    xp = _array.namespace(rows)
    d = _linalg.cross_distances(rows, rows, metric)
    mean = xp.mean(d, axis=0)
    return (mean[:, None] + mean[None, :] - d - xp.mean(mean)) / 2.0


def _unit(values: Array, whole: Array) -> Array:
    """Values over their length, or `Undefined` if they are the rounding of `whole`."""
    xp = _array.namespace(values)
    length = xp.sqrt(xp.sum(values**2))
    rounding = 16.0 * _array.eps(values) * _array.number(xp.sqrt(xp.sum(whole**2)))
    if _array.number(length) <= rounding:
        raise Undefined(_FLAT)
    return values / length


def _kendall_b(a: np.ndarray, b: np.ndarray) -> float:
    return scipy.stats.kendalltau(a, b, method="asymptotic").statistic


def _kendall_a(a: np.ndarray, b: np.ndarray) -> float:
    """Concordant minus discordant over all pairs of pairs, ties in the denominator."""

    def untied(v: np.ndarray) -> int:
        counts = np.unique(v, return_counts=True)[1].astype(np.int64)
        return (v.size * (v.size - 1) - int(np.sum(counts * (counts - 1)))) // 2

    everything = a.size * (a.size - 1) // 2
    return _kendall_b(a, b) * (untied(a) * untied(b)) ** 0.5 / everything


def _pair_positions(order: np.ndarray) -> np.ndarray:
    """Where the pairs i < j of reordered rows stood before."""
    n = order.size
    i, j = np.triu_indices(n, k=1)
    first, last = np.minimum(order[i], order[j]), np.maximum(order[i], order[j])
    return first * (2 * n - first - 1) // 2 + last - first - 1


def rsa(
    x: Any, y: Any, /, *, inner: Inner = "correlation", outer: Outer = "spearman"
) -> Array:
    r"""Representational similarity analysis: do the same stimuli look alike to both?

    .. math::

        \mathrm{RSA} = \mathrm{outer}\big( (D^x_{ij})_{i<j},\, (D^y_{ij})_{i<j} \big),
        \qquad D^x_{ij} = \mathrm{inner}(x_i, x_j)

    where

    - `inner` is a dissimilarity between two rows of one representation;
    - `outer` compares the n (n - 1) / 2 dissimilarities of x with those of y.

    Parameters
    ----------
    x, y
        n x d1 and n x d2, rows the same n stimuli; arrays of one library.
    inner
        ``"correlation"``: 1 - Pearson correlation of two rows. ``"cosine"``: 1 - their
        cosine. ``"euclidean"``, ``"sqeuclidean"``: their distance, its square.
    outer
        ``"spearman"`` (mean ranks for ties), ``"pearson"``, ``"kendall_a"`` (ties count
        in the denominator), ``"kendall_b"`` (ties are taken out of it), ``"cosine"``
        (nothing is subtracted), ``"whitened_cosine"``: d'V^-1 e over the lengths, V the
        covariance that the dissimilarities have because they share stimuli.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1]; in [0, 1] for the cosine, and for the whitened cosine of squared
        Euclidean distances.

    Notes
    -----
    inner="correlation": invariant to permuting units, to a factor for each row and to
    adding a constant; "cosine": to rotations, reflections and a factor for each row;
    Euclidean: to rotations, reflections, isotropic scaling and translation.
    Rank correlations see dissimilarities rounded to 11 digits, so that equal ones tie.

    Not to be confused with: a correlation of similarities, whose sign for x and y is
    the same but which differs wherever dissimilarity is not 1 - similarity; linear CKA,
    which is the whitened cosine of squared Euclidean distances (biased, exactly).

    Raises
    ------
    Undefined
        For a row without a direction (constant, or zero for the cosine), for fewer
        than three rows, and where all rows are equally dissimilar.

    References
    ----------
    kriegeskorte2008representational, diedrichsen2020comparing

    Examples
    --------
    Distances on a line 1, 2, 1 (pairs 12, 13, 23), and on another 1, 3, 2:

    >>> line, other = [[0.0], [1.0], [2.0]], [[0.0], [1.0], [3.0]]
    >>> round(float(rsa(line, other, inner="euclidean", outer="pearson")), 4)
    0.866
    >>> round(float(rsa(line, other, inner="euclidean", outer="kendall_a")), 4)
    0.6667
    """
    return RSA(inner=inner, outer=outer)(x, y)
