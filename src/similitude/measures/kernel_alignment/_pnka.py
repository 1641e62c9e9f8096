"""Pointwise kernel alignment: agreement of the similarity profiles of each stimulus."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._validate import Points, points
from ...errors import Undefined
from ...transformations import SHAPE
from .._base import Measure
from .._claims import SIDE, SQUARE, Alias, Claims, KnownScore
from ._base import check_enough_rows, linear_side

__all__ = ["PNKA", "pnka"]


@dataclass(frozen=True, eq=False)
class SimilarityProfiles:
    """The centered Gram matrix, and the length of each of its rows."""

    gram: _linalg.Side
    lengths: Array


@dataclass(frozen=True, kw_only=True)
class PNKA(Measure):
    """Mean cosine of similarity profiles; see `similitude.pnka`."""

    name = "pnka"
    refs = ("kolling2023pointwise",)
    aliases = (Alias("pointwise_normalized_kernel_alignment"),)
    known = (KnownScore(SQUARE, SIDE, 0.5**0.5),)

    estimator: Literal["biased", "unbiased"] = "biased"

    def claims(self) -> Claims:
        biased = self.estimator == "biased"
        return Claims(
            on_device=True,
            kind="similarity",
            range=(-1.0, 1.0),
            invariant=SHAPE,
            chance="goes to 1 as d / n grows" if biased else "0",
            fits_noise=biased,
            per_stimulus="mean",
        )

    def prepare(self, x: Any, seed: Any = None) -> SimilarityProfiles:
        x = _linalg.widened(_linalg.balanced(points(x)))
        check_enough_rows(x.n, self.estimator, "PNKA", x.classes)
        rows = _linalg.center(x)
        unbiased = self.estimator == "unbiased"
        gram = linear_side(rows, unbiased=unbiased, classes=x.classes)
        squares = _linalg.row_products(gram, gram)
        _check_profiles(x, rows, squares)
        return SimilarityProfiles(gram, x.xp.sqrt(squares))

    def compare(self, p: SimilarityProfiles, q: SimilarityProfiles) -> Array:
        cosines = self._cosines(p, q)
        return _array.namespace(cosines).mean(cosines)

    def per_stimulus(self, p: SimilarityProfiles, q: SimilarityProfiles) -> np.ndarray:
        return _array.to_numpy(self._cosines(p, q))

    def _cosines(self, p: SimilarityProfiles, q: SimilarityProfiles) -> Array:
        return _linalg.row_products(p.gram, q.gram) / (p.lengths * q.lengths)

    def permute(self, q: SimilarityProfiles, order: np.ndarray) -> SimilarityProfiles:
        lengths = _array.take(q.lengths, order)
        return replace(q, gram=q.gram.permute(order), lengths=lengths)


def _check_profiles(x: Points, rows: Array, squares: Array) -> None:
    """Raise `Undefined` if the profile of a stimulus is 0 up to rounding."""
    rows, squares = _array.stop_gradient(rows), _array.stop_gradient(squares)
    before = _array.stop_gradient(x.values)
    own, error = x.xp.vecdot(rows, rows), 16 * _array.eps(rows)
    zero = (own <= error**2 * x.xp.vecdot(before, before)) | (squares <= error * own**2)
    if bool(x.xp.any(zero)):
        row = int(x.xp.argmax(x.xp.astype(zero, x.xp.int64)))
        raise Undefined(
            f"row {row} is the mean of all rows, or its products with all other rows "
            f"are 0 after centering, so its profile has no direction. Drop that "
            f"stimulus from both sides."
        )


def pnka(
    x: Any, y: Any, /, *, estimator: Literal["biased", "unbiased"] = "biased"
) -> Score:
    r"""Mean over stimuli of the cosine between their two similarity profiles.

    .. math::

        \frac{1}{n} \sum_{i=1}^n \cos(K_i, L_i) = \frac{1}{n} \sum_{i=1}^n
        \frac{\sum_j K_{ij} L_{ij}}{\sqrt{\sum_j K_{ij}^2 \, \sum_j L_{ij}^2}}

    where

    - :math:`K_{ij} = \langle x_i, x_j \rangle` and :math:`L_{ij} = \langle y_i, y_j
      \rangle` are products of centered rows; row i of K is the profile of stimulus i.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.
    estimator
        ``"biased"``, as published. With ``"unbiased"`` the Gram matrices are U-centered
        as in `cka`, so the product of a stimulus with itself does not contribute. Use
        it if there are more columns than rows.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1]. `per_stimulus` has the cosine of each stimulus.

    Notes
    -----
    Invariant to rotations, reflections, isotropic scaling and translation of either
    side. All stimuli count the same. In `cka` a stimulus counts by the length of its
    profiles, so stimuli far from the mean decide the score.

    Not to be confused with: `second_order_cosine`, which compares the similarities to
    the nearest neighbors only; `aligned_cosine`, which rotates the rows.

    Raises
    ------
    Undefined
        If a row is the mean of all rows, so that its profile is 0. Unbiased, also if
        there are fewer than four rows.

    References
    ----------
    kolling2023pointwise

    Examples
    --------
    A square against one coordinate. The profile of a corner is (2, 0, 0, -2) in x and
    (1, 1, -1, -1) in y, and the cosine of these is 1/sqrt(2).

    >>> square = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    >>> side = [[1], [1], [-1], [-1]]
    >>> round(float(pnka(square, side)), 4)
    0.7071
    """
    return PNKA(estimator=estimator)(x, y)
