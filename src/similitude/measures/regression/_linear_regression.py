"""Linear regression: how well one representation predicts the other."""

import functools
from dataclasses import dataclass
from typing import Any

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._validate import NotNegative, Points, points
from ...errors import Undefined
from ...transformations import AFFINE, SHAPE, SIZE_AND_SHAPE
from .._base import Measure
from .._claims import SIDE, SQUARE, Alias, Claims, KnownScore
from .._folds import FoldCount, folds
from .._sums import Sums
from .._surrogate import surrogate
from ._coverage import LEAST_SQUARES

__all__ = ["LinearRegression", "linear_regression"]

_CLOSE = 0.9999  # a share above is computed from its residual, which has more digits


@dataclass(frozen=True, eq=False)
class RegressionSide:
    """A representation as a target, and on demand as a predictor."""

    x: Points
    ridge: float
    target: Array  # centered, in at most n columns

    @functools.cached_property
    def square(self) -> Array:
        """Total sum of squares of the target."""
        xp, flat = self.x.xp, self.x.xp.reshape(self.target, (-1,))
        return xp.vecdot(flat, flat)

    @functools.cached_property
    def predictor(self) -> _linalg.Whitened:
        """The whitened rows; not computed if this side is only a target."""
        return _linalg.whiten(self._checked, self.ridge)

    @property
    def _checked(self) -> Points:
        return _linalg.check_squares(self.x, "ridge") if self.ridge else self.x

    @functools.cached_property
    def rows(self) -> Array:
        """Centered rows, reduced to their rank, so rounding noise cannot predict."""
        rows = _linalg.narrow(_linalg.center(_linalg.widened(self._checked)))
        rows = _array.stop_gradient(rows)
        rank = _linalg.whiten(self.x).rank
        return rows @ _linalg.svd(rows)[2][:rank, :].T


@dataclass(frozen=True, kw_only=True)
class LinearRegression(Measure):
    """Share of y that is linear in x; see `similitude.linear_regression`."""

    name = "linear_regression"
    refs = ("kornblith2019similarity", "hoerl1970ridge")
    aliases = (Alias("regression"), Alias("r2"))
    known = (KnownScore(SIDE, SQUARE, 0.5),)

    ridge: NotNegative = 0.0
    cross_validated: bool = False
    folds: FoldCount = 5

    def claims(self) -> Claims:
        # A ridge weights the directions of x by their size. So does the minimum-norm
        # fit, which is used if a fold has fewer rows than columns.
        invariant_x = SIZE_AND_SHAPE
        if self.ridge == 0:
            invariant_x = SHAPE if self.cross_validated else AFFINE
        return Claims(
            on_device=True,
            kind="similarity",
            range=(-float("inf") if self.cross_validated else 0.0, 1.0),
            symmetric=False,
            invariant_x=invariant_x,
            invariant_y=SHAPE,
            differentiable=not self.cross_validated,
            chance=self._chance(),
            fits_noise=True,
            best_with_itself=self.ridge == 0 and not self.cross_validated,
            interval=None if self.ridge or self.cross_validated else LEAST_SQUARES,
        )

    def _chance(self) -> str | None:
        if self.cross_validated:
            return "below 0"
        return "rank of x / (n - 1)" + (", or less" if self.ridge else "")

    def prepare(self, x: Any, seed: Any = None) -> RegressionSide:
        x = points(x)
        balanced = _linalg.balanced(x)
        target = _linalg.narrow(_linalg.center(_linalg.widened(balanced)))
        # The scale of the predictor matters only with a ridge, and the scales of its
        # columns also for minimum-norm fits of folds.
        if self.ridge == 0:
            x = balanced if self.cross_validated else _linalg.balanced_columns(x)
        return RegressionSide(x, self.ridge, target)

    def compare(self, p: RegressionSide, q: RegressionSide) -> Array:
        if self.cross_validated:
            return self._held_out(p, q)
        n, rank = p.x.n, p.predictor.rank
        if self.ridge == 0 and rank >= n - 1:
            raise Undefined(
                f"x has rank {rank} and n - 1 = {n - 1}: least squares fits any y, so "
                f"R^2 is 1 whatever the data. Use more stimuli, cross_validated=True "
                f"or ridge=."
            )
        z, y = p.predictor, q.target
        if z.coefficients is not None:
            share = self._share(z, q)
            if _array.number(share) < _CLOSE:
                return share
        return _explained(y - z.rows @ (z.rows.T @ y), y)

    def _share(self, z: _linalg.Whitened, q: RegressionSide) -> Array:
        """``|y|^2 - |y - ZZ'y|^2`` without n x d matrices, as a share of ``|y|^2``.

        Let Z = XC, so C Z'y are the coefficients of the fit. Since Z'Z = I - ridge C'C,
        the difference is ``|Z'y|^2 + ridge |C Z'y|^2``.
        """
        xp, across = _array.namespace(q.target), z.across(_linalg.Factored(q.target))
        total = xp.sum(across**2)
        if self.ridge:
            total = total + self.ridge * xp.sum((z.coefficients @ across) ** 2)
        return total / q.square

    def compare_sums(self, sums: Sums) -> Array:
        return self(*surrogate(sums))

    def offers(self, method: str) -> bool:
        # Held-out rows are not in the sums.
        sums = method != "compare_sums" or not self.cross_validated
        return sums and super().offers(method)

    def _held_out(self, p: RegressionSide, q: RegressionSide) -> Array:
        xp = _array.namespace(p.rows, q.target)
        target = _array.stop_gradient(q.target)
        residuals, targets = [], []
        pairs = zip(folds(p.rows, self.folds), folds(target, self.folds), strict=True)
        for (train_x, test_x), (train_y, test_y) in pairs:
            if self.ridge == 0:
                fit = _linalg.pinv(train_x) @ train_y
            else:
                z, r = _linalg.ridge_factor(train_x, self.ridge)
                fit = xp.linalg.solve(r, z.T @ train_y)
            residuals.append(test_y - test_x @ fit)
            targets.append(test_y)
        return _explained(xp.concat(residuals), xp.concat(targets))

    def details(self, p: RegressionSide, q: RegressionSide) -> dict[str, Any]:
        return {"rank_x": p.predictor.rank, "dead_x": p.predictor.dead}


