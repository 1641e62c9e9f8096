"""The cosine of two centered Gram matrices, shared by CKA and related measures."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array
from ..._base._validate import Points
from ...errors import Undefined
from .._base import Measure
from ._kernel_functions import products

# Above this cosine, products in float32 are too coarse for the distance from 1. Their
# error of 1e-7 is multiplied by 76 in the bias term of a jackknife interval.
_CLOSE = 0.99


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


def check_enough_rows(
    n: int, estimator: str, measure: str = "CKA", classes: np.ndarray | None = None
) -> None:
    """Raise `Undefined` for too few rows: HSIC_1 needs quadruples, HSIC_0 pairs."""
    least = 4 if estimator == "unbiased" else 2
    if classes is not None and (fewest := int(np.min(np.bincount(classes)))) < least:
        raise Undefined(
            f"{estimator} {measure} within classes needs at least {least} rows of each "
            f"class; one class has {fewest}. Leave out rare classes."
        )
    if n < least:
        raise Undefined(f"{estimator} {measure} needs at least {least} rows; got {n}.")


def check_no_classes(x: Points, measure: str) -> None:
    """Raise `Undefined` if class means are removed: the estimator would be biased."""
    if x.classes is not None:
        raise Undefined(
            f"{measure} has no unbiased estimator within classes. Use cka instead."
        )


def linear_side(
    rows: Array, *, unbiased: bool, classes: np.ndarray | None = None
) -> _linalg.Side:
    """The linear kernel of centered rows, in the cheaper of two forms.

    If the means of `classes` are removed, it is centered within them.
    """
    n, d = rows.shape
    # Multiplications. Features: n d^2 / 2 for X'X, and the same for its half of X'Y.
    # Gram: n^2 d / 2, and a dozen passes over it at about 80 per entry.
    if n * n * (d / 2 + 1000) < n * d * d:
        return linear_gram(rows, unbiased=unbiased, classes=classes)
    return _linalg.features(rows, unbiased=unbiased, classes=classes)


def linear_gram(
    rows: Array, *, unbiased: bool, classes: np.ndarray | None = None
) -> _linalg.Side:
    """The linear kernel of centered rows, as a Gram matrix."""
    return _linalg.gram(
        rows, products, unbiased=unbiased, of_products=True, classes=classes
    )


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

    def precise(self, p: Aligned) -> Aligned:
        """`p`, or `p` with more digits; used for pairs whose cosine is close to 1."""
        return p

    def compare(self, p: Aligned, q: Aligned) -> Array:
        cosine = _linalg.inner(p.gram, q.gram) / (p.norm * q.norm)
        if p is not q and _array.number(cosine) > _CLOSE:
            p, q = self.precise(p), self.precise(q)
            cosine = _linalg.inner(p.gram, q.gram) / (p.norm * q.norm)
        return self.in_form(cosine)

    def compare_all(self, ps: Sequence[Aligned]) -> Array:
        return self.in_form(self._with_digits(ps, _cosines))

    def leave_out(
        self, ps: Sequence[Aligned], groups: Sequence[np.ndarray], kept: np.ndarray
    ) -> np.ndarray:
        """Also NaN if centering all rows cost the remaining rows over two digits."""
        cosines = functools.partial(_cosines_without, groups=groups, kept=kept)
        return np.asarray(self.in_form(self._with_digits(ps, cosines)))

    def _with_digits(
        self, ps: Sequence[Aligned], cosines: Callable[[Sequence[Aligned]], Array]
    ) -> Array:
        """Tables of cosines; entries close to 1 are computed with `precise` sides."""
        found, count = cosines(ps), len(ps)
        tables = np.reshape(_array.to_numpy(found), (-1, count, count))
        close = np.any(tables > _CLOSE, axis=0) & ~np.eye(count, dtype=bool)
        which = np.flatnonzero(np.any(close, axis=0))
        again = [self.precise(ps[i]) for i in which.tolist()]
        if all(p is ps[i] for p, i in zip(again, which.tolist(), strict=True)):
            return found
        place = np.zeros(count, dtype=int)
        place[which] = np.arange(len(which))
        table = _array.take(cosines(again), place, axis=-1)
        table = _array.take(table, place, axis=-2)
        where = _array.namespace(found).where
        return where(_array.from_numpy(close, found), table, found)

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
        return _linalg.permutation_moments(p.invariants, q.invariants, scale)


def _cosines(ps: Sequence[Aligned]) -> Array:
    norms = _array.namespace(ps[0].norm).stack([p.norm for p in ps])
    inner = _linalg.inner_all([p.gram for p in ps])
    return inner / (norms[:, None] * norms[None, :])


def _cosines_without(
    ps: Sequence[Aligned], groups: Sequence[np.ndarray], kept: np.ndarray
) -> np.ndarray:
    """Cosines without some groups; NaN as in `leave_out`."""
    inner = _linalg.inner_without([p.gram for p in ps], groups, kept)
    squares = np.diagonal(inner, axis1=1, axis2=2)
    noise = [max(p.gram.noise, 1e-4 * _array.number(p.norm) ** 2) for p in ps]
    norms = np.sqrt(np.where(squares > np.array(noise), squares, np.nan))
    return inner / (norms[:, :, None] * norms[:, None, :])
