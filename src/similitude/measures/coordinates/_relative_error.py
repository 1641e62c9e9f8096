"""Relative error of the values."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._base import _array
from ..._base._array import Array, Score
from .._claims import Claims, KnownScore
from ..shape._base import Sized
from ._base import CoordinateMeasure, relative_errors

__all__ = ["RelativeError", "relative_error"]


@dataclass(frozen=True, kw_only=True)
class RelativeError(CoordinateMeasure):
    """Norm of x - y relative to x; see `similitude.relative_error`."""

    name = "relative_error"
    refs = ("higham2002accuracy",)
    known = (KnownScore([[3, 4]], [[3, 3]], 0.2),)

    def claims(self) -> Claims:
        return Claims(
            on_device=True,
            kind="distance",
            range=(0.0, math.inf),
            symmetric=False,
            same_columns=True,
            chance="about 1.4 for representations of one size",
            per_stimulus="residual",
        )

    def compare(self, p: Sized, q: Sized) -> Array:
        return relative_errors(p, q)[1]

    def per_stimulus(self, p: Sized, q: Sized) -> np.ndarray:
        return _array.to_numpy(relative_errors(p, q)[0])


def relative_error(x: Any, y: Any, /) -> Score:
    r"""Norm of the difference of two arrays, relative to the norm of the first.

    .. math::

        \frac{\|X - Y\|_F}{\|X\|_F}

    where

    - X and Y are x and y as they are: nothing is centered, scaled or rotated.

    Parameters
    ----------
    x, y
        n x d arrays of one library; x is the reference. Row i is the same stimulus and
        column j the same unit in both.

    Returns
    -------
    0-d array of the caller's library
        At least 0; 0 only if the arrays are equal. `per_stimulus` has the error of each
        row over the root-mean-square length of the rows of x; the score is the root
        mean square of these.

    Notes
    -----
    Not invariant to any transformation. Asymmetric: the error is relative to x.

    Not to be confused with: `procrustes`, which is the error after the best rotation;
    a mean of relative errors of single values, which a value near 0 dominates.

    Raises
    ------
    Undefined
        If the numbers of columns differ, or if x is 0 everywhere.

    References
    ----------
    higham2002accuracy

    Examples
    --------
    One row (3, 4) of length 5, and an error of 1.

    >>> float(relative_error([[3.0, 4.0]], [[3.0, 3.0]]))
    0.2
    """
    return RelativeError()(x, y)