def _explained(residual: Array, y: Array) -> Array:
    """Share of the total variance of y that is not in the residual."""
    xp = _array.namespace(residual, y)
    return 1.0 - xp.sum(residual**2) / xp.sum(y**2)


def linear_regression(
    x: Any,
    y: Any,
    /,
    *,
    ridge: float = 0.0,
    cross_validated: bool = False,
    folds: int = 5,
) -> Score:
    r"""Share of the variance of y that a linear map of x explains.

    .. math::

        R^2 = 1 - \frac{\min_B \|Y - X B\|_F^2}{\|Y\|_F^2}

    where

    - X and Y are x and y with column means removed, so the map has an intercept;
    - the minimum is by least squares on the numerical rank of X, or of
      :math:`\|Y - XB\|_F^2 + \lambda \|B\|_F^2` with :math:`\lambda` = `ridge`.

    Columns of y are weighted by their variance: this is the total R^2, not the mean R^2
    of columns.

    Parameters
    ----------
    x, y
        n x d1 predictor and n x d2 target, arrays of one library; row i is the same
        stimulus in both.
    ridge
        Penalty on the coefficients, in the units of X'X (scikit-learn's ``alpha``).
    cross_validated
        Fit on some rows and score the others. If a fold has fewer rows than x has
        columns, the minimum-norm fit is used.
    folds
        Number of folds; row i is held out in fold i mod `folds`.

    Returns
    -------
    0-d array of the caller's library
        In [0, 1]. Cross-validated: at most 1, and below 0 if the map predicts worse
        than the mean.

    Notes
    -----
    Asymmetric. Invariant to every invertible affine map of x; if cross-validated, to
    rotations, reflections, isotropic scaling and translation of x; with a ridge, to the
    same without scaling. Invariant to rotations, reflections, isotropic scaling and
    translation of y.

    Not to be confused with: the uniform average of R^2 over columns; the squared
    multiple correlation of CCA, which also whitens y.

    Raises
    ------
    Undefined
        If all rows of x, or all rows of y, are equal. Without ridge or
        cross-validation, also if the rank of x reaches n - 1.

    References
    ----------
    kornblith2019similarity, hoerl1970ridge

    Examples
    --------
    One side of a square explains half of the variance of the square, and the square
    explains all of its side:

    >>> square = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    >>> side = [[1], [1], [-1], [-1]]
    >>> round(float(linear_regression(side, square)), 4)
    0.5
    >>> round(float(linear_regression(square, side)), 4)
    1.0
    """
    measure = LinearRegression(
        ridge=ridge, cross_validated=cross_validated, folds=folds
    )
    return measure(x, y)
