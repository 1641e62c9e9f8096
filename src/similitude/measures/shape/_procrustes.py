"""Procrustes distances: the distance that the best rotation leaves."""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._validate import points
from ...transformations import SHAPE
from .._base import Measure
from .._claims import SIDE, SQUARE, Alias, Claims, Kind, KnownScore, PerStimulus
from .._folds import FoldCount, folds
from .._sums import Sums
from .._surrogate import surrogate

__all__ = ["Procrustes", "procrustes"]

Form = Literal["angular", "euclidean", "squared", "similarity"]

_CHANCE = "goes to the score of the same representation as d / n grows"


@dataclass(frozen=True, kw_only=True)
class Procrustes(Measure):
    """Orthogonal Procrustes distance; see `similitude.procrustes`."""

    name = "procrustes"
    refs = ("schonemann1966generalized", "williams2021generalized", "ding2021grounding")
    aliases = (
        Alias("procrustes_distance"),
        Alias("orthogonal_procrustes"),
        Alias("nbs", {"form": "similarity"}),
        Alias("normalized_bures_similarity", {"form": "similarity"}),
    )
    known = (KnownScore(SQUARE, SIDE, math.pi / 4),)
    copies = 4

    form: Form = "angular"
    cross_validated: bool = False
    folds: FoldCount = 5

    def claims(self) -> Claims:
        least = -1.0 if self.cross_validated else 0.0  # of the similarity
        ranges = {
            "angular": (0.0, math.acos(least)),
            "euclidean": (0.0, math.sqrt(2 - 2 * least)),
            "squared": (0.0, 2 - 2 * least),
            "similarity": (least, 1.0),
        }
        # Held-out rows of a wide representation are outside the span of the training
        # rows, so even its distance to itself is above 0.
        distance: Kind = "divergence" if self.cross_validated else "distance"
        metric = {"angular": True, "euclidean": True, "squared": False}
        return Claims(
            on_device=True,
            kind="similarity" if self.form == "similarity" else distance,
            range=ranges[self.form],
            triangle=None if self.cross_validated else metric.get(self.form),
            invariant=SHAPE,
            differentiable=not self.cross_validated,
            chance=None if self.cross_validated else _CHANCE,
            fits_noise=True,
            per_stimulus=self._per_stimulus(),
            best_with_itself=not self.cross_validated,
        )

    def _per_stimulus(self) -> PerStimulus | None:
        if self.cross_validated:
            return None
        return "mean" if self.form in {"squared", "similarity"} else "residual"

    def prepare(self, x: Any, seed: Any = None) -> Array:
        """Centered rows of unit Frobenius norm, in at most n columns."""
        x = _linalg.balanced(points(x))  # validated, at a scale that cannot overflow
        rows = _linalg.narrow(_linalg.center(_linalg.widened(x)))
        if self.cross_validated:  # the rotation does not maximize the score
            rows = _array.stop_gradient(rows)
        return rows / x.xp.linalg.matrix_norm(rows)

    def compare(self, p: Array, q: Array) -> Array:
        if self.cross_validated:
            return self._in_form(_held_out_residual(p, q, self.folds))
        return self._in_form(_linalg.best_rotation_residual(p, q))

    def per_stimulus(self, p: Array, q: Array) -> np.ndarray:
        """Residuals of the rows, times n; their mean is the squared distance.

        With form="euclidean" or "angular", their roots: the length of a residual.
        """
        squared = _array.to_numpy(p.shape[0] * _linalg.rotation_residuals(p, q))
        if self.form == "similarity":
            return 1.0 - squared / 2.0
        return squared if self.form == "squared" else np.sqrt(squared)

    def compare_sums(self, sums: Sums) -> Array:
        return self(*surrogate(sums))

    def offers(self, method: str) -> bool:
        # Held-out rows are not in the sums, and each fold has its own rotation.
        # `null` only saves calls: long permutations are computed by several threads.
        whole = {"compare_sums", "per_stimulus"}
        applies = method not in whole or not self.cross_validated
        return applies and method != "null" and super().offers(method)

    def permute(self, q: Array, order: np.ndarray) -> Array:
        return _array.take(q, order)

    def null(self, p: Array, q: Array, orders: np.ndarray) -> Array:
        squared = _linalg.residuals_of_orders(p, q, orders)
        if squared is None or self.cross_validated:
            return super().null(p, q, orders)
        return self._in_form(squared)

    def null_work(self, n: int, d_x: int, d_y: int) -> float:
        return _linalg.rotation_work(n, d_x, d_y)

    def _in_form(self, squared: Array) -> Array:
        """Convert the squared distance, 2 - 2 nuc, to the score."""
        if self.form == "similarity":
            return 1.0 - squared / 2.0
        if self.form == "squared":
            return squared
        distance = _linalg.safe_sqrt(squared)
        return distance if self.form == "euclidean" else _linalg.chord_angle(distance)


