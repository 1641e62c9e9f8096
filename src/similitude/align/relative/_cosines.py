"""Transforms that are the plain cosine, up to what is done to the number."""

from dataclasses import dataclass

import numpy as np

from ... import _array
from ..._array import Array
from ..._validate import Count, Positive
from ...errors import InvalidInput
from ...transformations import DIRECTIONS, Group
from ._base import Relative, State
from ._rows import unit_rows

__all__ = ["Angular", "Cosine", "ScaledCosine", "SparseCosine"]


def cosines(x: Array, unit_anchors: Array) -> Array:
    """Cosine of every row of `x` with every anchor, in [-1, 1], in the dtype of `x`.

    Lengths are taken in the wide dtype; the product runs in that of `x`, whose d terms
    of at most 1 lose nothing to speak of.
    """
    xp = _array.namespace(x, unit_anchors)
    left = xp.astype(unit_rows(x), x.dtype, copy=False)
    right = xp.astype(unit_anchors, x.dtype, copy=False)
    return xp.clip(left @ right.T, -1.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class OfCosines(Relative):
    """A function of the cosines alone."""

    @property
    def similarity_invariances(self) -> frozenset[Group]:
        return DIRECTIONS

    def prepare(self, anchors: Array, reference: Array | None) -> State:
        return {"anchors": unit_rows(anchors)}


@dataclass(frozen=True, kw_only=True)
class Cosine(OfCosines):
    r"""The relative representation as it was first proposed.

    .. math:: T_A(z)_i = \langle z, a_i \rangle / (\|z\| \|a_i\|)

    In [-1, 1]; 1 at coordinate i for z = a_i; 0 for z = 0. Invariant to rotations,
    reflections and positive scales, also of single rows. Not to shifts, nor to scales
    that differ between coordinates: for those see `Robust`.

    >>> Cosine().fit([[1.0, 0.0], [0.0, 2.0]])([[3.0, 4.0], [0.0, 0.0]])
    array([[0.6, 0.8],
           [0. , 0. ]])
    """

    name = "cosine"

    def similarities(self, state: State, x: Array) -> Array:
        return cosines(x, state["anchors"])


@dataclass(frozen=True, kw_only=True)
class ScaledCosine(OfCosines):
    r"""Cosines over :math:`\sqrt d`: the vanilla arm of the robust transform's poster.

    There the cosines are divided by :math:`\sqrt d` although both sides have already
    been brought to length 1; a linear head then sees numbers 28 times smaller for
    d = 768. It is here so that this effect can be told from those of centering and of
    scaling coordinates. Invariant as `Cosine`.

    >>> ScaledCosine().fit([[1.0, 0, 0, 0]])([[2.0, 0, 0, 0]])
    array([[0.5]])
    """

    name = "scaled_cosine"
    refs = ("garciacastellanos2024relative",)

    def similarities(self, state: State, x: Array) -> Array:
        return cosines(x, state["anchors"]) / x.shape[1] ** 0.5


@dataclass(frozen=True, kw_only=True)
class Angular(OfCosines):
    r"""Angles over pi: :math:`\arccos(\cos(z, a_i)) / \pi`.

    In [0, 1]; 0 at coordinate i for z = a_i; 1/2 for z = 0. Invariant as `Cosine`.
    A cosine in float64 resolves angles down to 1e-8. Below that they are 0, with
    derivative 0 instead of the infinity of arccos.

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
class SparseCosine(OfCosines):
    r"""The `keep` largest cosines, raised to a power; all others are 0.

    .. math:: T_A(z)_i = \mathrm{sign}(c_i) |c_i|^p \text{ for the largest } c_i

    ASIF's relative representation, with ``normalize="l2"``, hundreds of entries kept
    and p = 8 or so. Invariant as `Cosine`; gradients flow through what is kept. Ties
    go to the earlier anchor.

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
                f"keep={self.keep} of {anchors.shape[0]} anchors; keep fewer."
            )
        return super().prepare(anchors, reference)

    def similarities(self, state: State, x: Array) -> Array:
        xp, c = _array.namespace(x), cosines(x, state["anchors"])
        kept = np.zeros(c.shape, dtype=bool)
        # Not in the standard: the order is found in numpy, the numbers stay here.
        order = np.argsort(-_array.to_numpy(c), axis=1, kind="stable")[:, : self.keep]
        np.put_along_axis(kept, order, values=True, axis=1)
        mask = _array.from_numpy(kept, c) & (c != 0)
        size = xp.where(mask, xp.abs(c), xp.ones_like(c)) ** self.power
        return xp.where(mask, xp.sign(c) * size, xp.zeros_like(c))
