"""Size-and-shape distance: Procrustes without scaling."""

from dataclasses import dataclass
from typing import Any

from ... import _linalg
from ..._base._array import Array, Score
from ..._base._validate import points
from ...transformations import SIZE_AND_SHAPE
from .._claims import Claims
from ._base import Sized, SizedMeasure, sized_distance

__all__ = ["SizeAndShape", "size_and_shape"]


@dataclass(frozen=True, kw_only=True)
class SizeAndShape(SizedMeasure):
    """Procrustes distance without scaling; see `similitude.size_and_shape`."""

    name = "size_and_shape"
    refs = ("schonemann1966generalized", "dryden2016statistical")

    def claims(self) -> Claims:
        return Claims(
            on_device=True,
            kind="distance",
            range=(0.0, float("inf")),
            triangle=True,
            invariant=SIZE_AND_SHAPE,
            chance="at least the difference of their sizes, in units of x and y",
        )

    def prepare(self, x: Any, seed: Any = None) -> Sized:
        x = _linalg.widened(_linalg.balanced(points(x)))
        return Sized(_linalg.narrow(_linalg.center(x)), x.unit)

    def compare(self, p: Sized, q: Sized) -> Array:
        return sized_distance(_linalg.best_rotation_residual, p, q)


def size_and_shape(x: Any, y: Any, /) -> Score:
    r"""Distance between two representations after the best rotation, without scaling.

    .. math::

        d = \min_{Q'Q = I} \|X - Y Q\|_F
          = \sqrt{\|X\|_F^2 + \|Y\|_F^2 - 2 \|X' Y\|_*}

    where

    - X and Y are x and y with column means removed, and the narrower one padded with
      zero columns;
    - :math:`\|\cdot\|_*` is the nuclear norm, the sum of the singular values.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.

    Returns
    -------
    0-d array of the caller's library
        At least 0, in the units of x and y. It grows as the root of n.

    Notes
    -----
    Invariant to rotations, reflections and translation of either side; a metric.

    Not to be confused with: Procrustes, which scales both to unit size first; the
    Bures distance of covariances, :math:`\min \|X - QY\|_F`, where the rotation acts on
    rows and stimuli do not have to be paired.

    Raises
    ------
    Undefined
        If all rows of x, or all rows of y, are equal.

    References
    ----------
    schonemann1966generalized, dryden2016statistical

    Examples
    --------
    If a square is doubled, each of its four corners moves by the root of 2. Turned by
    90 degrees, it is the same square.

    >>> square = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    >>> double = [[2, 2], [2, -2], [-2, 2], [-2, -2]]
    >>> round(float(size_and_shape(square, double)) ** 2, 6)
    8.0
    >>> round(float(size_and_shape(square, [[1, -1], [-1, -1], [1, 1], [-1, 1]])), 6)
    0.0
    """
    return SizeAndShape()(x, y)
