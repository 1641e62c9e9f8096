"""The cosine of two centered Gram matrices, shared by CKA and related measures."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from ... import _array, _linalg
from ..._array import Array
from ...errors import Undefined
from .._base import Measure
from ._kernel_functions import Kernel


@dataclass(frozen=True, eq=False)
class Aligned:
    """A prepared representation: its centered Gram matrix, and the norm of it."""

    gram: _linalg.Side
    norm: Array
    sigma: float | None = None

    @functools.cached_property
    def invariants(self) -> _linalg.Invariants:
        """Terms of the moments over permutations, computed once for all pairs."""
        return _linalg.invariants(self.gram)


_A = TypeVar("_A", bound=Aligned)


def check_enough_rows(n: int, estimator: str, measure: str = "CKA") -> None:
    """Raise `Undefined` for too few rows: HSIC_1 needs quadruples, HSIC_0 pairs."""
    least = 4 if estimator == "unbiased" else 2
    if n < least:
        raise Undefined(f"{estimator} {measure} needs at least {least} rows; got {n}.")


def linear_side(rows: Array, *, unbiased: bool) -> _linalg.Side:
    """The linear kernel of centered rows, in the cheaper of two forms."""
    n, d = rows.shape
    # Multiplications. Features: n d^2 / 2 for X'X, and the same for its half of X'Y.
    # Gram: n^2 d / 2, and a dozen passes over it at about 80 per entry.
    if n * n * (d / 2 + 1000) < n * d * d:
        return linear_gram(rows, unbiased=unbiased)
    return _linalg.features(rows, unbiased=unbiased)


def linear_gram(rows: Array, *, unbiased: bool) -> _linalg.Side:
    """The linear kernel of centered rows, as a Gram matrix."""
    linear = Kernel("linear")
    return _linalg.gram(rows, linear, unbiased=unbiased, of_products=True)


@dataclass(frozen=True, kw_only=True)
class KernelAlignment(Measure):
    """The cosine of two centered Gram matrices, or a function of that cosine.

    A subclass defines its Gram matrix in `prepare`. Its `offers` excludes methods that
    do not apply: `null_moments` if the score is not the cosine itself, `leave_out` if
    the Gram matrix of the remaining rows is not a submatrix of the whole one. Without
    `leave_out` there are no scores of single stimuli either.
    """

    def offers(self, method: str) -> bool:
        if method == "per_stimulus":
            return self.offers("leave_out")
        return super().offers(method)

    def in_form(self, cosine: Array) -> Array:
        """Convert cosines to scores, entry by entry."""
        return cosine

    def compare(self, p: Aligned, q: Aligned) -> Array:
        return self.in_form(_linalg.inner(p.gram, q.gram) / (p.norm * q.norm))

    def compare_all(self, ps: Sequence[Aligned]) -> Array:
        norms = _array.namespace(ps[0].norm).stack([p.norm for p in ps])
        inner = _linalg.inner_all([p.gram for p in ps])
        return self.in_form(inner / (norms[:, None] * norms[None, :]))

    def leave_out(self, ps: Sequence[Aligned], sizes: Sequence[int]) -> np.ndarray:
        """Also NaN if centering all rows cost the remaining rows over two digits."""
        inner = _linalg.inner_without([p.gram for p in ps], sizes)
        squares = np.diagonal(inner, axis1=1, axis2=2)
        noise = [max(p.gram.noise, 1e-4 * _array.number(p.norm) ** 2) for p in ps]
        norms = np.sqrt(np.where(squares > np.array(noise), squares, np.nan))
        return np.asarray(self.in_form(inner / (norms[:, :, None] * norms[:, None, :])))

    def per_stimulus(self, p: Aligned, q: Aligned) -> np.ndarray:
        """The influence of a stimulus: the score minus the score without it."""
        check_enough_rows(p.gram.n - 1, "unbiased" if p.gram.unbiased else "biased")
        sides = {"x": p, "y": q}
        (whole, xy), (_, xx), (_, yy) = (
            map(
                _array.to_numpy,
                _linalg.inner_with_and_without(sides[a].gram, sides[b].gram),
            )
            for a, b in ("xy", "xx", "yy")
        )
        for side, squares in ((p, xx), (q, yy)):
            least = max(side.gram.noise, 1e-4 * _array.number(side.norm) ** 2)
            if np.min(squares) <= least:
                raise Undefined(
                    f"row {int(np.argmin(squares))} outweighs all other rows, so the "
                    f"score without it has too few digits. Drop that stimulus."
                )
        score = whole / (_array.number(p.norm) * _array.number(q.norm))
        without = self.in_form(xy / np.sqrt(xx * yy))
        return np.asarray(self.in_form(score) - without)

    def permute(self, q: _A, order: np.ndarray) -> _A:
        """The norm does not depend on the order of rows."""
        return replace(q, gram=q.gram.permute(order))

    def null(self, p: Aligned, q: Aligned, orders: np.ndarray) -> Array:
        inner = _linalg.inner_orders(p.gram, q.gram, orders)
        return self.in_form(inner / (p.norm * q.norm))

    def null_work(self, n: int, d_x: int, d_y: int) -> float:
        """The cheaper of one product of both sides and one pass over two Grams."""
        return 3e6 + min(_linalg.GATHERED * n * n, super().null_work(n, d_x, d_y))

    def null_moments(self, p: Aligned, q: Aligned) -> tuple[float, float, float]:
        scale = _array.number(p.norm) * _array.number(q.norm)
        moments = _linalg.permutation_moments(p.invariants, q.invariants)
        mean, variance, third = (m / scale**k for k, m in enumerate(moments, start=1))
        if variance <= 1e-28:
            raise Undefined(
                "the score is the same for every permutation of rows, so its null "
                "distribution is a single point. Use more stimuli."
            )
        return mean, variance, third / variance**1.5
