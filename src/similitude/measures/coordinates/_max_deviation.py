"""Largest difference of a single value."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from .._claims import Alias, Claims, KnownScore
from ..shape._base import Sized
from ._base import CoordinateMeasure, difference

__all__ = ["MaxDeviation", "max_deviation"]


@dataclass(frozen=True, kw_only=True)
class MaxDeviation(CoordinateMeasure):
    """Largest absolute difference; see `similitude.max_deviation`."""

    name = "max_deviation"
    refs = ("higham2002accuracy",)
    aliases = (Alias("max_abs_error"),)
    known = (KnownScore([[3, 4]], [[2.5, 4.25]], 0.5),)

    def claims(self) -> Claims:
        return Claims(
            on_device=True,
            kind="distance",
            range=(0.0, math.inf),
            triangle=True,
            same_columns=True,
            grows_with_n=True,
            chance="in units of x and y",
            per_stimulus="residual",
        )

    def compare(self, p: Sized, q: Sized) -> Array:
        rows, unit = difference(p, q)
        xp = _array.namespace(rows)
        return _linalg.in_unit(xp.max(xp.abs(rows)), unit)

    def per_stimulus(self, p: Sized, q: Sized) -> np.ndarray:
        rows, unit = difference(p, q)
        xp = _array.namespace(rows)
        return _array.to_numpy(xp.max(xp.abs(rows), axis=1)) * unit


def max_deviation(x: Any, y: Any, /) -> Score:
    r"""Largest absolute difference between two values at the same place.

    .. math::

        \max_{i,j} |x_{ij} - y_{ij}|

    where

    - :math:`x_{ij}, y_{ij}` are the values of unit j for stimulus i, as they are.

    Parameters
    ----------
    x, y
        n x d arrays of one library. Row i is the same stimulus and column j the same
        unit in both.

    Returns
    -------
    0-d array of the caller's library
        At least 0, in the unit of the values. `per_stimulus` has the largest difference
        of each row.

    Notes
    -----
    Not invariant to any transformation. A metric. It is a property of these rows: with
    more rows it can only grow.

    Not to be confused with: the largest relative difference, which a value near 0
    dominates; `relative_error`, which averages over all values.

    Raises
    ------
    Undefined
        If the numbers of columns differ.

    References
    ----------
    higham2002accuracy

    Examples
    --------
    >>> float(max_deviation([[3.0, 4.0]], [[2.5, 4.25]]))
    0.5
    """
    return MaxDeviation()(x, y)
