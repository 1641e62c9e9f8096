"""A score as a function of the weights of rows, for intervals where few rows matter."""

import abc
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np


class Weighed(NamedTuple):
    """A score under some weights of rows.

    `change` is its derivative by the weight of each row, with a weighted mean of 0.
    `load` is the part of each row in the size of the representations, with a mean of 1.
    """

    score: float
    change: np.ndarray
    load: np.ndarray


@dataclass(frozen=True, eq=False)
class Reweighted(abc.ABC):
    """The score of a population of n rows, if row i has the share w_i in it.

    A subclass computes the score from covariances in `weigh`. `rows` has the columns
    of both sides, x first. Rows that share one weight may be merged: `merged` has their
    mean and their covariance.
    """

    rows: np.ndarray
    d: int  # columns of x
    merged: tuple[np.ndarray, np.ndarray] | None = None

    @abc.abstractmethod
    def weigh(self, rows: np.ndarray, covariance: np.ndarray) -> Weighed:
        """The score of this covariance; `rows` are centered."""

    def __call__(self, weights: np.ndarray, rest: float = 0.0) -> Weighed:
        """The score for these weights of rows; `rest` is that of the merged rows."""
        mean = weights @ self.rows
        if self.merged is not None:
            mean = mean + rest * self.merged[0]
        rows = self.rows - mean
        covariance = (rows.T * weights) @ rows
        if self.merged is not None:
            away = self.merged[0] - mean
            covariance += rest * (self.merged[1] + np.outer(away, away))
        return self.weigh(rows, covariance)

    def keeping(self, kept: np.ndarray) -> Self:
        """The same score with all rows merged but those of this mask."""
        if np.all(kept):
            return self
        others = self.rows[~kept]
        mean = others.mean(axis=0)
        covariance = (others - mean).T @ (others - mean) / len(others)
        return replace(self, rows=self.rows[kept], merged=(mean, covariance))

    def centers(self, load: np.ndarray) -> tuple[float, float]:
        """The estimate, and another one if single rows with a large `load` decide it.

        An estimate without bias leaves out the product of a row with itself. If one row
        of a kind was drawn, this product is all that shows the kind.
        """
        return 0.0, 0.0


def effective_share(squares: np.ndarray, spectrum: np.ndarray) -> float:
    """The effective number of rows over its value for normal rows; 1 if rows are even.

    `squares` are quadratic forms of rows. For normal rows, a weighted sum of
    chi-squared variables with the weights `spectrum`, the mean of the squared forms is
    1 + 2 sum s^2 / (sum s)^2 times the squared mean.
    """
    rows = np.sum(squares) ** 2 / np.sum(squares**2)
    normal = 1 + 2 * np.sum(spectrum**2) / np.sum(spectrum) ** 2
    return float(rows * normal / len(squares))
