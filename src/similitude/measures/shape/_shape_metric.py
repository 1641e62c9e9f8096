"""Generalized shape metrics: from Procrustes to CCA."""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._validate import points
from ...errors import InvalidInput, Undefined
from ...transformations import AFFINE, SHAPE, SIZE_AND_SHAPE
from .._base import Measure
from .._claims import Claims
from ..cca._base import check_rank_limit

__all__ = ["ShapeMetric", "shape_metric"]


@dataclass(frozen=True, eq=False)
class Shape:
    """Partly whitened rows of unit Frobenius norm, and their rank."""

    rows: _linalg.Factored
    white: dict[str, int]  # rank and dead columns; empty if nothing was whitened


@dataclass(frozen=True, kw_only=True)
class ShapeMetric(Measure):
    """Angle between partly whitened shapes; see `similitude.shape_metric`."""

    name = "shape_metric"
    refs = ("williams2021generalized",)

    alpha: float = 0.5  # 1 gives the same numbers as `procrustes`
    variant: Literal["power", "additive"] = "power"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.alpha <= 1:
            raise InvalidInput(
                f"alpha={self.alpha!r}; it must be in [0, 1], 0 for CCA, 1 for "
                f"Procrustes."
            )

    def claims(self) -> Claims:
        invariant = SHAPE
        if self.alpha == 0:
            invariant = AFFINE
        elif self.alpha < 1 and self.variant == "additive":
            invariant = SIZE_AND_SHAPE
        return Claims(
            on_device=True,
            kind="distance",
            range=(0.0, math.pi / 2),
            triangle=True,
            invariant=invariant,
            chance="goes to the score of the same representation as d / n grows",
            fits_noise=True,
        )

    def prepare(self, x: Any, seed: Any = None) -> Shape:
        given = points(x)
        x = _linalg.widened(_linalg.balanced(given))
        if self.alpha == 0:  # only the column space counts
            x = _linalg.balanced_columns(given)
        if self.alpha == 1:  # nothing is whitened, so the rank is not needed
            return _unit(_linalg.narrow(_linalg.center(x)), {})
        plain = isinstance(x.values, np.ndarray)  # no gradients
        if plain and self.alpha > 0 and (found := _linalg.principal_rows(x)):
            rows = self._weighted(*found, x.unit)
            return Shape(rows, {"rank": found[0].rank, "dead": 0})
        basis = _linalg.whiten(x)
        white = {"rank": basis.rank, "dead": basis.dead}
        if plain and basis.coordinates is not None:
            u, s, _ = _linalg.svd(basis.coordinates)
            return Shape(self._weighted(basis.times(u), s, x.unit), white)
        if self.alpha == 0:
            return _unit(basis.rows, white)
        rows = _linalg.center_each(x)
        return _unit(self._partly_whitened(rows, basis.rows, x.unit), white)

    def _weighted(
        self, z: _linalg.Factored, s: np.ndarray, unit: float
    ) -> _linalg.Factored:
        """Z S f(S) = X f(X'X) V in unit norm, for X = Z S V'."""
        constant, scale, power = self._terms(unit)
        with np.errstate(over="ignore", invalid="ignore"):
            weights = s * (constant + scale * s**-power)
        return z.scaled(weights / np.linalg.norm(weights))

    def _partly_whitened(self, rows: Array, basis: Array, unit: float) -> Array:
        """X f(X'X) in the coordinates of the principal directions of X.

        Gradients treat these directions as constants. A term with value 0 adds the
        first-order effect of their change on f(X'X). With divided differences this is
        the whole derivative, and it is finite at tied eigenvalues.
        """
        plain, basis = _array.stop_gradient(rows), _array.stop_gradient(basis)
        _, s, vt = _linalg.svd(basis.T @ plain)
        rotated = rows @ vt.T
        with np.errstate(over="ignore", invalid="ignore"):
            factors, slopes = self._function(_array.to_numpy(s), unit)
        if isinstance(rows, np.ndarray):  # no gradients
            return rotated * factors
        if not np.isfinite(slopes).all():
            raise Undefined(
                f"the singular values go down to {s[-1] / s[0]:.2g} of the largest, "
                f"and the derivative overflows. Use numpy, or drop the small columns."
            )
        gram = rotated.T @ rotated
        first_order = _array.from_numpy(slopes, rows) * (
            gram - _array.stop_gradient(gram)
        )
        return rotated * _array.from_numpy(factors, rows) + rotated @ first_order

    def _function(self, s: np.ndarray, unit: float) -> tuple[np.ndarray, np.ndarray]:
        """f at the eigenvalues s^2 of X'X, and its divided differences.

        The constant of f does not affect the differences.
        """
        constant, scale, p = self._terms(unit)
        return constant + scale * s**-p, scale * _divided_differences(s, p)

    def _terms(self, unit: float) -> tuple[float, float, float]:
        """Constant, factor and p of f = constant + factor s^-p."""
        if self.variant == "power":
            return 0.0, 1.0, 1.0 - self.alpha
        # In the caller's unit; both factors are at most 1.
        constant, scale = self.alpha * unit, 1.0 - self.alpha
        largest = max(constant, scale)
        return constant / largest, scale / largest, 1.0

    def compare(self, p: Shape, q: Shape) -> Array:
        if self.alpha == 0:
            n = p.rows.n
            check_rank_limit(n, p.white["rank"], q.white["rank"], "alpha= above 0")
        if p.rows.coefficients is None and q.rows.coefficients is None:
            squared = _linalg.best_rotation_residual(p.rows.columns, q.rows.columns)
        else:
            whole = _array.scalar(2.0, p.rows.columns)
            squared = _linalg.factored_residual(p.rows, q.rows, whole)
        return _linalg.chord_angle(_linalg.safe_sqrt(squared))

    def null_work(self, n: int, d_x: int, d_y: int) -> float:
        return _linalg.rotation_work(n, d_x, d_y)

    def permute(self, q: Shape, order: np.ndarray) -> Shape:
        return Shape(q.rows.permute(order), q.white)

    def details(self, p: Shape, q: Shape) -> dict[str, Any]:
        sides = (("x", p), ("y", q))
        return {f"{key}_{s}": v for s, side in sides for key, v in side.white.items()}