def _held_out_residual(p: Array, q: Array, count: int) -> Array:
    """2 - 2 cos, for the cosine between rotated rows of p and rows of q, held out."""
    xp = _array.namespace(p, q)
    dot = xx = yy = 0.0
    for (train_x, test_x), (train_y, test_y) in zip(
        folds(p, count), folds(q, count), strict=True
    ):
        rotation = _linalg.polar_factor(train_x.T @ train_y, partial=True)
        dot = dot + xp.sum((test_x @ rotation) * test_y)
        xx, yy = xx + xp.sum(test_x**2), yy + xp.sum(test_y**2)
    return 2.0 - 2.0 * dot / (xx * yy) ** 0.5


def procrustes(
    x: Any,
    y: Any,
    /,
    *,
    form: Form = "angular",
    cross_validated: bool = False,
    folds: int = 5,
) -> Score:
    r"""Orthogonal Procrustes distance between two shapes.

    .. math::

        \mathrm{nuc} = \|X' Y\|_* = \max_{Q'Q = I} \mathrm{tr}(Q' X' Y)

    where

    - X and Y are x and y with column means removed, scaled to unit Frobenius norm, and
      the narrower one padded with zero columns;
    - :math:`\|\cdot\|_*` is the nuclear norm, the sum of the singular values.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.
    form
        ``"angular"``: arccos nuc, in radians. ``"euclidean"``: sqrt(2 - 2 nuc), the
        length of the difference after the best rotation. ``"squared"``: 2 - 2 nuc.
        ``"similarity"``: nuc, also known as the normalized Bures similarity of the
        centered Gram matrices, or as fidelity.
    cross_validated
        Fit the rotation on some rows and score it on the others. The cosine between the
        rotated x and y, over all held-out rows, replaces nuc. If x has more columns
        than training rows, the cosine is below 1 even for y = x.
    folds
        Number of folds; row i is held out in fold i mod `folds`.

    Returns
    -------
    0-d array of the caller's library
        angular in [0, pi/2], euclidean in [0, sqrt 2], squared in [0, 2], similarity
        in [0, 1]; cross-validated in [0, pi], [0, 2], [0, 4], [-1, 1].

    Notes
    -----
    Invariant to rotations, reflections, isotropic scaling and translation of either
    side. angular and euclidean are metrics between shapes; squared is not.

    Not to be confused with: scipy's Procrustes disparity, 1 - nuc^2; Procrustes
    without scaling (size and shape); the mean cosine of rows after alignment.

    Raises
    ------
    Undefined
        If all rows of x, or all rows of y, are equal; for fewer than two rows per fold.

    References
    ----------
    schonemann1966generalized, williams2021generalized, ding2021grounding

    Examples
    --------
    A square against one coordinate: X'Y has one singular value, 1/sqrt(2) = cos 45 deg.

    >>> import math
    >>> square = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    >>> side = [[1], [1], [-1], [-1]]
    >>> round(math.degrees(procrustes(square, side)), 6)
    45.0
    >>> round(float(procrustes(square, side, form="similarity")), 4)
    0.7071
    """
    return Procrustes(form=form, cross_validated=cross_validated, folds=folds)(x, y)
