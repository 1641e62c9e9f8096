"""Distance correlation."""

from dataclasses import dataclass
from typing import Any, Literal

from ... import _linalg
from ..._base._array import Array, Score
from ..._base._validate import points
from ...errors import InvalidInput
from ...transformations import SHAPE
from .._claims import Alias, Claims
from ._base import Aligned, KernelAlignment, check_enough_rows

__all__ = ["DistanceCorrelation", "distance_correlation"]


@dataclass(frozen=True, kw_only=True)
class DistanceCorrelation(KernelAlignment):
    """Correlation of centered distances; see `similitude.distance_correlation`."""

    name = "distance_correlation"
    refs = ("szekely2007measuring", "szekely2014partial", "sejdinovic2013equivalence")
    aliases = (Alias("dcor"),)

    estimator: Literal["unbiased", "biased"] = "unbiased"
    form: Literal["squared", "root"] = "squared"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.form == "root" and self.estimator == "unbiased":
            raise InvalidInput(
                "form='root' with estimator='unbiased': the estimate of dCor^2 may be "
                "negative. Use estimator='biased'."
            )

    def claims(self) -> Claims:
        unbiased = self.estimator == "unbiased"
        return Claims(
            kind="similarity",
            range=(-1.0 if unbiased else 0.0, 1.0),
            invariant=SHAPE,
            chance="0" if unbiased else "goes to 1 as d / n grows",
            fits_noise=not unbiased,
            per_stimulus="influence",
        )

    def prepare(self, x: Any, seed: Any = None) -> Aligned:
        x, unbiased = points(x), self.estimator == "unbiased"
        check_enough_rows(x.n, self.estimator, "distance correlation", x.classes)
        rows = _linalg.euclidean_rows(_linalg.balanced(x))
        gram = _linalg.gram(rows, _distances, unbiased=unbiased, classes=x.classes)
        return Aligned(gram, _linalg.norm(gram))

    def offers(self, method: str) -> bool:
        # The moments of a root do not follow from those of its square.
        applies = method != "null_moments" or self.form == "squared"
        return applies and super().offers(method)

    def in_form(self, cosine: Array) -> Array:
        """The cosine, which is dCor^2, or its root."""
        # The biased estimate is at least 0, up to rounding.
        return cosine if self.form == "squared" else _linalg.safe_sqrt(cosine)


def _distances(a: Array, b: Array) -> Array:
    """Euclidean distances: minus the induced kernel; the signs of both sides cancel."""
    return _linalg.cross_distances(a, b, "euclidean")


def distance_correlation(
    x: Any,
    y: Any,
    /,
    *,
    estimator: Literal["unbiased", "biased"] = "unbiased",
    form: Literal["squared", "root"] = "squared",
) -> Score:
    r"""Squared distance correlation, corrected for bias.

    .. math::

        \mathrm{dCor}^2(x, y) = \frac{\langle A, B \rangle}{\|A\|_F \|B\|_F}

    where

    - A and B are the centered n x n Euclidean distances between the rows of x and y;
    - unbiased (default): U-centered, with a zero diagonal,
      :math:`A_{ij} = a_{ij} - \frac{a_{i\cdot} + a_{\cdot j}}{n - 2}
      + \frac{a_{\cdot\cdot}}{(n-1)(n-2)}`, where dots denote sums;
    - biased: row and column means are removed, including the zero distances (i, i).

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.
    estimator
        ``"unbiased"``, near 0 for unrelated representations of any width, or
        ``"biased"``, the one first published (0.98 for noise at n = 50, d = 500).
    form
        ``"squared"`` as above, or ``"root"`` for dCor itself (biased only).

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1] if unbiased, in [0, 1] if biased.

    Notes
    -----
    Invariant to rotations, reflections, isotropic scaling and translation of either
    side. In the population it is 0 only if x and y are independent. Linear CKA is 0
    already if there is no linear dependence.

    It equals CKA with the kernel that the distance induces, for both estimators.
    Distances are computed in panels of half of the n x n matrix. Algorithms with
    n log n operations exist for one column, but are not implemented. If the distance
    matrix is too large, use streaming linear measures.

    Not to be confused with: its root, which most papers call dCor; distance covariance
    (not normalized); the correlation of distances in RSA, which does not center rows.

    Raises
    ------
    Undefined
        If all rows of x, or all rows of y, are equal; for fewer than 4 rows (biased:
        2); if unbiased, for rows whose distances are a sum of one effect per row.

    References
    ----------
    szekely2007measuring, szekely2014partial, sejdinovic2013equivalence

    Examples
    --------
    The corners of a square, against one of their two coordinates:

    >>> square = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    >>> side = [[1], [1], [-1], [-1]]
    >>> round(float(distance_correlation(square, side)), 4)
    0.5
    >>> line, other = [[0], [1], [3]], [[5], [7], [11]]
    >>> round(float(distance_correlation(line, other, estimator="biased")), 4)
    1.0
    """
    return DistanceCorrelation(estimator=estimator, form=form)(x, y)
