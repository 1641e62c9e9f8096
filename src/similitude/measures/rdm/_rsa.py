"""Representational similarity analysis: correlation of dissimilarity matrices."""

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._validate import points
from ...errors import Undefined
from ...transformations import DIRECTIONS, SHAPE, Group
from .._base import Measure
from .._claims import Alias, Claims, KnownScore
from ..kernel_alignment._base import Aligned
from . import _dissimilarity_vectors
from ._dissimilarity_ranks import PairRanks, correlation, pair_ranks
from ._dissimilarity_vectors import PairVector, pair_vector
from ._kendall import concordance

__all__ = ["RSA", "rsa"]

Outer = Literal[
    "spearman", "pearson", "kendall_a", "kendall_b", "cosine", "whitened_cosine"
]


@dataclass(frozen=True, kw_only=True)
class RSA(Measure):
    """Correlation of dissimilarity matrices; see `similitude.rsa`."""

    name = "rsa"
    refs = ("kriegeskorte2008representational", "diedrichsen2020comparing")
    aliases = (
        Alias("representational_similarity_analysis"),
        Alias("rdm"),
        Alias("rsm"),
    )
    known = (
        KnownScore(
            [[0], [1], [2]],
            [[0], [1], [3]],
            math.sqrt(0.75),
            {"inner": "euclidean", "outer": "pearson"},
        ),
    )

    inner: _linalg.Metric = "correlation"
    outer: Outer = "spearman"

    def claims(self) -> Claims:
        invariant = SHAPE
        if self.inner == "cosine":
            invariant = DIRECTIONS
        elif self.inner == "correlation":
            invariant = frozenset(
                {Group.PERMUTATION, Group.ROW_SCALE, Group.CONSTANT_SHIFT}
            )
        # Dissimilarities are nonnegative. Squared Euclidean distances whiten to a Gram
        # matrix, whose eigenvalues are nonnegative.
        positive = self.outer == "cosine" or (
            self.outer == "whitened_cosine" and self.inner == "sqeuclidean"
        )
        smooth = self.outer in {"pearson", "cosine", "whitened_cosine"}
        return Claims(
            kind="similarity",
            range=(0.0 if positive else -1.0, 1.0),
            invariant=invariant,
            differentiable=smooth,
            on_device=smooth and self.inner == "cosine",
            chance=_CHANCE.get(self.outer, "0"),
        )

    def prepare(self, x: Any, seed: Any = None) -> PairVector | PairRanks | Aligned:
        """One number per pair i < j, or a centered Gram for the whitened cosine."""
        x = points(x)
        if x.n < 3:
            raise Undefined(f"RSA needs at least three rows; got {x.n}.")
        rows = _linalg.metric_rows(x, self.inner)
        if self.outer == "whitened_cosine":
            gram = _linalg.gram(rows, HalfNegative(self.inner), unbiased=False)
            return Aligned(gram, _linalg.norm(gram), sigma=None)
        if self.outer in {"pearson", "cosine"}:
            return pair_vector(rows, self.inner, centered=self.outer == "pearson")
        return pair_ranks(rows, self.inner)

    def compare(self, p: Any, q: Any) -> Array:
        if isinstance(p, Aligned):
            return _linalg.inner(p.gram, q.gram) / (p.norm * q.norm)
        if isinstance(p, PairVector):
            return _dissimilarity_vectors.inner(p, q)
        if self.outer == "spearman":
            return _array.scalar(correlation(p, q), p.like)
        difference, total, untied_p, untied_q = concordance(p, q)
        if self.outer == "kendall_a":
            return _array.scalar(difference / total, p.like)
        return _array.scalar(difference / (untied_p**0.5 * untied_q**0.5), p.like)

    def null(self, p: Any, q: Any, orders: np.ndarray) -> Array:
        """If ranks are stored, they are read in each order instead of copied."""
        if self.outer != "spearman" or p.values is None or q.values is None:
            return super().null(p, q, orders)
        products = _linalg.pairs_inner_orders(p.values, q.values, orders)
        return _array.from_numpy(products / (p.square**0.5 * q.square**0.5), p.like)

    def null_work(self, n: int, d_x: int, d_y: int) -> float:
        return 3e6 + 2 * _linalg.GATHERED * n * n

    def null_moments(self, p: Any, q: Any) -> tuple[float, float, float]:
        """Of the ranks, whose sum over all pairs is zero."""
        if p.values is None or q.values is None:
            raise Undefined(
                "the ranks of all pairs exceed the memory budget, so the moments of "
                "the null are not computed. Raise the budget: "
                "similitude.config(memory_budget=...)."
            )
        # The moments are of sums over ordered pairs, which count each pair twice.
        scale = 2.0 * p.square**0.5 * q.square**0.5
        return _linalg.permutation_moments(p.invariants, q.invariants, scale)

    def offers(self, method: str) -> bool:
        # The other correlations are not a sum over pairs of products of ranks.
        if method in {"null", "null_moments"} and self.outer != "spearman":
            return False
        return super().offers(method)

    def permute(self, q: Any, order: np.ndarray) -> Any:
        if isinstance(q, Aligned):
            return replace(q, gram=q.gram.permute(order))
        return q.permute(order)


