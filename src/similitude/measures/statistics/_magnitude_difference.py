"""Magnitude: the length of the mean row."""

from dataclasses import dataclass
from typing import Any

from ... import _linalg
from ..._base._array import Array, Score
from ..._base._validate import points
from ...transformations import Group
from .._claims import Claims
from ._base import Difference, length

__all__ = ["MagnitudeDifference", "magnitude_difference"]


@dataclass(frozen=True, kw_only=True)
class MagnitudeDifference(Difference):
    """Difference of magnitudes; see `similitude.magnitude_difference`."""

    name = "magnitude_difference"
    statistic = "magnitude"
    refs = ("wang2022understanding", "klabunde2025similarity")

    def claims(self) -> Claims:
        return self.difference(frozenset({Group.ROTATION}), float("inf"))

    def prepare(self, x: Any, seed: Any = None) -> Array:
        x = _linalg.widened(_linalg.balanced(points(x)))
        return length(x.xp.mean(x.values, axis=0)) * x.unit


def magnitude_difference(x: Any, y: Any, /) -> Score:
    r"""Difference between the lengths of the two mean rows.

    .. math::

        \Big| \|\bar x\|_2 - \|\bar y\|_2 \Big|,
        \qquad \bar x = \frac{1}{n} \sum_{i=1}^n x_i

    where

    - :math:`x_i` are the raw rows of x, neither centered nor normalized.

    Parameters
    ----------
    x, y
        n1 x d1 and n2 x d2 arrays of one library. Rows need not correspond, and n1 and
        n2 may differ.

    Returns
    -------
    0-d array of the caller's library
        At least 0.

    Notes
    -----
    Invariant to rotations and reflections of either side, and to the order of rows. It
    therefore does not compare the content of rows. A pseudometric: 0 does not mean
    equal.

    Not to be confused with: the mean length of the rows, which is larger unless all
    rows have the same direction.

    References
    ----------
    wang2022understanding, klabunde2025similarity

    Examples
    --------
    The mean rows are (3, 4) and (0, 1), with lengths 5 and 1:

    >>> float(magnitude_difference([[2, 4], [4, 4]], [[-7, 1], [7, 1], [0, 1]]))
    4.0
    """
    return MagnitudeDifference()(x, y)
