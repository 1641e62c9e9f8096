"""Confidence intervals of R^2."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._validate import points
from .._coverage import Coverage
from .._reweighted import Reweighted, Weighed, effective_share


@dataclass(frozen=True, eq=False)
class ReweightedFit(Reweighted):
    """R^2 of a least-squares fit to weighted rows; the columns of x are independent."""

    def weigh(self, rows: np.ndarray, covariance: np.ndarray) -> Weighed:
        x, y, d = rows[:, : self.d], rows[:, self.d :], self.d
        maps = np.linalg.solve(covariance[:d, :d], np.eye(d))
        residual = y - x @ (maps @ covariance[:d, d:])
        total = float(np.trace(covariance[d:, d:]))
        explained = float(np.sum(covariance[:d, d:] * (maps @ covariance[:d, d:])))
        score = explained / total
        lost, size = np.sum(residual**2, axis=1), np.sum(y**2, axis=1)
        load = (np.sum((x @ maps) * x, axis=1) / d + size / total) / 2
        return Weighed(score, ((1 - score) * size - lost) / total, load)


@dataclass(frozen=True)
class LeastSquaresCoverage(Coverage):
    """Coverage of R^2, corrected for the share that as many noise columns explain."""

    def effective_share(self, x: Any) -> float:
        """The smaller one of x as a predictor and x as a target."""
        rows = _target(x)
        spectrum = np.linalg.eigvalsh(rows.T @ rows)
        target = effective_share(np.sum(rows**2, axis=1), spectrum)
        return min(self.fitted_share(x), target)

    def fitted_share(self, x: Any) -> float:
        """By leverages: a column that varies in two rows fits both without error."""
        basis = _basis(x)
        return effective_share(np.sum(basis**2, axis=1), np.ones(basis.shape[1]))

    def reweighted(self, x: Any, y: Any) -> Reweighted:
        basis = _basis(x)
        return ReweightedFit(
            np.concatenate([basis, _target(y)], axis=1), basis.shape[1]
        )

    def directions(self, x: Any) -> float:
        return float(_linalg.whiten(_linalg.balanced_columns(points(x))).rank)

    def shared(self, x: float, y: float) -> float:
        return x  # a fit uses all directions of the predictor

    def shift(self, rows: float, directions: float) -> float:
        return directions / (rows - 1 - directions)

    def on_scale(self, score: Any, rows: Any, directions: float) -> Any:
        return 1 - (1 - score) * (rows - 1) / (rows - 1 - directions)


def _basis(x: Any) -> np.ndarray:
    basis = _linalg.whiten(_linalg.balanced_columns(points(x)))
    return np.asarray(_array.to_numpy(basis.rows), dtype=float)


def _target(x: Any) -> np.ndarray:
    rows = _linalg.center(_linalg.widened(_linalg.balanced(points(x))))
    return np.asarray(_array.to_numpy(_linalg.narrow(rows)), dtype=float)


LEAST_SQUARES = LeastSquaresCoverage(
    "correlation",
    30,
    rows_each=3,
    blocks_each=8,
    widest=1.0,
    note="fits to few rows score too high; the interval is for the score without that "
    'bias ("corrected") and may lie below the score.',
)
