"""Representational similarity analysis: correlate the dissimilarity matrices."""

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ... import _array, _linalg
from ..._array import Array
from ..._validate import points
from ...errors import Undefined
from ...transformations import DIRECTIONS, SHAPE, Group
from .._base import Measure
from .._claims import Claims
from .._known_scores import Alias, KnownScore
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
    aliases = (Alias("rdm"), Alias("rsm"))
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
        # Dissimilarities are not negative; squared Euclidean ones whiten to a Gram
        # matrix, which has no negative eigenvalue.
        positive = self.outer == "cosine" or (
            self.outer == "whitened_cosine" and self.inner == "sqeuclidean"
        )
        return Claims(
            kind="similarity",
            range=(0.0 if positive else -1.0, 1.0),
            invariant=invariant,
            differentiable=self.outer in {"pearson", "cosine", "whitened_cosine"},
            chance=_CHANCE.get(self.outer, "0"),
        )

    def prepare(self, x: Any, seed: Any = None) -> PairVector | PairRanks | Aligned:
        """One number per pair i < j, or a centered Gram for the whitened cosine."""
        x = points(x)
        if x.n < 3:
            raise Undefined(f"RSA needs three rows or more; got {x.n}.")
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
        difference, everything, untied_p, untied_q = concordance(p, q)
        if self.outer == "kendall_a":
            return _array.scalar(difference / everything, p.like)
        return _array.scalar(difference / (untied_p**0.5 * untied_q**0.5), p.like)

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
    """-D/2 as a kernel: centered, its inner product is the whitened one of D.

    With C the matrix of pairwise contrasts c_k = e_i - e_j, dissimilarities are linear
    in a centered G: d_k = c_k'G c_k. The noise covariance of d is V = (CC') squared
    entrywise, which is that linear map times its adjoint; hence d'V^-1 d* = <G, G*>,
    and G = -HDH/2.
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
    Beyond the memory budget (at 2 GiB, 11,000 rows for ranks) nothing of the size
    of all pairs is held: values are computed again in pieces, and ranks are counted,
    which is much slower; Kendall's correlations ask for a larger budget instead.

    Not to be confused with: the correlation of similarity matrices, diagonal included;
    linear CKA, which is the whitened cosine of squared Euclidean distances (exactly, by
    the biased estimator).

    Raises
    ------
    Undefined
        For a row without a direction (constant, or zero for the cosine), for fewer
        than three rows, and where all rows are equally dissimilar.
    InvalidInput
        For Kendall's correlations, where all pairs do not fit into the budget.

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
