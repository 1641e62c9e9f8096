"""CKA up to permutation and scaling of units."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ... import _linalg
from ..._base import _array, _compile
from ..._base._array import Array, Score
from ..._base._validate import points
from ...transformations import UNITS, Group
from .._claims import Claims
from ._base import Aligned, KernelAlignment, check_enough_rows

__all__ = ["GReLUCKA", "g_relu_cka"]

_KERNELS = "similitude.measures.kernel_alignment._largest_product_kernels"

# A unit and its negative have the same products.
_UNITS_OR_NEGATIVES = UNITS - {Group.PERMUTATION} | {Group.SIGNED_PERMUTATION}


@dataclass(frozen=True, eq=False)
class MaxAligned(Aligned):
    """The centered Gram of the largest products, and the number of dead units."""

    dead: int = 0


@dataclass(frozen=True, kw_only=True)
class GReLUCKA(KernelAlignment):
    """CKA of the largest products of units; see `similitude.g_relu_cka`."""

    name = "g_relu_cka"
    cost = "moderate"
    refs = ("godfrey2022symmetries", "song2012feature")

    estimator: Literal["unbiased", "biased"] = "unbiased"

    def claims(self) -> Claims:
        return Claims(
            kind="similarity",
            range=(-1.0, 1.0),  # the kernel is not positive definite
            invariant=_UNITS_OR_NEGATIVES,
            chance="0" if self.estimator == "unbiased" else "above 0",
            fits_noise=self.estimator == "biased",
        )

    def prepare(self, x: Any, seed: Any = None) -> MaxAligned:
        x, unbiased = points(x), self.estimator == "unbiased"
        check_enough_rows(x.n, self.estimator)
        rows, alive = _linalg.unit_columns(_linalg.balanced_columns(x))
        gram = _linalg.gram(rows, largest_products, unbiased=unbiased, of_products=True)
        return MaxAligned(gram, _linalg.norm(gram), dead=x.d - len(alive))

    def offers(self, method: str) -> bool:
        # Leaving out rows changes the means and norms of units, and with them the
        # largest products.
        return method != "leave_out" and super().offers(method)

    def details(self, p: MaxAligned, q: MaxAligned) -> dict[str, Any]:
        return {"dead_x": p.dead, "dead_y": q.dead}


def largest_products(a: Array, b: Array) -> Array:
    """max_k a_ik b_jk for every row i of `a` and j of `b`.

    A maximum has the derivative of its largest term. For libraries with gradients,
    that term is looked up and computed again.
    """
    kernels = _compile.kernels(_KERNELS)
    left, right = (
        np.ascontiguousarray(_array.to_numpy(v), dtype=np.float64) for v in (a, b)
    )
    largest = kernels.largest_product(left, np.ascontiguousarray(right.T))
    if isinstance(a, np.ndarray):
        return largest
    which = kernels.where_largest(left, right, largest)
    along, xp = _array.from_numpy(which, a), _array.namespace(a, b)
    factors_a, factors_b = (
        xp.take_along_axis(rows, indices, axis=1)
        for rows, indices in ((a, along), (b, along.T))
    )
    return factors_a * factors_b.T


def g_relu_cka(
    x: Any, y: Any, /, *, estimator: Literal["unbiased", "biased"] = "unbiased"
) -> Score:
    r"""CKA with a kernel that ignores permutation and scaling of units.

    .. math::

        \mathrm{CKA}(K, L) = \frac{\mathrm{HSIC}(K, L)}
            {\sqrt{\mathrm{HSIC}(K, K)\,\mathrm{HSIC}(L, L)}},
        \qquad K_{ij} = \max_k X_{ik} X_{jk}, \quad L_{ij} = \max_k Y_{ik} Y_{jk}

    where

    - X and Y are x and y with the mean removed from every column, and every column
      scaled to unit norm; columns that do not vary are dropped;
    - HSIC is defined in `similitude.cka`.

    A sum over k instead of the maximum would give the linear kernel, which ignores
    rotations. The maximum ignores only permutations and signs. It is not positive
    definite.

    Parameters
    ----------
    x, y
        n x d1 and n x d2 arrays of one library; row i is the same stimulus in both.
    estimator
        ``"unbiased"`` (default) or ``"biased"``, as in `similitude.cka`.

    Returns
    -------
    0-d array of the caller's library
        In [-1, 1].

    Notes
    -----
    Invariant to permutations, scaling and translation of the columns of either side.
    The group that commutes with ReLU has positive scales only. This kernel also ignores
    signs, because a unit and its negative have the same products. `details` reports how
    many columns do not vary. The kernel costs n^2 d multiplications and cannot use a
    matrix product.

    Not to be confused with: linear CKA of standardized columns, which sums over them.

    Raises
    ------
    Undefined
        If all rows of x, or all rows of y, are equal; for fewer than 4 rows (biased:
        2); if centering reduces the kernel to 0.

    References
    ----------
    godfrey2022symmetries, song2012feature

    Examples
    --------
    With one unit the maximum is the product, so the kernel is linear:

    >>> from similitude import cka
    >>> x, y = [[0], [1], [2], [3], [9]], [[1], [0], [2], [3], [4]]
    >>> round(float(g_relu_cka(x, y)), 4), round(float(cka(x, y)), 4)
    (0.8579, 0.8579)
    """
    return GReLUCKA(estimator=estimator)(x, y)
