"""Confidence intervals of unbiased linear CKA."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _array
from ..._validate import points
from .._coverage import Coverage


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

    def on_scale(self, score: Any, rows: Any, directions: float) -> Any:
        if not self.angular:
            return score
        return math.cos(score) if isinstance(score, float) else np.cos(score)

    def back(self, low: float, high: float) -> tuple[float, float]:
        return (math.acos(high), math.acos(low)) if self.angular else (low, high)


LINEAR = AlignmentCoverage("correlation", 20, blocks_each=8, alone=100)
LINEAR_ANGULAR = AlignmentCoverage(
    "correlation", 20, blocks_each=8, alone=100, angular=True
)
