"""How closely rows gather around their mean row."""

from dataclasses import dataclass
from typing import Any

from ... import _array, _linalg
from ..._array import Array
from ..._validate import Points, points
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
        turned = frozenset({Group.ORTHOGONAL, Group.ISOTROPIC_SCALE})
        return self.difference(turned, 2.0)

    def prepare(self, x: Any, seed: Any = None) -> Array:
        x = _linalg.widened(_linalg.balanced(points(x)))
        xp, rows = x.xp, x.values
        mean = xp.mean(rows, axis=0)
        lengths, size = xp.linalg.vector_norm(rows, axis=1), length(mean)
        _check_directions(x, lengths, size)
        return xp.mean((rows @ mean) / lengths) / size


def _check_directions(x: Points, lengths: Array, size: Array) -> None:
    """`Undefined` for a row, or a mean row, that has no direction."""
    xp = x.xp
    zero = _array.stop_gradient(lengths) == 0
    if bool(xp.any(zero)):
        row = int(_array.to_numpy(zero).argmax())
        raise Undefined(
            f"row {row} is zero, so it has no direction and no cosine with the mean "
            f"row. Drop that stimulus."
        )
    largest = _array.number(xp.max(lengths))
    if _array.number(size) <= 4 * _array.eps(x.values) * largest:
        raise Undefined(
            "the mean row is zero up to rounding: rows that are centered have no "
            "concentricity. Pass raw rows."
        )


def concentricity_difference(x: Any, y: Any, /) -> Array:
    r"""Difference between how closely rows gather around their mean row.

    .. math::

        |c(x) - c(y)|, \qquad
        c(x) = \frac{1}{n} \sum_{i=1}^n \cos(x_i, \bar x),
        \qquad \bar x = \frac{1}{n} \sum_{i=1}^n x_i

    where

    - :math:`x_i` are the rows of x as they are; :math:`\bar x` is the mean of those
      raw rows, not of their directions.

    Parameters
    ----------
    x, y
        n1 x d1 and n2 x d2; arrays of one library. Rows need not correspond, nor be
        equally many.

    Returns
    -------
    0-d array of the caller's library
        In [0, 2].

    Notes
    -----
    Invariant to rotations, reflections and isotropic scaling of either side, and to the
    order of rows. A pseudometric: 0 does not mean equal.

    Not to be confused with: the mean cosine of all pairs of rows; the same after
    normalizing rows, where long rows do not pull the mean.

    Raises
    ------
    Undefined
        For a zero row, and where the mean row is zero.

    References
    ----------
    wang2022understanding, klabunde2025similarity

    Examples
    --------
    Rows along one axis have cosine 1 with their mean; (1, 0) and (0, 1) are at 45
    degrees from theirs:

    >>> round(float(concentricity_difference([[1, 0], [2, 0]], [[1, 0], [0, 1]])), 4)
    0.2929
    """
    return ConcentricityDifference()(x, y)