def _unit(rows: Array, white: dict[str, int]) -> Shape:
    unit = rows / _array.namespace(rows).linalg.matrix_norm(rows)
    return Shape(_linalg.Factored(unit), white)


def _divided_differences(s: np.ndarray, p: float) -> np.ndarray:
    """(a^-p - b^-p) / (a^2 - b^2) for all pairs of `s`; the derivative where a = b."""
    a, b = s[:, None], s[None, :]
    differ = np.abs(a - b) > 1e-5 * (a + b)
    denominator = np.where(differ, (a - b) * (a + b), 1.0)
    middle = np.sqrt(a * b)
    return np.where(differ, (a**-p - b**-p) / denominator, -p / 2 * middle ** (-p - 2))


def shape_metric(
    x: Any,
    y: Any,
    /,
    *,
    alpha: float = 0.5,
    variant: Literal["power", "additive"] = "power",
) -> Score:
    r"""Angle between two partly whitened representations.

    .. math::

        \theta_\alpha = \arccos \frac{\|\phi(X)' \phi(Y)\|_*}
            {\|\phi(X)\|_F \|\phi(Y)\|_F},
        \qquad \phi(X) = X (X'X)^{-(1 - \alpha)/2}

    where

    - X and Y are x and y with column means removed;
    - :math:`\|\cdot\|_*` is the nuclear norm, so this is the angle after the best
      rotation (unequal widths: after padding with zeros);
    - powers of :math:`X'X` are restricted to its numerical rank.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.
    alpha
        1 is the Procrustes angle. 0 is CCA: the cosine is
        :math:`\sum_k \rho_k / \sqrt{r_1 r_2}`, which is `mean_cca` for equal ranks.
    variant
        ``"power"`` as above, or ``"additive"`` for :math:`\phi(X) = X (\alpha I +
        (1 - \alpha) (X'X)^{-1/2})`, as in the netrep package. The additive variant
        depends on the scale of x and on n. Both are the same at alpha = 0 and 1.

    Returns
    -------
    0-d array of the caller's library
        In [0, pi/2], radians.

    Notes
    -----
    Invariant to rotations, reflections, isotropic scaling and translation of either
    side; at alpha = 0 to every invertible affine map. The additive variant with alpha
    between 0 and 1 is not invariant to scaling. A metric for every alpha.

    Not to be confused with: netrep's alpha for a covariance that is divided by n.

    Raises
    ------
    Undefined
        If all rows of x, or all rows of y, are equal. At alpha = 0, also if
        r1 + r2 > n - 1: some correlations are then 1 whatever the data.

    References
    ----------
    williams2021generalized

    Examples
    --------
    The corners of a rectangle, 1 x 4, against its long side alone. Half-whitened, its
    sides are 1 and 2, and the cosine is 2 / sqrt(5).

    >>> import math
    >>> rectangle = [[1, 4], [1, -4], [-1, 4], [-1, -4], [0, 0], [0, 0]]
    >>> side = [[4], [-4], [4], [-4], [0], [0]]
    >>> round(math.cos(shape_metric(rectangle, side)), 4)
    0.8944
    >>> round(math.cos(shape_metric(rectangle, side, alpha=0)), 4)  # 1 / sqrt(2)
    0.7071
    """
    return ShapeMetric(alpha=alpha, variant=variant)(x, y)
