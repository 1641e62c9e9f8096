"""Singular vector canonical correlation analysis."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from ... import _linalg
from ..._base import _array
from ..._base._array import Array, Score
from ..._base._record import OnlyFor
from ..._base._validate import Points, points
from ...errors import InvalidInput, Undefined
from ...transformations import SHAPE, Group
from .._claims import Claims
from .._sums import Sums
from .._surrogate import surrogate
from ._base import SubspaceMeasure, forced_ones

__all__ = ["SVCCA", "svcca"]

# The published code adds this to covariances whose largest entry is 1.
_EPSILON = 1e-10


_By = Annotated[
    Literal["variance", "singular_values"], OnlyFor("variant", ("definition",))
]


@dataclass(frozen=True, kw_only=True)
class SVCCA(SubspaceMeasure):
    """Mean canonical correlation of the main directions; see `similitude.svcca`."""

    name = "svcca"
    refs = ("raghu2017svcca", "barannikov2022representation")

    by: _By = "variance"
    threshold: float = 0.99
    variant: Literal["definition", "as_published"] = "definition"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.threshold < 1:
            raise InvalidInput(
                f"threshold={self.threshold!r}; it must be between 0 and 1. To keep "
                f"every direction, use mean_cca."
            )

    def claims(self) -> Claims:
        invariant = SHAPE
        if self.variant == "as_published":  # row means removed instead of column means
            invariant = frozenset(
                {Group.PERMUTATION, Group.ISOTROPIC_SCALE, Group.CONSTANT_SHIFT}
            )
        return Claims(
            on_device=True,
            kind="similarity",
            range=(0.0, 1.0),
            invariant=invariant,
            differentiable=False,  # the kept subspace moves with the data
            chance="just below the root of max(k) / (n - 1) for k kept directions",
            fits_noise=True,
            best_with_itself=self.variant != "as_published",
        )

    def prepare(self, x: Any, seed: Any = None) -> _linalg.Whitened:
        x = _linalg.widened(_linalg.balanced(points(x)))
        if self.variant == "as_published":
            return _as_published(x, self.threshold)
        rows = _linalg.narrow(_array.stop_gradient(_linalg.center(x)))
        power = 2 if self.by == "variance" else 1
        if _linalg.is_worth_a_gram(*rows.shape):
            certain = partial(surely_kept, self.threshold, power)
            if (found := _linalg.principal_by_gram(rows, certain)) is not None:
                return found[0]
        u, s, _ = _linalg.svd(rows)
        k = kept(s, self.threshold, power)
        return _linalg.Whitened(u[:, :k], rank=k)

    def compare_sums(self, sums: Sums) -> Array:
        return self(*surrogate(sums))

    def compare(self, p: _linalg.Whitened, q: _linalg.Whitened) -> Array:
        return _linalg.nuclear_norm(p.across(q)) / min(p.rank, q.rank)

    def details(self, p: _linalg.Whitened, q: _linalg.Whitened) -> dict[str, Any]:
        forced = forced_ones(p.n, p.rank, q.rank)
        return {"kept_x": p.rank, "kept_y": q.rank, "forced_ones": forced}


def kept(singular_values: Array, threshold: float, power: int) -> int:
    """The smallest k whose first k values, to this power, reach `threshold` of all."""
    sums = np.cumsum(_array.to_numpy(singular_values) ** power)
    return int(np.searchsorted(sums, threshold * sums[-1])) + 1


def surely_kept(
    threshold: float, power: int, singular_values: np.ndarray, errors: np.ndarray
) -> int | None:
    """`kept`, or None if the errors of the singular values leave it open."""
    sums = np.cumsum(singular_values**power)
    k = kept(singular_values, threshold, power)
    # The error of a square is twice the value times its error.
    slack = 2.0 * np.sum(power * singular_values ** (power - 1) * errors)
    near = np.abs(sums[max(k - 2, 0) : k] - threshold * sums[-1])
    return None if np.min(near) <= slack else k


def _as_published(x: Points, threshold: float) -> _linalg.Whitened:
    """Whiten x as the code behind the published numbers of the RTD paper does.

    That code removes the mean of each row instead of each column, and then computes
    singular vectors. Its covariance, which does center the columns, is whitened after
    adding an epsilon. The result is white up to that epsilon.
    """
    xp = x.xp
    values = _array.stop_gradient(x.values)
    rows = values - xp.mean(values, axis=1, keepdims=True)
    _check_rows_vary(x, rows)
    u, s, _ = _linalg.svd(rows)
    # The first d, counted from 0, whose sum exceeds the threshold; equal is too small.
    sums = np.cumsum(_array.to_numpy(s))
    k = int(np.searchsorted(sums, threshold * sums[-1], side="right")) + 1
    reduced = u[:, :k] * s[:k]
    reduced = reduced - xp.mean(reduced, axis=0)
    covariance = reduced.T @ reduced
    largest = xp.max(xp.abs(covariance))
    varies = _array.to_numpy(xp.linalg.diagonal(covariance) >= _EPSILON * largest)
    chosen = np.flatnonzero(varies)
    reduced = _array.take(reduced, chosen, axis=1) / largest**0.5
    eye = xp.eye(len(chosen), dtype=reduced.dtype, device=_array.device(reduced))
    values, vectors = xp.linalg.eigh(reduced.T @ reduced + _EPSILON * eye)
    return _linalg.Whitened(reduced @ (vectors / values**0.5), rank=len(chosen))


def _check_rows_vary(x: Points, rows: Array) -> None:
    """Raise `Undefined` if removing row means, then column means, leaves only zeros."""
    xp = x.xp
    residual = rows - xp.mean(rows, axis=0)
    size = _array.number(xp.max(xp.abs(x.values)))
    if _array.number(xp.max(xp.abs(residual))) <= 8 * _array.eps(rows) * size:
        raise Undefined(
            f"these {x.n} x {x.d} values do not vary after the mean of each row is "
            f"removed, as variant='as_published' does. Use variant='definition'."
        )


def svcca(
    x: Any,
    y: Any,
    /,
    *,
    by: Literal["variance", "singular_values"] = "variance",
    threshold: float = 0.99,
    variant: Literal["definition", "as_published"] = "definition",
) -> Score:
    r"""Mean canonical correlation between the main directions of two representations.

    .. math::

        \mathrm{SVCCA} = \frac{1}{\min(k_1, k_2)} \sum_i \rho_i,
        \qquad \rho = \text{singular values of } U_x' U_y

    where

    - :math:`X = U S V'` is the singular value decomposition of x with column means
      removed, and :math:`U_x` its first :math:`k_1` left singular vectors;
    - :math:`k_1` is the smallest k with :math:`\sum_{i \le k} s_i^2 \ge` `threshold`
      :math:`\sum_i s_i^2`;
    - :math:`U_y` and :math:`k_2` are defined in the same way for y.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.
    by
        The total that the threshold refers to: ``"variance"``, the sum of
        :math:`s_i^2`, or ``"singular_values"``, the sum of :math:`s_i`, which keeps
        more directions.
    threshold
        Between 0 and 1. `details` reports how many directions are kept, and how many
        correlations must be 1 for these numbers of directions.
    variant
        ``"definition"`` as above. ``"as_published"`` reproduces the code behind the
        numbers of the RTD paper. That code removes the mean of each row instead of each
        column, keeps the first k singular values whose sum is above the threshold, and
        whitens covariances with an epsilon of 1e-10. Use it only to compare with those
        numbers.

    Returns
    -------
    0-d array of the caller's library
        In [0, 1].

    Notes
    -----
    Invariant to rotations, reflections, isotropic scaling and translation of either
    side (as published: to permutations, isotropic scaling and constant shifts). Not
    differentiable: the choice of directions changes with the data. If the cut falls
    between equal singular values, the choice among their directions is arbitrary.

    If k1 + k2 > n - 1, the two spaces intersect: k1 + k2 - (n - 1) correlations are 1
    whatever the data. Use more stimuli or a lower threshold.

    Not to be confused with: mean CCA, which keeps every direction; versions that keep
    components by their individual share instead of the cumulative share, and so often
    keep only one; PWCCA.

    Raises
    ------
    Undefined
        If all rows of x, or all rows of y, are equal.

    References
    ----------
    raghu2017svcca, barannikov2022representation

    Examples
    --------
    `flat` has the coordinates a and 0.1 b of a cube's corners. At 0.99 of the variance
    only a is kept, and `other` does not contain it. By singular values b is kept too,
    and `other` contains it:

    >>> import numpy as np
    >>> a = np.asarray([1, 1, 1, 1, -1, -1, -1, -1])
    >>> b = np.asarray([1, 1, -1, -1, 1, 1, -1, -1])
    >>> c = np.asarray([1, -1, 1, -1, 1, -1, 1, -1])
    >>> flat, other = np.stack([a, 0.1 * b], 1), np.stack([b, c], 1)
    >>> round(float(svcca(flat, other)), 4)
    0.0
    >>> round(float(svcca(flat, other, by="singular_values")), 4)
    0.5
    """
    return SVCCA(by=by, threshold=threshold, variant=variant)(x, y)
