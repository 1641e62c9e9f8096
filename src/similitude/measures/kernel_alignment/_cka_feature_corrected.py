"""Linear CKA, corrected for the sampling of rows and of columns."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._validate import points
from ...errors import Undefined
from ...transformations import COLUMNS
from .._claims import Claims
from ._base import Aligned, KernelAlignment, check_no_classes, linear_side

__all__ = ["CKAFeatureCorrected", "cka_feature_corrected"]

# Independent columns also give a sum over pairs of different columns within this many
# standard deviations of 0.
_DEVIATIONS = 4.0


@dataclass(frozen=True, kw_only=True)
class CKAFeatureCorrected(KernelAlignment):
    """CKA of a population of units; see `similitude.cka_feature_corrected`."""

    name = "cka_feature_corrected"
    refs = ("chun2025estimating", "song2012feature")

    def claims(self) -> Claims:
        # Columns are a sample of units: their order does not matter, their axes do.
        return Claims(
            on_device=True,
            kind="similarity",
            range=(-math.inf, math.inf),
            invariant=COLUMNS,
            chance="0",
        )

    def prepare(self, x: Any, seed: Any = None) -> Aligned:
        x = points(x)
        check_no_classes(x, "feature-corrected CKA")
        if x.n < 4 or x.d < 2:
            raise Undefined(
                f"feature-corrected CKA needs at least 4 rows and 2 columns; got {x.n} "
                f"rows and {x.d} columns."
            )
        rows = _linalg.center(_linalg.widened(_linalg.balanced(x)))
        side = linear_side(rows, unbiased=True)
        own = _squares_of_columns(rows)
        between = _linalg.inner(side, side) - x.xp.sum(own)
        _check_dependent(between, own, x.n)
        # `compare` divides a sum over all pairs of columns by both norms. This factor
        # makes a norm d times the root of the mean over pairs of different columns.
        return Aligned(side, x.xp.sqrt(between * (x.d / (x.d - 1))))

    def offers(self, method: str) -> bool:
        # The sum over pairs of columns without some rows does not follow from the Gram.
        return method != "leave_out" and super().offers(method)


def _squares_of_columns(rows: Array) -> Array:
    """n (n - 3) HSIC_1 of each centered column with itself."""
    xp, n = _array.namespace(rows), rows.shape[0]
    squares = rows * rows
    sums, fourths = xp.sum(squares, axis=0), xp.sum(squares * squares, axis=0)
    return sums**2 * (1 + 1 / ((n - 1) * (n - 2))) - n / (n - 2) * fourths


def _check_dependent(between: Array, own: Array, n: int) -> None:
    """Raise `Undefined` if different columns are related only by chance.

    If the rows of each column are permuted independently, sums over pairs have mean 0
    and variance ``2 |A|^2 |B|^2 / (n (n - 3))``, and are uncorrelated.
    """
    total, sizes = _array.number(between), _array.to_numpy(own)
    products = float(np.sum(sizes)) ** 2 - float(np.sum(sizes**2))
    deviation = math.sqrt(max(4 * products / (n * (n - 3)), 0.0))
    if total <= _DEVIATIONS * deviation or deviation == 0:
        raise Undefined(
            "the columns of this representation are not more related than independent "
            "columns, so the similarity of their population is 0/0. Use more stimuli, "
            "related columns, or cka()."
        )


def cka_feature_corrected(x: Any, y: Any, /) -> Score:
    r"""Linear CKA of two populations of units, from a sample of each.

    .. math::

        \frac{\frac{1}{d_1 d_2} \sum_{a,b} H(x_a, y_b)}
        {\sqrt{\frac{1}{d_1 (d_1 - 1)} \sum_{a \ne a'} H(x_a, x_{a'})\;
               \frac{1}{d_2 (d_2 - 1)} \sum_{b \ne b'} H(y_b, y_{b'})}}

    where

    - :math:`x_a` is column a of the d1 sampled columns of x, :math:`y_b` column b of y;
    - :math:`H(u, v)` is HSIC_1 of the linear kernels uu' and vv', unbiased in the rows;
      see `similitude.cka`.

    A mean over all pairs of columns, including (a, a), would overestimate the norm of a
    side, because the sampling of columns adds to it. CKA would then fall with fewer
    columns. Here the numerator and both sums in the denominator are U-statistics in
    rows and in columns, so they are unbiased in both.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.
        Columns are samples of two populations, drawn independently of each other.

    Returns
    -------
    0-d array of the caller's library
        Any number. It estimates the CKA of the populations. It may exceed 1 by chance,
        or if x and y share columns; a sample scores more than 1 against itself.

    Notes
    -----
    Invariant to permutations and sign changes of columns, isotropic scaling and
    translation of either side. Rotations change the score, because units are sampled.

    Not to be confused with: unbiased CKA, which corrects for the sampling of rows only.

    Raises
    ------
    Undefined
        For fewer than 4 rows or 2 columns. Also for columns that are not more related
        than independent noise (within four standard deviations): the population's value
        is then 0/0.

    References
    ----------
    chun2025estimating, song2012feature

    Examples
    --------
    If all units respond alike up to sign, any sample represents the population. If
    units differ in size, the mean over pairs leaves out the square of the largest:

    >>> import numpy as np
    >>> u = np.random.default_rng(0).normal(size=(40, 1))
    >>> round(float(cka_feature_corrected(u * [1, 1, -1], u * [2, 2])), 4)
    1.0
    >>> round(float(cka_feature_corrected(u * [1, 1, 2], u * [2, 2])), 4)  # 2 / sqrt 3
    1.1547
    """
    return CKAFeatureCorrected()(x, y)
