"""Concentricity: mean cosine between the rows and their mean."""

from dataclasses import dataclass
from typing import Any

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._validate import Points, points
from ...errors import Undefined
from ...transformations import Group
from .._claims import Claims
from ._base import Difference, length

__all__ = ["ConcentricityDifference", "concentricity_difference"]


@dataclass(frozen=True, kw_only=True)
class ConcentricityDifference(Difference):
    """Difference of concentricities; see `similitude.concentricity_difference`."""

    name = "concentricity_difference"
    statistic = "concentricity"
    refs = ("wang2022understanding", "klabunde2025similarity")

    def claims(self) -> Claims:
        invariant = frozenset({Group.ROTATION, Group.ISOTROPIC_SCALE})
        return self.difference(invariant, 2.0)

    def prepare(self, x: Any, seed: Any = None) -> Array:
        x = _linalg.widened(_linalg.balanced(points(x)))
        xp, rows = x.xp, x.values
        mean = xp.mean(rows, axis=0)
        lengths, size = xp.linalg.vector_norm(rows, axis=1), length(mean)
        _check_directions(x, lengths, size)
        return xp.mean((rows @ mean) / lengths) / size


def _check_directions(x: Points, lengths: Array, size: Array) -> None:
    """Raise `Undefined` if a row or the mean row has no direction."""
    xp = x.xp
    zero = _array.stop_gradient(lengths) == 0
    if bool(xp.any(zero)):
        row = int(_array.to_numpy(zero).argmax())
        raise Undefined(
            f"row {row} is zero, so its cosine with the mean row is undefined. Drop "
            f"that stimulus."
        )
    largest = _array.number(xp.max(lengths))
    if _array.number(size) <= 4 * _array.eps(x.values) * largest:
        raise Undefined(
            "the mean row is zero up to rounding, so concentricity is undefined. Pass "
            "raw rows, not centered rows."
        )


def concentricity_difference(x: Any, y: Any, /) -> Score:
    r"""Difference between the mean cosines of the rows with their mean row.

    .. math::

        |c(x) - c(y)|, \qquad
        c(x) = \frac{1}{n} \sum_{i=1}^n \cos(x_i, \bar x),
        \qquad \bar x = \frac{1}{n} \sum_{i=1}^n x_i

    where

    - :math:`x_i` are the raw rows of x, and :math:`\bar x` is the mean of the raw rows,
      not of their directions.

    Parameters
    ----------
    x, y
        n1 x d1 and n2 x d2 arrays of one library. Rows need not correspond, and n1 and
        n2 may differ.

    Returns
    -------
    0-d array of the caller's library
        In [0, 2].

    Notes
    -----
    Invariant to rotations, reflections and isotropic scaling of either side, and to the
    order of rows. A pseudometric: 0 does not mean equal.

    Not to be confused with: the mean cosine of all pairs of rows; the same statistic of
    normalized rows, in which long rows do not dominate the mean.

    Raises
    ------
    Undefined
        If a row is zero, or if the mean row is zero.

    References
    ----------
    wang2022understanding, klabunde2025similarity

    Examples
    --------
    Rows along one axis have cosine 1 with their mean. The rows (1, 0) and (0, 1) are at
    45 degrees from their mean:

    >>> round(float(concentricity_difference([[1, 0], [2, 0]], [[1, 0], [0, 1]])), 4)
    0.2929
    """
    return ConcentricityDifference()(x, y)
