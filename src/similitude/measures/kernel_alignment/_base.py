"""The cosine between two centred Gram matrices, as CKA and its kin share it."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from ... import _array, _linalg
from ..._array import Array
from ...errors import Undefined
from ._kernel_functions import Kernel


@dataclass(frozen=True, eq=False)
class Aligned:
    """A prepared representation: its centred Gram, and the norm of that."""

    gram: _linalg.Side
    norm: Array
    sigma: float | None = None

    @functools.cached_property
    def invariants(self) -> _linalg.Invariants:
        """What the moments over permutations need, once for all partners."""
        return _linalg.invariants(self.gram)


_A = TypeVar("_A", bound=Aligned)


def linear_side(rows: Array, *, unbiased: bool) -> _linalg.Side:
    """The linear kernel of centred rows, in the form that costs less."""
    n, d = rows.shape
    # Multiplications: n d^2 / 2 for X'X and as much for its half of X'Y, against
    # n^2 d / 2 for the Gram and a dozen passes over it, of about 80 each per entry.
    if n * n * (d / 2 + 1000) < n * d * d:
        return linear_gram(rows, unbiased=unbiased)
    return _linalg.features(rows, unbiased=unbiased)


def linear_gram(rows: Array, *, unbiased: bool) -> _linalg.Side:
    """The linear kernel of centred rows, as its Gram."""
    linear = Kernel("linear")
    return _linalg.gram(rows, linear, unbiased=unbiased, of_products=True)


def cosine(p: Aligned, q: Aligned) -> Array:
    return _linalg.inner(p.gram, q.gram) / (p.norm * q.norm)


def cosines(ps: Sequence[Aligned]) -> Array:
    """Of all pairs, K x K."""
    norms = _array.namespace(ps[0].norm).stack([p.norm for p in ps])
    inner = _linalg.inner_all([p.gram for p in ps])
    return inner / (norms[:, None] * norms[None, :])


def cosines_without(ps: Sequence[Aligned], sizes: Sequence[int]) -> np.ndarray:
    """Of all pairs, for each group of rows that is left out.

    NaN where it is undefined, and where the rest is so small beside all rows together
    that centring with them has cost it more than two digits.
    """
    inner = _linalg.inner_without([p.gram for p in ps], sizes)
    squares = np.diagonal(inner, axis1=1, axis2=2)
    noise = [max(p.gram.noise, 1e-4 * _array.number(p.norm) ** 2) for p in ps]
    norms = np.sqrt(np.where(squares > np.array(noise), squares, np.nan))
    return inner / (norms[:, :, None] * norms[:, None, :])


def reordered(q: _A, order: np.ndarray) -> _A:
    """No order of rows changes the norm."""
    return replace(q, gram=q.gram.permute(order))


def cosine_null(p: Aligned, q: Aligned, orders: np.ndarray) -> Array:
    """The cosines with the rows of q in each of these orders."""
    return _linalg.inner_orders(p.gram, q.gram, orders) / (p.norm * q.norm)


def cosine_moments(p: Aligned, q: Aligned) -> tuple[float, float, float]:
    """Mean, variance and skewness of the cosine over all orders of rows."""
    scale = _array.number(p.norm) * _array.number(q.norm)
    moments = _linalg.permutation_moments(p.invariants, q.invariants)
    mean, variance, third = (m / scale**k for k, m in enumerate(moments, start=1))
    if variance <= 1e-28:
        raise Undefined(
            "the score is the same for every order of rows, so there is no null "
            "distribution to compare it with. Use more stimuli."
        )
    return mean, variance, third / variance**1.5
