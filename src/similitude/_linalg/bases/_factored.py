"""Rows as a product of wide columns and small coefficients."""

import functools
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ..._base import _array
from ..._base._array import Array
from .._svd import svdvals


@dataclass(frozen=True, eq=False)
class Factored:
    """n x r rows Z = columns coefficients; the rows themselves are formed on demand.

    Inner products with other rows cost one product of the columns, and products of
    d x d matrices.
    """

    columns: Array  # n x d
    coefficients: Array | None = None  # d x r; None if the columns are the rows

    @property
    def n(self) -> int:
        return int(self.columns.shape[0])

    @property
    def width(self) -> int:
        """r, the number of columns of Z."""
        last = self.columns if self.coefficients is None else self.coefficients
        return int(last.shape[1])

    @functools.cached_property
    def rows(self) -> Array:
        if self.coefficients is None:
            return self.columns
        return self.columns @ self.coefficients

    def across(self, other: "Factored") -> Array:
        """Z'W for the rows W of `other`, r x r'."""
        product = self.columns.T @ other.columns
        if self.coefficients is not None:
            product = self.coefficients.T @ product
        if other.coefficients is not None:
            product = product @ other.coefficients
        return product

    def times(self, matrix: Array) -> "Factored":
        """The rows Z times a small matrix."""
        if self.coefficients is None:
            return Factored(self.columns, matrix)
        return Factored(self.columns, self.coefficients @ matrix)

    def scaled(self, factors: Array) -> "Factored":
        """The columns of Z times one factor each."""
        if self.coefficients is None:
            return Factored(self.columns * factors)
        return Factored(self.columns, self.coefficients * factors)

    def permute(self, order: np.ndarray) -> Self:
        return replace(self, columns=_array.take(self.columns, order))


@dataclass(frozen=True, eq=False)
class Whitened(Factored):
    """Whitened rows Z of a representation X, with the numerical rank.

    Without a penalty Z'Z = I and Z is n x r. With a penalty Z'Z < I, and Z is
    n x min(n, d).
    """

    rank: int = 0  # of the centered rows
    dead: int = 0  # number of constant columns
    coordinates: Array | None = None  # Z'X, r x d, if no product was needed
    whitening: Array | None = None  # d x r with Z = X whitening, if it is known


def canonical_correlations(p: Whitened, q: Whitened) -> Array:
    """Cosines of the principal angles between two column spaces, largest first."""
    return svdvals(p.across(q))
