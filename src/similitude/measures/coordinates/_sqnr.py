"""Signal-to-quantization-noise ratio in decibels."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._base import _array
from ..._base._array import Array, Score
from .._claims import Alias, Claims, KnownScore
from ..shape._base import Sized
from ._base import CoordinateMeasure, relative_errors

__all__ = ["SQNR", "sqnr"]

_LEAST = float(np.finfo(np.float64).eps)  # smaller errors are rounding of float64
_HIGHEST = -20.0 * math.log10(_LEAST)


@dataclass(frozen=True, kw_only=True)
class SQNR(CoordinateMeasure):
    """Size of x over the size of x - y in dB; see `similitude.sqnr`."""

    name = "sqnr"
    refs = ("widrow2008quantization",)
    aliases = (Alias("snr"),)
    known = (KnownScore([[3, 4]], [[3, 3.5]], 20.0),)

    def claims(self) -> Claims:
        return Claims(
            on_device=True,
            kind="similarity",
            range=(-math.inf, _HIGHEST),
            symmetric=False,
            same_columns=True,
            chance="about -3 for representations of one size",
            per_stimulus="residual",
        )

    def compare(self, p: Sized, q: Sized) -> Array:
        return _decibels(relative_errors(p, q)[1])

    def per_stimulus(self, p: Sized, q: Sized) -> np.ndarray:
        return _array.to_numpy(_decibels(relative_errors(p, q)[0]))


def _decibels(error: Array) -> Array:
    xp = _array.namespace(error)
    return -20.0 * xp.log10(xp.clip(error, _LEAST, None))


def sqnr(x: Any, y: Any, /) -> Score:
    r"""Signal-to-quantization-noise ratio of y as a copy of x, in decibels.

    .. math::

        20 \log_{10} \frac{\|X\|_F}{\|X - Y\|_F}

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
        20 dB more is an error ten times smaller. Equal arrays have 313 dB, the
        resolution of float64. `per_stimulus` is relative to the root-mean-square length
        of the rows of x.

    Notes
    -----
    Not invariant to any transformation. Asymmetric: the error is relative to x. It is
    `relative_error` on a logarithmic scale.

    Not to be confused with: the peak signal-to-noise ratio, which divides the largest
    possible value; a ratio of powers, which has the factor 10 before its logarithm.

    Raises
    ------
    Undefined
        If the numbers of columns differ, or if x is 0 everywhere.

    References
    ----------
    widrow2008quantization

    Examples
    --------
    One row (3, 4) of length 5, and an error of 0.5: a tenth.

    >>> round(float(sqnr([[3.0, 4.0]], [[3.0, 3.5]])), 6)
    20.0
    """
    return SQNR()(x, y)