_CHANCE = {
    "cosine": "near 1",
    "whitened_cosine": "goes to 1 as d / n grows, as biased CKA",
}


@dataclass(frozen=True)
class HalfNegative:
    """-D/2 as a kernel: after centering, it has the whitened inner product of D.

    Let C be the matrix of pairwise contrasts c_k = e_i - e_j. Dissimilarities are
    linear in a centered G: d_k = c_k'G c_k. The noise covariance of d is V = (CC')
    squared entrywise, which is that linear map times its adjoint. Hence
    d'V^-1 d* = <G, G*>, and G = -HDH/2.
    """

    metric: str

    def __call__(self, a: Array, b: Array) -> Array:
        return _linalg.cross_distances(a, b, self.metric) / -2.0


def rsa(
    x: Any,
    y: Any,
    /,
    *,
    inner: _linalg.Metric = "correlation",
    outer: Outer = "spearman",
) -> Score:
    r"""Representational similarity analysis: correlation of dissimilarities.

    .. math::

        \mathrm{RSA} = \mathrm{outer}\big( (D^x_{ij})_{i<j},\, (D^y_{ij})_{i<j} \big),
        \qquad D^x_{ij} = \mathrm{inner}(x_i, x_j)

    where

    - `inner` is a dissimilarity between two rows of one representation;
    - `outer` compares the n (n - 1) / 2 dissimilarities of x with those of y.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library. Row i of both is the same stimulus.
    inner
        ``"correlation"``: 1 - Pearson correlation of two rows. ``"cosine"``: 1 - their
        cosine. ``"euclidean"``: their distance. ``"sqeuclidean"``: its square.
    outer
        ``"spearman"`` (mean ranks for ties), ``"pearson"``, ``"kendall_a"`` (ties count
        in the denominator), ``"kendall_b"`` (ties are removed from the denominator),
        ``"cosine"`` (without subtracting the mean) or ``"whitened_cosine"``: d'V^-1 e
        divided by the lengths. V is the covariance that dissimilarities have because
        they share stimuli.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1]; in [0, 1] for the cosine, and for the whitened cosine of squared
        Euclidean distances.

    Notes
    -----
    With inner="correlation", invariant to permuting units, to a factor for each row and
    to adding a constant. With inner="cosine", invariant to rotations, reflections and a
    factor for each row. With Euclidean distances, invariant to rotations, reflections,
    isotropic scaling and translation.

    Rank correlations round dissimilarities to 11 digits, so that equal dissimilarities
    tie. Above the memory budget (at 2 GiB, 11,000 rows for ranks) the values of all
    pairs are not stored. They are recomputed in pieces and ranks are counted, which is
    much slower. Kendall's correlations ask for a larger budget instead.

    Not to be confused with: the correlation of similarity matrices that includes the
    diagonal; linear CKA, which is the whitened cosine of squared Euclidean distances
    (exactly, by the biased estimator).

    Raises
    ------
    Undefined
        If a row has no direction (with the correlation a constant row, with the cosine
        a zero row), if there are fewer than three rows, or if all rows are equally
        dissimilar.
    InvalidInput
        For Kendall's correlations, if all pairs do not fit into the budget.

    References
    ----------
    kriegeskorte2008representational, diedrichsen2020comparing

    Examples
    --------
    Two lines of three points. The distances of the pairs 12, 13, 23 are 1, 2, 1 on the
    first line and 1, 3, 2 on the other:

    >>> line, other = [[0.0], [1.0], [2.0]], [[0.0], [1.0], [3.0]]
    >>> round(float(rsa(line, other, inner="euclidean", outer="pearson")), 4)
    0.866
    >>> round(float(rsa(line, other, inner="euclidean", outer="kendall_a")), 4)
    0.6667
    """
    return RSA(inner=inner, outer=outer)(x, y)
