"""Inner products, distances and coordinates with respect to anchors."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from .... import _linalg
from ...._base import _array
from ...._base._array import Array
from ...._linalg._blocks import budget_rows, spans
from ....errors import Undefined
from ....transformations import SIZE_AND_SHAPE, Group, closure
from ._base import Relative, State

__all__ = ["L1", "ChangeOfBasis", "Euclidean", "Inner", "Linf"]


@dataclass(frozen=True, kw_only=True)
class Inner(Relative):
    r"""Inner products over :math:`\sqrt d`: :math:`\langle z, a_i \rangle / \sqrt d`.

    Unbounded. Invariant to rotations and reflections only.

    >>> Inner().fit([[1.0, 1.0, 1.0, 1.0]])([[1.0, 2.0, 3.0, 4.0]])
    array([[5.]])
    """

    name = "inner"

    @property
    def similarity_invariances(self) -> frozenset[Group]:
        return frozenset({Group.ROTATION})

    def prepare(self, anchors: Array, reference: Array | None) -> State:
        return {"anchors": anchors}

    def similarities(self, state: State, x: Array) -> Array:
        xp, anchors = _array.namespace(x), state["anchors"]
        return x @ xp.astype(anchors, x.dtype, copy=False).T / x.shape[1] ** 0.5


@dataclass(frozen=True, kw_only=True)
class Euclidean(Relative):
    r"""Distances to the anchors: :math:`\|z - a_i\|_2`.

    Not negative; 0 at coordinate i for z = a_i. Invariant to rotations, reflections
    and translation. Not invariant to scale; ``normalize="l2"`` removes the scale.

    >>> Euclidean().fit([[0.0, 0.0]])([[3.0, 4.0]])
    array([[5.]])
    """

    name = "euclidean"
    refs = ("moschella2023relative", "cannistraci2024bricks")

    @property
    def similarity_invariances(self) -> frozenset[Group]:
        return SIZE_AND_SHAPE

    def prepare(self, anchors: Array, reference: Array | None) -> State:
        wide = _array.widen(anchors)
        # Centered on the anchors' mean: a large offset would cost the product digits.
        mean = _array.stop_gradient(_array.namespace(anchors).mean(wide, axis=0))
        return {"mean": mean, "anchors": wide - mean}

    def similarities(self, state: State, x: Array) -> Array:
        rows = _array.widen(x) - state["mean"]
        return _linalg.safe_sqrt(_linalg.squared_distances(rows, state["anchors"]))


@dataclass(frozen=True, kw_only=True)
class DifferenceNorm(Relative):
    """A p-norm of coordinate differences, for p = 1 or infinity."""

    refs = ("cannistraci2024bricks",)
    p: ClassVar[float]

    @property
    def similarity_invariances(self) -> frozenset[Group]:
        return frozenset({Group.SIGNED_PERMUTATION, Group.TRANSLATION})

    def prepare(self, anchors: Array, reference: Array | None) -> State:
        return {"anchors": _array.widen(anchors)}

    def similarities(self, state: State, x: Array) -> Array:
        return _distances(x, state["anchors"], self.p)


@dataclass(frozen=True, kw_only=True)
class L1(DifferenceNorm):
    r"""Sums of absolute differences: :math:`\|z - a_i\|_1`.

    Not negative. Invariant to permutations, sign flips and translation.

    >>> L1().fit([[0.0, 0.0]])([[3.0, -4.0]])
    array([[7.]])
    """

    name = "l1"
    p = 1.0


@dataclass(frozen=True, kw_only=True)
class Linf(DifferenceNorm):
    r"""Largest absolute differences: :math:`\|z - a_i\|_\infty`.

    Not negative. Invariant to permutations, sign flips and translation.

    >>> Linf().fit([[0.0, 0.0]])([[3.0, -4.0]])
    array([[4.]])
    """

    name = "linf"
    p = math.inf


def _distances(x: Array, anchors: Array, p: float) -> Array:
    """Compute ``|x_i - a_j|_p`` for p = 1 or infinity, avoiding an n x k x d array."""
    xp, x = _array.namespace(x), _array.widen(x)
    if isinstance(x, np.ndarray):
        name = "cityblock" if p == 1 else "chebyshev"
        return scipy.spatial.distance.cdist(x, anchors, name)
    if _array.library(x) == "torch":
        import torch

        return torch.cdist(x, anchors, p=p)
    reduce = xp.sum if p == 1 else xp.max
    step = budget_rows(x.shape[0], 8 * anchors.shape[0] * anchors.shape[1])
    parts = [
        reduce(xp.abs(x[start:stop, None, :] - anchors[None, :, :]), axis=2)
        for start, stop in spans(x.shape[0], step)
    ]
    return xp.concat(parts)


@dataclass(frozen=True, kw_only=True)
class ChangeOfBasis(Relative):
    r"""Coordinates in the basis of the anchors: c with :math:`c A = z`.

    Unbounded; the i-th unit vector for z = a_i if k <= d. If k > d, c is the
    minimum-norm solution; if k < d, it is the least squares solution. Invariant to
    every invertible linear map if the anchors span the space (k >= d), otherwise only
    to rotations, reflections and one scale.

    >>> ChangeOfBasis().fit([[1.0, 0.0], [1.0, 1.0]])([[3.0, 2.0]])
    array([[1., 2.]])
    """

    name = "change_of_basis"

    @property
    def similarity_invariances(self) -> frozenset[Group]:
        return frozenset({Group.LINEAR})

    def invariances_of(self, k: int, d: int) -> frozenset[Group]:
        if k >= d:
            return self.invariances
        return closure({Group.ROTATION, Group.ISOTROPIC_SCALE})

    def prepare(self, anchors: Array, reference: Array | None) -> State:
        xp, wide = _array.namespace(anchors), _array.widen(anchors)
        s = _linalg.svdvals(_array.stop_gradient(wide))
        # Rounding of the stored entries and of the decomposition: eps of the largest.
        floor = max(wide.shape) * _array.eps(anchors) * s[0]
        rank = int(xp.count_nonzero(s > floor))
        if rank < min(wide.shape):
            raise Undefined(
                f"{wide.shape[0]} anchors in {wide.shape[1]} dimensions have rank "
                f"{rank}, so they are not independent. Choose other anchors."
            )
        return {"anchors": wide}

    def similarities(self, state: State, x: Array) -> Array:
        xp, anchors, x = _array.namespace(x), state["anchors"], _array.widen(x)
        if anchors.shape[0] == anchors.shape[1]:
            return xp.linalg.solve(anchors.T, x.T).T
        return x @ _linalg.pinv(anchors)
