"""Linear CKA, corrected for the sampling of rows and of columns."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _array, _linalg
from ..._array import Array
from ..._validate import points
from ...errors import Undefined
from ...transformations import COLUMNS
from .._claims import Claims
from ._base import Aligned, KernelAlignment, linear_side

__all__ = ["CKAFeatureCorrected", "cka_feature_corrected"]

# A sum over pairs of different columns within so many standard deviations of 0 is what
# independent columns have too.
_DEVIATIONS = 4.0


@dataclass(frozen=True, kw_only=True)
class CKAFeatureCorrected(KernelAlignment):
    """CKA of all columns from some; see `similitude.cka_feature_corrected`."""

    name = "cka_feature_corrected"
    refs = ("chun2025estimating", "song2012feature")

    def claims(self) -> Claims:
        # Columns are a sample: which they are may not matter, but their axes do.
        return Claims(
            kind="similarity",
            range=(-math.inf, math.inf),
            invariant=COLUMNS,
            chance="0",
        )

    def prepare(self, x: Any, seed: Any = None) -> Aligned:
        x = points(x)
        if x.n < 4 or x.d < 2:
            raise Undefined(
                f"feature-corrected CKA needs 4 rows and 2 columns or more; got {x.n} "
                f"and {x.d}."
            )
        rows = _linalg.center(_linalg.widened(_linalg.balanced(x)))
        side = linear_side(rows, unbiased=True)
        own = _squares_of_columns(rows)
        between = _linalg.inner(side, side) - x.xp.sum(own)
        _check_dependent(between, own, x.n)
        # Mean over pairs of different columns, against the mean over all pairs that
        # dividing by the norms of both sides takes.
        return Aligned(side, x.xp.sqrt(between * (x.d / (x.d - 1))))

    def offers(self, method: str) -> bool:
        # Without some rows the sum over pairs of columns does not follow from the Gram.
        return method != "leave_out" and super().offers(method)


def _squares_of_columns(rows: Array) -> Array:
    """n (n - 3) HSIC_1 of each centered column with itself."""
    xp, n = _array.namespace(rows), rows.shape[0]
    squares = rows * rows
    sums, fourths = xp.sum(squares, axis=0), xp.sum(squares * squares, axis=0)
    return sums**2 * (1 + 1 / ((n - 1) * (n - 2))) - n / (n - 2) * fourths


def _check_dependent(between: Array, own: Array, n: int) -> None:
    """`Undefined` if different columns have no more in common than by chance.

    With each column in an order of its own, sums over pairs have mean 0 and variance
    2 |A|^2 |B|^2 / (n (n - 3)), and are not correlated with each other.
    """
    total, sizes = _array.number(between), _array.to_numpy(own)
    products = float(np.sum(sizes)) ** 2 - float(np.sum(sizes**2))
    deviation = math.sqrt(max(4 * products / (n * (n - 3)), 0.0))
    if total <= _DEVIATIONS * deviation or deviation == 0:
        raise Undefined(
            "the columns of this representation have no more in common than "
            "independent ones, so that the similarity of the population they come from "
            "is 0/0. Use more stimuli or columns that are related, or cka()."
        )


def cka_feature_corrected(x: Any, y: Any, /) -> Array:
    r"""Linear CKA of two populations of units, from a sample of each.

    .. math::

        \frac{\frac{1}{d_1 d_2} \sum_{a,b} H(x_a, y_b)}
        {\sqrt{\frac{1}{d_1 (d_1 - 1)} \sum_{a \ne a'} H(x_a, x_{a'})\;
               \frac{1}{d_2 (d_2 - 1)} \sum_{b \ne b'} H(y_b, y_{b'})}}

    where

    - :math:`x_a` is column a of x, of the d1 that were sampled, and :math:`y_b` of y;
    - :math:`H(u, v)` is HSIC_1 of the linear kernels uu' and vv', unbiased in the rows;
      see `similitude.cka`.

    The mean over all pairs of columns, (a, a) included, would overestimate the norm of
    a side by what the sampling of columns adds to it, so that CKA falls with fewer
    columns. Numerator and both sums in the denominator are unbiased in rows and in
    columns: U-statistics in both.

    Parameters
    ----------
    x, y
        n x d1 and n x d2, rows the same n stimuli; arrays of one library. Columns are
        samples of two populations, drawn independently of each other.

    Returns
    -------
    0-d array of the caller's library
        Any number: about that of the populations, and above 1 by chance or where x and
        y share columns. A sample scores more than 1 against itself.

    Notes
    -----
    Invariant to permutations and sign changes of columns, isotropic scaling and
    translation of either side. Rotations change it, since units are what is sampled.

    Not to be confused with: unbiased CKA, which corrects for the sampling of rows only.

    Raises
    ------
    Undefined
        For fewer than 4 rows or 2 columns; for columns with no more in common than
        independent noise (within four standard deviations), where the population's
        value is 0/0.

    References
    ----------
    chun2025estimating, song2012feature

    Examples
    --------
    Units that all respond alike, up to sign: any sample of them tells the whole. Where
    units differ in size, the mean over pairs leaves out the square of the largest:

    >>> import numpy as np
    >>> u = np.random.default_rng(0).normal(size=(40, 1))
    >>> round(float(cka_feature_corrected(u * [1, 1, -1], u * [2, 2])), 4)
    1.0
    >>> round(float(cka_feature_corrected(u * [1, 1, 2], u * [2, 2])), 4)  # 2 / sqrt 3
    1.1547
    """
    return CKAFeatureCorrected()(x, y)
