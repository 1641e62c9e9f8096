"""Distance between the predictions of linear probes."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._validate import NotNegative, points
from ...errors import Undefined
from ...transformations import AFFINE, SHAPE
from .._base import Measure
from .._claims import Claims

__all__ = ["GULP", "gulp"]


@dataclass(frozen=True, eq=False)
class Probe:
    """The smoother of a linear probe on one representation."""

    rows: _linalg.Factored  # Z, where ZZ' is the smoother of a ridge regression on x
    square: Array  # |ZZ'|_F^2, which is the rank of x without a ridge


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
            on_device=True,
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
        given = points(x)
        x = _linalg.balanced(given)
        if self.ridge:
            # The penalty is n times the ridge for rows with mean squared length 1.
            # Scaling the penalty by |Xc|^2 is equivalent to scaling the rows.
            rows = _linalg.narrow(_linalg.center(_linalg.widened(x)))
            z, own = _linalg.ridge_basis(rows, self.ridge * x.xp.sum(rows**2))
            return Probe(z, x.xp.sum(own**2))
        white = _linalg.whiten(_linalg.balanced_columns(given))
        if white.rank >= x.n - 1:
            raise Undefined(
                f"this representation has rank {white.rank} and n - 1 = {x.n - 1}. "
                f"Without a ridge it predicts every target. Use ridge=, or more "
                f"stimuli."
            )
        return Probe(white, _square(white, white))

    def compare(self, p: Probe, q: Probe) -> Array:
        square = p.square + q.square - 2.0 * _square(p.rows, q.rows)
        # It can be negative by rounding only; safe_sqrt has gradient 0 there.
        root = _linalg.safe_sqrt(square)
        return root**2 if self.form == "squared" else root

    def permute(self, q: Probe, order: np.ndarray) -> Probe:
        return replace(q, rows=q.rows.permute(order))


def _square(z: _linalg.Factored, w: _linalg.Factored) -> Array:
    """``<ZZ', WW'> = |Z'W|^2``, without n x n matrices."""
    across = z.across(w)
    return _array.namespace(across).sum(across**2)


def gulp(
    x: Any,
    y: Any,
    /,
    *,
    ridge: float = 0.01,
    form: Literal["distance", "squared"] = "distance",
) -> Score:
    r"""Mean difference between the predictions of linear probes on x and on y.

    .. math::

        d^2 = \mathrm{tr}\big( (A^\lambda A)^2 \big)
        + \mathrm{tr}\big( (B^\lambda B)^2 \big)
        - 2\, \mathrm{tr}\big( A^\lambda C B^\lambda C' \big),
        \qquad A^\lambda = (A + \lambda I)^{-1}

    where

    - A = X'X / n, B = Y'Y / n and C = X'Y / n. X and Y are centered, and scaled to a
      mean squared row length of 1.
    - :math:`\lambda` is `ridge`.

    For each target of unit variance at the stimuli, take the ridge regressions on x and
    on y. :math:`d^2` is the squared difference of their predictions, averaged over all
    such targets.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library. Row i of both is the same stimulus.
    ridge
        Penalty of the probes, at least 0, in units of the total variance.
    form
        ``"distance"`` for d, or ``"squared"`` for d^2.

    Returns
    -------
    0-d array of the caller's library
        At least 0; d is at most the square root of the sum of the ranks.

    Notes
    -----
    Invariant to rotations, reflections, isotropic scaling and translation. With
    ridge=0, invariant to any invertible affine map, and
    :math:`d^2 = r_1 + r_2 - 2 \sum_k \rho_k^2` with canonical correlations
    :math:`\rho_k`. d is a metric between representations up to these maps; d^2 is not.

    Not to be confused with: the published code, which returns d^2 and needs at least as
    many stimuli as columns; the prediction error of a probe for one target.

    Raises
    ------
    Undefined
        If all rows are equal, or with ridge=0 if a rank reaches n - 1.

    References
    ----------
    boixadsera2022gulp

    Examples
    --------
    A square and one of its coordinates, without a ridge: 2 + 1 - 2 * 1.

    >>> square = [[1, 1], [1, -1], [-1, 1], [-1, -1], [0, 0]]
    >>> side = [[1], [1], [-1], [-1], [0]]
    >>> round(float(gulp(square, side, ridge=0.0)), 4)
    1.0
    """
    return GULP(ridge=ridge, form=form)(x, y)
