"""Linear probes: how differently they can predict."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ... import _array, _linalg
from ..._array import Array
from ..._validate import NotNegative, points
from ...errors import Undefined
from ...transformations import AFFINE, SHAPE
from .._base import Measure
from .._claims import Claims

__all__ = ["GULP", "gulp"]


@dataclass(frozen=True, eq=False)
class Probe:
    """A representation as a linear probe sees it."""

    rows: Array  # Z with ZZ' the smoother of a ridge regression on it
    square: Array  # |ZZ'|_F^2, the effective number of directions without a ridge


@dataclass(frozen=True, kw_only=True)
class GULP(Measure):
    """Distance between linear probes; see `similitude.gulp`."""

    name = "gulp"
    refs = ("boixadsera2022gulp",)

    ridge: NotNegative = 0.01
    form: Literal["distance", "squared"] = "distance"

    def claims(self) -> Claims:
        invariant = SHAPE if self.ridge else AFFINE
        return Claims(
            kind="distance",
            range=(0.0, float("inf")),
            triangle=self.form == "distance",
            invariant=invariant,
            chance=None if self.ridge else self._chance(),
            fits_noise=True,
        )

    def _chance(self) -> str:
        square = "r1 + r2 - 2 r1 r2 / (n - 1), r1 and r2 the ranks"
        return square if self.form == "squared" else f"just below the root of {square}"

    def prepare(self, x: Any, seed: Any = None) -> Probe:
        x = _linalg.balanced(points(x))
        if self.ridge:
            # n times the ridge, for rows whose mean squared length is 1: scaling the
            # penalty by |Xc|^2 is the same as scaling the rows.
            rows = _linalg.narrow(_linalg.center(_linalg.widened(x)))
            z = _linalg.ridge_factor(rows, self.ridge * x.xp.sum(rows**2))[0]
            return Probe(z, _square(z, z))
        white = _linalg.whiten(x)
        if white.rank >= x.n - 1:
            raise Undefined(
                f"this representation has rank {white.rank} and n - 1 = {x.n - 1}: "
                f"without a ridge it predicts anything. Use ridge=, or more stimuli."
            )
        return Probe(white.rows, _square(white.rows, white.rows))

    def compare(self, p: Probe, q: Probe) -> Array:
        square = p.square + q.square - 2.0 * _square(p.rows, q.rows)
        # Below 0 by rounding only; the root has no slope there.
        root = _linalg.safe_sqrt(square)
        return root**2 if self.form == "squared" else root

    def permute(self, q: Probe, order: np.ndarray) -> Probe:
        return replace(q, rows=_array.take(q.rows, order))


def _square(z: Array, w: Array) -> Array:
    """<ZZ', WW'> = |Z'W|^2, and no n x n."""
    return _array.namespace(z, w).sum((z.T @ w) ** 2)


def gulp(
    x: Any,
    y: Any,
    /,
    *,
    ridge: float = 0.01,
    form: Literal["distance", "squared"] = "distance",
) -> Array:
    r"""How differently can linear probes on x and on y predict, at most on average?

    .. math::

        d^2 = \mathrm{tr}\big( (A^\lambda A)^2 \big)
        + \mathrm{tr}\big( (B^\lambda B)^2 \big)
        - 2\, \mathrm{tr}\big( A^\lambda C B^\lambda C' \big),
        \qquad A^\lambda = (A + \lambda I)^{-1}

    where

    - A = X'X / n, B = Y'Y / n and C = X'Y / n, with X and Y centered and scaled so that
      the mean squared length of their rows is 1;
    - :math:`\lambda` is `ridge`.

    It is the mean, over all targets of unit variance at the stimuli, of the squared
    difference between the ridge regressions of that target on x and on y.

    Parameters
    ----------
    x, y
        n x d1 and n x d2, rows the same n stimuli; arrays of one library.
    ridge
        Penalty of the probes, at least 0, in units of the total variance.
    form
        ``"distance"`` for d, or ``"squared"`` for d^2.

    Returns
    -------
    0-d array of the caller's library
        At least 0; at most the root of the sum of the ranks.

    Notes
    -----
    Invariant to rotations, reflections, isotropic scaling and translation; without a
    ridge to any invertible affine map, and then
    :math:`d^2 = r_1 + r_2 - 2 \sum_k \rho_k^2` with canonical correlations
    :math:`\rho_k`. d is a metric between representations up to these maps; d^2 is not.

    Not to be confused with: the published code, which returns d^2 and needs at least as
    many stimuli as columns; the prediction error of a probe for one target.

    Raises
    ------
    Undefined
        For constant rows, and without a ridge where a rank reaches n - 1.

    References
    ----------
    boixadsera2022gulp

    Examples
    --------
    A square and one of its sides, without a ridge: 2 + 1 - 2 * 1.

    >>> square = [[1, 1], [1, -1], [-1, 1], [-1, -1], [0, 0]]
    >>> side = [[1], [1], [-1], [-1], [0]]
    >>> round(float(gulp(square, side, ridge=0.0)), 4)
    1.0
    """
    return GULP(ridge=ridge, form=form)(x, y)
