"""Confidence intervals of unbiased linear CKA."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._validate import points
from .._coverage import Coverage
from .._reweighted import Reweighted, Weighed, effective_share

_LARGE_LOAD = 12.0  # exceeded by 0.05 % of normal rows, and only in one dimension


@dataclass(frozen=True, eq=False)
class ReweightedCKA(Reweighted):
    """Linear CKA of the covariances of weighted rows."""

    def weigh(self, rows: np.ndarray, covariance: np.ndarray) -> Weighed:
        d = self.d
        parts = ((slice(0, d), slice(0, d)), (slice(d, None), slice(d, None)))
        x, y = _forms(rows, covariance, *parts[0]), _forms(rows, covariance, *parts[1])
        both = _forms(rows, covariance, slice(0, d), slice(d, None))
        score = both[0] / math.sqrt(x[0] * y[0])
        sizes = x[1] / x[0] + y[1] / y[0]
        return Weighed(score, score * (2 * both[1] / both[0] - sizes), sizes / 2)

    def centers(self, load: np.ndarray) -> tuple[float, float]:
        """CKA without self-products, and with those of rows with a large load."""
        return self._unbiased(load < np.inf), self._unbiased(load <= _LARGE_LOAD)

    def _unbiased(self, left_out: np.ndarray) -> float:
        """CKA without the self-products of the rows of this mask."""
        rows = self.rows - self.rows.mean(axis=0)
        sides, n = (rows[:, : self.d], rows[:, self.d :]), len(rows)
        squares = [np.sum(side**2, axis=1) * left_out for side in sides]

        def inner(i: int, j: int) -> float:
            k, l = squares[i], squares[j]  # noqa: E741 (the letters of HSIC)
            total = np.sum((sides[i].T @ sides[j]) ** 2) - n / (n - 2) * (k @ l)
            return float(total + np.sum(k) * np.sum(l) / ((n - 1) * (n - 2)))

        norms = max(inner(0, 0), 0.0) * max(inner(1, 1), 0.0)
        return inner(0, 1) / math.sqrt(norms) if norms else 0.0


def _forms(
    rows: np.ndarray, covariance: np.ndarray, a: slice, b: slice
) -> tuple[float, np.ndarray]:
    """|C|^2 and u'Cv of all rows, for the block C of the columns a and b."""
    block = covariance[a, b]
    return float(np.sum(block**2)), np.sum((rows[:, a] @ block) * rows[:, b], axis=1)


@dataclass(frozen=True)
class AlignmentCoverage(Coverage):
    """Coverage of a cosine of linear Gram matrices, or of its angle."""

    angular: bool = False

    def directions(self, x: Any) -> float:
        """The number of equal variances with the same tr(C^2)^3 / tr(C^3)^2.

        C is the covariance of the rows. The skewness of the null distribution is
        sqrt(8 / (a b)) if the two sides have the numbers a and b.
        """
        rows = np.asarray(_array.to_numpy(points(x).values), dtype=float)
        rows = rows - np.mean(rows, axis=0)
        rows /= np.max(np.abs(rows))
        n, d = rows.shape
        product = rows @ rows.T if n < d else rows.T @ rows
        square = product @ product
        return float(np.trace(square) ** 3 / np.sum(product * square) ** 2)

    def effective_share(self, x: Any) -> float:
        rows = _centered(x)
        n, d = rows.shape
        if d > n:  # the same numbers, without the rotation of `_rows`
            product = rows @ rows.T
            squares = np.sum(product * product, axis=1)
        else:
            product = rows.T @ rows
            squares = np.sum((rows @ product) * rows, axis=1)
        return effective_share(squares, np.linalg.eigvalsh(product) ** 2)

    def reweighted(self, x: Any, y: Any) -> Reweighted:
        sides = [_rows(x), _rows(y)]
        return ReweightedCKA(np.concatenate(sides, axis=1), sides[0].shape[1])

    def on_scale(self, score: Any, rows: Any, directions: float) -> Any:
        if not self.angular:
            return score
        return math.cos(score) if isinstance(score, float) else np.cos(score)

    def back(self, low: float, high: float) -> tuple[float, float]:
        return (math.acos(high), math.acos(low)) if self.angular else (low, high)


def _rows(x: Any) -> np.ndarray:
    """Centered rows in numpy, in at most n columns, at a scale that cannot overflow."""
    return _linalg.narrow(_centered(x))


def _centered(x: Any) -> np.ndarray:
    rows = _linalg.center(_linalg.widened(_linalg.balanced(points(x))))
    return np.asarray(_array.to_numpy(rows), dtype=float)


LINEAR = AlignmentCoverage("correlation", 20, blocks_each=8, alone=100)
LINEAR_ANGULAR = AlignmentCoverage(
    "correlation", 20, blocks_each=8, alone=100, angular=True
)
