"""The logit distance, and d_rep, the distance of representations below it.

Scores only; `similitude.identifiability` has functions of the same names.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from ... import _array, _linalg, identifiability
from ..._array import Array
from ..._linalg._blocks import budget_rows, spans
from ..._seed import Rng
from ..._validate import check_at_least
from ...inputs import SoftmaxModel
from ...transformations import MODEL_EQUIVALENCE, SIZE_AND_SHAPE
from .._base import Measure
from .._claims import Claims
from ._base import Side, softmax_model

__all__ = ["DLogit", "DRep", "d_logit", "d_rep"]


@dataclass(frozen=True, kw_only=True)
class DLogit(Measure):
    """Distance of centred logits; see `similitude.d_logit`."""

    name = "d_logit"
    domain = "softmax"
    refs = ("nielsen2026logit",)

    def claims(self) -> Claims:
        return Claims(
            kind="distance",
            range=(0.0, math.inf),
            triangle=True,
            invariant=MODEL_EQUIVALENCE,
        )

    def prepare(self, x: Any, seed: SeedSequence | None = None) -> tuple[Array, Array]:
        """f, and g about its mean, of the candidates in increasing order."""
        x = softmax_model(x)
        g = _array.widen(x.unembeddings)
        g = _array.take(g, np.sort(x.labels))
        xp = _array.namespace(g)
        for _ in range(2):  # the second pass removes what a large mean has rounded
            g = g - xp.mean(g, axis=0)
        return _array.widen(x.embeddings), g

    def compare(self, p: tuple[Array, Array], q: tuple[Array, Array]) -> Array:
        xp, n, labels = _array.namespace(p[0]), p[0].shape[0], p[1].shape[0]
        total = xp.zeros((), dtype=p[0].dtype, device=_array.device(p[0]))
        for start, stop in spans(n, budget_rows(n, 8 * labels)):
            gap = p[0][start:stop, :] @ p[1].T - q[0][start:stop, :] @ q[1].T
            total = total + xp.sum(gap * gap)
        return _linalg.safe_sqrt(total / n)[()]

    def permute(self, q: tuple[Array, Array], order: np.ndarray) -> tuple[Array, Array]:
        return _array.take(q[0], order), q[1]


@dataclass(frozen=True, kw_only=True)
class DRep(Measure):
    """Distance to the map that labels prescribe; see `similitude.d_rep`."""

    name = "d_rep"
    domain = "softmax"
    refs = ("nielsen2026logit", "nielsen2024challenges")

    num_subsets: int = 1_000

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least("num_subsets", self.num_subsets, 1)

    def claims(self) -> Claims:
        return Claims(
            kind="distance",
            range=(0.0, math.inf),
            symmetric=False,
            triangle=None,
            invariant_x=SIZE_AND_SHAPE,  # it is measured in the units of x
            invariant_y=MODEL_EQUIVALENCE,
            stochastic=True,
            differentiable=False,
        )

    def prepare(self, x: Any, seed: SeedSequence | None = None) -> Side:
        return Side(softmax_model(x), seed)

    def compare(self, p: Side, q: Side) -> Array:
        return p.score(self._rep(p, q).value)

    def permute(self, q: Side, order: np.ndarray) -> Side:
        return q.permute(order)

    def details(self, p: Side, q: Side) -> dict[str, Any]:
        """The worst condition number, with which the value grows, and the subsets."""
        rep = self._rep(p, q)
        return {
            "condition": rep.condition,
            "exact": rep.exact,
            "num_subsets": rep.num_subsets,
        }

    def _rep(self, p: Side, q: Side) -> identifiability.Rep:
        return identifiability.d_rep(
            p.model, q.model, num_subsets=self.num_subsets, rng=p.seed
        )


def d_logit(x: SoftmaxModel, y: SoftmaxModel, /) -> Array:
    r"""Logit distance: root mean square distance of centred logits.

    .. math::

        d = \sqrt{E_x \|\bar u(x, \cdot) - \bar u'(x, \cdot)\|^2}, \qquad
        \bar u(x, y) = f(x)^T \Bigl(g(y) - \frac1K \sum_{y'} g(y')\Bigr)

    where

    - f(x) and g(y) are embeddings and unembeddings of one model, and
      :math:`\bar u'` are the centred logits of the other;
    - K is the number of candidate labels.

    Parameters
    ----------
    x, y
        `SoftmaxModel` of the same inputs and labels; dimensions may differ.

    Returns
    -------
    0-d array of the caller's library
        In [0, infinity), a metric between distributions, with gradients.

    Notes
    -----
    Invariant under model equivalence, (f, g) to (A f, A^-T g + b). It bounds `d_rep`
    and canonical correlations; `similitude.identifiability.canonical_bound` has the
    latter.

    Not to be confused with: a distance of raw logits, which a shift of all
    unembeddings changes without a change of any probability.

    References
    ----------
    nielsen2026logit

    Examples
    --------
    One input; logits 1 and -1 against 5 and 5, which are 0 and 0 once centred:

    >>> from similitude import SoftmaxModel
    >>> x = SoftmaxModel([[1.0]], [[1.0], [-1.0]])
    >>> y = SoftmaxModel([[1.0]], [[5.0], [5.0]])
    >>> round(float(d_logit(x, y)) ** 2, 12)
    2.0
    """
    return DLogit()(x, y)


def d_rep(
    x: SoftmaxModel,
    y: SoftmaxModel,
    /,
    *,
    num_subsets: int = 1_000,
    rng: Rng | None = None,
) -> Array:
    r"""How far embeddings are from the linear map that unembeddings prescribe.

    .. math::

        d = \sqrt{E_{x, J} \|f(x) - A_J f'(x)\|^2}, \qquad A_J = L_J^{-T} L_J'^T

    where

    - J is a pivot label and M others, and :math:`L_J` has the columns
      :math:`g(y_j) - g(y_0)`;
    - the mean is over all J, if they are at most 10,000.

    Parameters
    ----------
    x, y
        `SoftmaxModel` of the same inputs and labels, K >= M + 1; (f, g) and (f', g').
    num_subsets
        How many J are drawn where there are more than 10,000.
    rng
        Seed of that draw; not needed where there is none.

    Returns
    -------
    0-d array of the caller's library
        In [0, infinity), in the units of the embeddings of x. It explodes where some
        L_J of x is close to singular: `details` has the condition number.

    Notes
    -----
    Invariant under model equivalence of y, (f', g') to (A f', A^-T g' + b); of x only
    for orthogonal A. Not symmetric.

    Not to be confused with: the residual of the *best* linear map, which may have
    nothing to do with the unembeddings.

    References
    ----------
    nielsen2026logit, nielsen2024challenges

    Examples
    --------
    Equal embeddings of length 1; unembeddings twice as long ask for a map of 2.

    >>> from similitude import SoftmaxModel
    >>> f = [[1.0], [-1.0]]
    >>> x, y = SoftmaxModel(f, [[0.0], [1.0]]), SoftmaxModel(f, [[0.0], [2.0]])
    >>> round(float(d_rep(x, y)), 12)
    1.0
    """
    return DRep(num_subsets=num_subsets)(x, y, rng)
