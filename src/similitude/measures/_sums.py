"""Sums over rows about a center, which determine linear measures."""

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from .. import _linalg
from .._base import _array
from .._base._validate import Points
from ..errors import InvalidInput


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over n rows of x and y about `center_x` and `center_y`, in float64.

    Names are products: ``x_yy`` is the sum of ``x |y|^2``. The first five give the
    means and covariances. The unbiased estimator of HSIC, which excludes the pairs
    (i, i), needs the others, and so does moving them to another center.
    """

    n: int
    eps: float  # machine epsilon of the dtype of the products
    center_x: np.ndarray
    center_y: np.ndarray
    x: np.ndarray  # d1
    y: np.ndarray  # d2
    xx: np.ndarray  # d1 x d1
    xy: np.ndarray  # d1 x d2
    yy: np.ndarray  # d2 x d2
    x_xx: np.ndarray  # d1: sum of x |x|^2
    x_yy: np.ndarray
    y_xx: np.ndarray
    y_yy: np.ndarray
    xx_xx: float  # sum of |x|^4
    xx_yy: float
    yy_yy: float

    @staticmethod
    def from_batch(x: Points, y: Points) -> "Sums":
        """Sums of one batch about its own means."""
        (a, center_a), (b, center_b) = _about_mean(x), _about_mean(y)
        squares_a, squares_b = _squares(a), _squares(b)
        with np.errstate(over="ignore", invalid="ignore"):
            sums = Sums(
                n=x.n,
                eps=max(_array.eps(a), _array.eps(b)),
                center_x=center_a,
                center_y=center_b,
                x=_weighted(a, np.ones(x.n)),
                y=_weighted(b, np.ones(x.n)),
                xx=_array.to_numpy(_linalg.cross_product(a, a)),
                xy=_array.to_numpy(_linalg.cross_product(a, b)),
                yy=_array.to_numpy(_linalg.cross_product(b, b)),
                x_xx=_weighted(a, squares_a),
                x_yy=_weighted(a, squares_b),
                y_xx=_weighted(b, squares_a),
                y_yy=_weighted(b, squares_b),
                xx_xx=float(squares_a @ squares_a),
                xx_yy=float(squares_a @ squares_b),
                yy_yy=float(squares_b @ squares_b),
            )
        if not np.isfinite(sums.xx_xx + sums.yy_yy):
            raise InvalidInput(
                "the fourth powers of the values overflow. Divide x and y by a typical "
                "row length first."
            )
        return sums

    def swapped(self) -> "Sums":
        """Sums of y and x."""
        return Sums(
            n=self.n,
            eps=self.eps,
            center_x=self.center_y,
            center_y=self.center_x,
            x=self.y,
            y=self.x,
            xx=self.yy,
            xy=self.xy.T,
            yy=self.xx,
            x_xx=self.y_yy,
            x_yy=self.y_xx,
            y_xx=self.x_yy,
            y_yy=self.x_xx,
            xx_xx=self.yy_yy,
            xx_yy=self.xx_yy,
            yy_yy=self.xx_xx,
        )

    def mean_x(self) -> np.ndarray:
        return self.center_x + self.x / self.n

    def mean_y(self) -> np.ndarray:
        return self.center_y + self.y / self.n

    def moved(self, center_x: np.ndarray, center_y: np.ndarray) -> "Sums":
        """Sums of the same rows about another center, without the rows themselves."""
        n, d, e = self.n, center_x - self.center_x, center_y - self.center_y
        dd, ee = float(d @ d), float(e @ e)
        dx, ey = float(d @ self.x), float(e @ self.y)
        # Sums of |x|^2 and |y|^2, before and after.
        a, b = float(np.trace(self.xx)), float(np.trace(self.yy))
        a_moved, b_moved = a - 2 * dx + n * dd, b - 2 * ey + n * ee
        return replace(
            self,
            center_x=center_x,
            center_y=center_y,
            x=self.x - n * d,
            y=self.y - n * e,
            xx=self.xx + _cross(d, d, self.x, self.x, n),
            xy=self.xy + _cross(d, e, self.x, self.y, n),
            yy=self.yy + _cross(e, e, self.y, self.y, n),
            x_xx=self.x_xx - 2 * self.xx @ d + dd * self.x - a_moved * d,
            x_yy=self.x_yy - 2 * self.xy @ e + ee * self.x - b_moved * d,
            y_xx=self.y_xx - 2 * self.xy.T @ d + dd * self.y - a_moved * e,
            y_yy=self.y_yy - 2 * self.yy @ e + ee * self.y - b_moved * e,
            # (|x|^2 - 2 d'x + |d|^2) (|y|^2 - 2 e'y + |e|^2), term by term
            xx_xx=self.xx_xx
            + 4 * float(d @ self.xx @ d - d @ self.x_xx)
            + dd * (2 * a - 4 * dx + n * dd),
            xx_yy=self.xx_yy
            + 2 * float(2 * d @ self.xy @ e - e @ self.y_xx - d @ self.x_yy)
            + ee * (a - 2 * dx + n * dd)
            + dd * (b - 2 * ey),
            yy_yy=self.yy_yy
            + 4 * float(e @ self.yy @ e - e @ self.y_yy)
            + ee * (2 * b - 4 * ey + n * ee),
        )

    def centered(self) -> "Sums":
        """Sums about the means."""
        return self.moved(self.mean_x(), self.mean_y())

    def hsic(self, u: str, v: str, *, unbiased: bool) -> np.float64:
        """<K, L> of the linear kernels of u and v, "x" or "y", from `centered` sums."""
        n, total = self.n, np.sum(np.square(getattr(self, u + v)))
        if not unbiased:
            return total
        traces = np.trace(getattr(self, u + u)) * np.trace(getattr(self, v + v))
        pairs = getattr(self, f"{u}{u}_{v}{v}")  # the pairs (i, i), to be excluded
        return total - n / (n - 2) * pairs + traces / ((n - 1) * (n - 2))

    def joined(self, other: "Sums") -> "Sums":
        """Sums of the rows of both, about the mean of all rows.

        Each part moves from its own mean to the mean of all rows. This distance is part
        of the variance of all rows. Digits therefore do not cancel, even if the rows
        are far from the origin.
        """
        share = other.n / (self.n + other.n)
        center_x = self.mean_x() + share * (other.mean_x() - self.mean_x())
        center_y = self.mean_y() + share * (other.mean_y() - self.mean_y())
        a, b = self.moved(center_x, center_y), other.moved(center_x, center_y)
        kept = {"eps": max(a.eps, b.eps), "center_x": center_x, "center_y": center_y}
        added: dict[str, Any] = {
            f.name: getattr(a, f.name) + getattr(b, f.name)
            for f in fields(self)
            if f.name not in kept
        }
        return Sums(**added, **kept)


def _about_mean(x: Points) -> tuple[Any, np.ndarray]:
    """Centered rows in the dtype of x, and the mean in float64."""
    wide = _array.widen(_array.stop_gradient(x.values))
    mean = x.xp.mean(wide, axis=0)
    rows = x.xp.astype(wide - mean, x.values.dtype, copy=False)
    return rows, _array.to_numpy(mean).astype(np.float64)


def _squares(rows: Any) -> np.ndarray:
    """Squared lengths of the rows in float64."""
    wide = _array.widen(rows)
    squares = _array.namespace(rows).vecdot(wide, wide)
    return _array.to_numpy(squares).astype(np.float64)


def _weighted(rows: Any, weights: np.ndarray) -> np.ndarray:
    """sum_i w_i x_i in float64."""
    wide = _array.widen(rows)
    weights = _array.widen(_array.from_numpy(weights, wide))
    return _array.to_numpy(weights @ wide).astype(np.float64)


def _cross(
    d: np.ndarray, e: np.ndarray, x: np.ndarray, y: np.ndarray, n: int
) -> np.ndarray:
    """Change of the sum of x y' when centers move by d and e; x and y are sums."""
    return np.outer(d, n * e - y) - np.outer(x, e)
