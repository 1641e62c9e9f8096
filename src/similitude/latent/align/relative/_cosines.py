"""Transforms that are functions of the plain cosine."""

from dataclasses import dataclass

import numpy as np

from ...._base import _array
from ...._base._array import Array
from ...._base._validate import Count, Positive
from ....errors import InvalidInput
from ....transformations import DIRECTIONS, Group
from ._base import Relative, State
from ._rows import unit_rows

__all__ = ["Angular", "Cosine", "ScaledCosine", "SparseCosine"]


def cosines(x: Array, unit_anchors: Array) -> Array:
    """Cosine of every row of `x` with every anchor, in [-1, 1], in the dtype of `x`.

    Lengths are computed in the wide dtype. The product is computed in the dtype of
    `x`: its d terms are at most 1, so the rounding error is negligible.
    """
    xp = _array.namespace(x, unit_anchors)
    left = xp.astype(unit_rows(x), x.dtype, copy=False)
    right = xp.astype(unit_anchors, x.dtype, copy=False)
    return xp.clip(left @ right.T, -1.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class CosineTransform(Relative):
    """A function of the cosines alone."""

    @property
    def similarity_invariances(self) -> frozenset[Group]:
        return DIRECTIONS

    def prepare(self, anchors: Array, reference: Array | None) -> State:
        return {"anchors": unit_rows(anchors)}


@dataclass(frozen=True, kw_only=True)
class Cosine(CosineTransform):
    r"""Cosines to the anchors: the original relative representation.

    .. math:: T_A(z)_i = \langle z, a_i \rangle / (\|z\| \|a_i\|)

    In [-1, 1]; 1 at coordinate i for z = a_i; 0 for z = 0. Invariant to rotations,
    reflections and positive scales, also of single rows. Not invariant to shifts or to
    a different scale per coordinate: see `Robust`.

    >>> Cosine().fit([[1.0, 0.0], [0.0, 2.0]])([[3.0, 4.0], [0.0, 0.0]])
    array([[0.6, 0.8],
           [0. , 0. ]])
    """

    name = "cosine"

    def similarities(self, state: State, x: Array) -> Array:
        return cosines(x, state["anchors"])


@dataclass(frozen=True, kw_only=True)
class ScaledCosine(CosineTransform):
    r"""Cosines over :math:`\sqrt d`: the baseline in the robust transform's poster.

    The poster divides cosines by :math:`\sqrt d` although both sides already have
    length 1. A linear head then gets inputs 28 times smaller for d = 768. Use it to
    separate this effect from the effects of centering and of scaling coordinates.
    Invariant as `Cosine`.

    >>> ScaledCosine().fit([[1.0, 0, 0, 0]])([[2.0, 0, 0, 0]])
    array([[0.5]])
    """

    name = "scaled_cosine"
    refs = ("garciacastellanos2024relative",)

    def similarities(self, state: State, x: Array) -> Array:
        return cosines(x, state["anchors"]) / x.shape[1] ** 0.5


@dataclass(frozen=True, kw_only=True)
class Angular(CosineTransform):
    r"""Angles over pi: :math:`\arccos(\cos(z, a_i)) / \pi`.

    In [0, 1]; 0 at coordinate i for z = a_i; 1/2 for z = 0. Invariant as `Cosine`.
    A cosine in float64 resolves angles down to 1e-8. Smaller angles become 0, with
    derivative 0 instead of the infinite derivative of arccos.

    >>> Angular().fit([[1.0, 0.0]])([[0.0, 5.0], [-1.0, 0.0]])
    array([[0.5],
           [1. ]])
    """

    name = "angular"

    def similarities(self, state: State, x: Array) -> Array:
        xp, c = _array.namespace(x), cosines(_array.widen(x), state["anchors"])
        inside = xp.abs(_array.stop_gradient(c)) < 1.0 - 4 * _array.eps(c)
        angle = xp.acos(xp.where(inside, c, xp.zeros_like(c))) / xp.pi
        ends = xp.where(c > 0, xp.zeros_like(c), xp.ones_like(c))
        return xp.where(inside, angle, ends)


@dataclass(frozen=True, kw_only=True)
class SparseCosine(CosineTransform):
    r"""The `keep` largest cosines, raised to a power; all others are 0.

    .. math:: T_A(z)_i = \mathrm{sign}(c_i) |c_i|^p \text{ for the largest } c_i

    ASIF uses this representation with ``normalize="l2"``, hundreds of kept entries
    and p of about 8. Invariant as `Cosine`. Gradients flow through the kept entries.
    Ties go to the earlier anchor.

    >>> SparseCosine(keep=1).fit([[1.0, 0.0], [0.0, 2.0]])([[3.0, 4.0]])
    array([[0. , 0.8]])
    """

    name = "sparse_cosine"
    refs = ("norelli2023asif",)

    keep: Count = 16
    power: Positive = 1.0

    def prepare(self, anchors: Array, reference: Array | None) -> State:
        if self.keep > anchors.shape[0]:
            raise InvalidInput(
                f"keep={self.keep}, but there are {anchors.shape[0]} anchors; keep "
                f"fewer."
            )
        return super().prepare(anchors, reference)

    def similarities(self, state: State, x: Array) -> Array:
        xp, c = _array.namespace(x), cosines(x, state["anchors"])
        kept = np.zeros(c.shape, dtype=bool)
        # The array standard cannot scatter: numpy finds the order, the values stay.
        order = np.argsort(-_array.to_numpy(c), axis=1, kind="stable")[:, : self.keep]
        np.put_along_axis(kept, order, values=True, axis=1)
        mask = _array.from_numpy(kept, c) & (c != 0)
        size = xp.where(mask, xp.abs(c), xp.ones_like(c)) ** self.power
        return xp.where(mask, xp.sign(c) * size, xp.zeros_like(c))
