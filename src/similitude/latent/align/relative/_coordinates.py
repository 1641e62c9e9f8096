"""Cosines of centered, standardized or whitened coordinates."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from .... import _linalg
from ...._base import _array
from ...._base._array import Array
from ...._base._validate import NotNegative, points
from ....errors import InvalidInput, Undefined
from ....transformations import AFFINE, SHAPE, Group
from ._base import Relative, State, check_anchors
from ._cosines import cosines
from ._rows import moments, unit_rows

__all__ = ["CenteredCosine", "Robust", "WhitenedCosine"]

Stats = Literal["anchors", "batch", "train"]

_WHY_TWO = "statistics need two rows"


def _source(stats: Stats, anchors: Array, reference: Array | None) -> Array:
    """Return the rows that `fit` computes its statistics from."""
    if stats == "train":
        assert reference is not None  # fit() has checked it
        return reference
    check_anchors(2, anchors, _WHY_TWO)
    return anchors


def _check_batch(x: Array) -> None:
    if x.shape[0] < 2:
        raise InvalidInput(
            "x has one row, but stats='batch' computes statistics over x; transform "
            "more rows at once, or choose stats='anchors'."
        )


@dataclass(frozen=True, kw_only=True)
class CenteredCosine(Relative):
    r"""Cosines about the mean: :math:`\cos(z - \mu, a_i - \mu)`.

    It is between `Cosine` and `Robust`: it removes shifts and keeps the scales of the
    coordinates. `stats` chooses the rows whose mean is :math:`\mu`, as in `Robust`.
    Invariant to rotations, reflections, one positive scale, and translation.

    >>> CenteredCosine().fit([[1.0, 5.0], [-1.0, 5.0]])([[7.0, 5.0]])
    array([[ 1., -1.]])
    """

    name = "centered_cosine"
    refs = ("garciacastellanos2024relative",)

    stats: Stats = "anchors"

    @property
    def similarity_invariances(self) -> frozenset[Group]:
        return SHAPE

    def prepare(self, anchors: Array, reference: Array | None) -> State:
        mean = moments(_source(self.stats, anchors, reference))[0]
        return {"mean": mean, "anchors": unit_rows(_array.widen(anchors) - mean)}

    def similarities(self, state: State, x: Array) -> Array:
        if self.stats == "batch":
            _check_batch(x)
            return _anchor_cosines(_array.widen(x) - moments(x)[0], state, x)
        return _anchor_cosines(_array.widen(x) - state["mean"], state, x)


@dataclass(frozen=True, kw_only=True)
class Robust(Relative):
    r"""Cosines of standardized coordinates: the robust relative transform.

    .. math::

        \hat T_A(z)_i = \cos\left(\frac{z - \mu}{s}, \frac{a_i - \mu}{s}\right)

    where :math:`\mu` and :math:`s` are mean and standard deviation (biased) of each
    coordinate, over

    - ``stats="anchors"``: the anchors. The function is the same in training and
      evaluation and does not depend on the batch;
    - ``stats="train"``: the reference rows given to `fit`;
    - ``stats="batch"``: the rows of x for x, and the anchors for the anchors, as
      BatchNorm in training. The output of one row then depends on the other rows.

    In [-1, 1]. Invariant to :math:`z \mapsto z D P + t` with P a permutation and D any
    invertible diagonal matrix, signs included, for every `stats`. This covers the
    symmetries of ReLU, GELU, sigmoid, tanh, RBF and odd activations. Not invariant to
    rotations.

    A coordinate that does not vary beyond rounding gets weight 0; this floor is
    relative to the coordinate itself. `eps` > 0 replaces it by an absolute floor under
    the root, as in BatchNorm (1e-5) and in the published experiments. Small latents
    then lose the invariance.

    Example with coordinates whose standard deviation equals their scale:

    >>> anchors = [[1.0, 100.0], [-1.0, -100.0], [1.0, -100.0], [-1.0, 100.0]]
    >>> Robust().fit(anchors)([[2.0, 200.0]]).round(12) + 0.0
    array([[ 1., -1.,  0.,  0.]])
    """

    name = "robust"
    refs = ("garciacastellanos2024relative",)

    stats: Stats = "anchors"
    eps: NotNegative = 0.0

    @property
    def similarity_invariances(self) -> frozenset[Group]:
        signs = Group.SIGN if self.eps > 0 else Group.DIAGONAL
        return frozenset({Group.PERMUTATION, signs, Group.TRANSLATION})

    @property
    def homogeneous(self) -> bool:
        return self.eps == 0

    def prepare(self, anchors: Array, reference: Array | None) -> State:
        source = _source(self.stats, anchors, reference)
        mean, factor = moments(source, eps=self.eps)
        rows = (_array.widen(anchors) - mean) * factor
        return {"mean": mean, "factor": factor, "anchors": unit_rows(rows)}

    def similarities(self, state: State, x: Array) -> Array:
        mean, factor = state["mean"], state["factor"]
        if self.stats == "batch":
            _check_batch(x)
            mean, factor = moments(x, eps=self.eps)
        with np.errstate(over="ignore"):  # `unit_rows` refuses infinite rows
            return _anchor_cosines((_array.widen(x) - mean) * factor, state, x)


@dataclass(frozen=True, kw_only=True)
class WhitenedCosine(Relative):
    r"""Cosines after whitening: :math:`\cos(W(z - \mu), W(a_i - \mu))`.

    where :math:`W' W = \Sigma^{-1}`, the inverse covariance over the anchors or over
    the reference (`stats`). Invariant to every invertible affine map, a larger group
    than that of `Robust`. It needs more rows than columns: at least d + 1, and many
    more for a useful estimate. k = d anchors are too few: their centered rank is
    d - 1.

    `shrinkage` mixes the covariance with a multiple of the identity of the same trace,
    which is always invertible. The invariance is then only to rotations, one scale
    and translation.

    Example with covariance diag(1, 10^4), where whitening makes both coordinates equal:

    >>> anchors = [[1.0, 100.0], [-1.0, -100.0], [1.0, -100.0], [-1.0, 100.0]]
    >>> WhitenedCosine().fit(anchors)([[2.0, 200.0]]).round(12) + 0.0
    array([[ 1., -1.,  0.,  0.]])
    """

    name = "whitened_cosine"
    refs = ("garciacastellanos2024relative",)

    stats: Literal["anchors", "train"] = "anchors"
    shrinkage: NotNegative = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.shrinkage > 1:
            raise InvalidInput(f"shrinkage={self.shrinkage!r}; it must be in [0, 1].")

    @property
    def similarity_invariances(self) -> frozenset[Group]:
        return AFFINE if self.shrinkage == 0 else SHAPE

    def prepare(self, anchors: Array, reference: Array | None) -> State:
        source = _source(self.stats, anchors, reference)
        xp, mean = _array.namespace(source), moments(source)[0]
        rows = (_array.widen(source) - mean) / source.shape[0] ** 0.5
        if self.shrinkage == 0:
            _check_rank(source, self.stats)
            factor = xp.linalg.qr(rows)[1]  # R'R = Sigma, without forming Sigma
        else:
            trace = xp.sum(rows**2) / rows.shape[1]
            keep = (1.0 - self.shrinkage) ** 0.5
            factor = _linalg.ridge_factor(keep * rows, self.shrinkage * trace)[1]
        state = {"mean": mean, "factor": factor}
        return state | {"anchors": unit_rows(self._whitened(state, anchors))}

    @staticmethod
    def _whitened(state: State, x: Array) -> Array:
        xp = _array.namespace(x)
        rows = _array.widen(x) - state["mean"]
        return xp.linalg.solve(state["factor"].T, rows.T).T

    def similarities(self, state: State, x: Array) -> Array:
        return _anchor_cosines(self._whitened(state, x), state, x)


def _check_rank(source: Array, stats: str) -> None:
    rank = _linalg.whiten(points(source)).rank
    if rank < source.shape[1]:
        n, d = source.shape
        rows = "anchors" if stats == "anchors" else "training rows"
        raise Undefined(
            f"the covariance of {n} {rows} has rank {rank} in {d} dimensions, so it is "
            f"not invertible. Use stats='train' with more rows, or shrinkage=."
        )


def _anchor_cosines(rows: Array, state: State, x: Array) -> Array:
    """Compute cosines of transformed `rows` in the dtype of the input `x`."""
    unit = _array.namespace(x).astype(unit_rows(rows), x.dtype, copy=False)
    return cosines(unit, state["anchors"])
