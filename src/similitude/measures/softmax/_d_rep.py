"""d_rep: distance between representations, with an upper bound from d_logit."""

import math
from dataclasses import dataclass
from typing import Any

from numpy.random import SeedSequence

from ... import identifiability
from ..._base._array import Array, Score
from ..._base._seed import Rng
from ..._base._validate import Count
from ...inputs import SoftmaxModel
from ...transformations import MODEL_EQUIVALENCE, SIZE_AND_SHAPE
from .._claims import Claims
from ._base import PreparedModel, SoftmaxMeasure, softmax_model

__all__ = ["DRep", "d_rep"]


@dataclass(frozen=True, kw_only=True)
class DRep(SoftmaxMeasure):
    """Residual of the map given by unembeddings; see `similitude.d_rep`."""

    name = "d_rep"
    refs = ("nielsen2026logit", "nielsen2024challenges")

    draws: Count = 1_000

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

    def prepare(self, x: Any, seed: SeedSequence | None = None) -> PreparedModel:
        return PreparedModel(softmax_model(x), seed)

    def compare(self, p: PreparedModel, q: PreparedModel) -> Array:
        return p.score(self._rep(p, q).value)

    def details(self, p: PreparedModel, q: PreparedModel) -> dict[str, Any]:
        """The largest condition number, which inflates the value, and the subsets."""
        rep = self._rep(p, q)
        return {
            "condition": rep.condition,
            "exact": rep.exact,
            "num_subsets": rep.num_subsets,
        }

    def _rep(self, p: PreparedModel, q: PreparedModel) -> identifiability.RepDistance:
        return identifiability.rep_distance(
            p.model, q.model, draws=self.draws, rng=p.seed
        )


def d_rep(
    x: SoftmaxModel, y: SoftmaxModel, /, *, draws: int = 1_000, rng: Rng | None = None
) -> Score:
    r"""Residual of the linear map between embeddings that unembeddings determine.

    .. math::

        d = \sqrt{E_{x, J} \|f(x) - A_J f'(x)\|^2}, \qquad A_J = L_J^{-T} L_J'^T

    where

    - J is a pivot label and M other labels, and :math:`L_J` has the columns
      :math:`g(y_j) - g(y_0)`;
    - the mean is over all J if there are at most 10,000.

    Parameters
    ----------
    x, y
        `SoftmaxModel` of the same inputs and labels, K >= M + 1; (f, g) and (f', g').
    draws
        Number of random J, used if there are more than 10,000.
    rng
        Seed of these draws; required only if J are drawn.

    Returns
    -------
    0-d array of the caller's library
        In [0, infinity), in the units of the embeddings of x. It becomes very large if
        some L_J of x is close to singular; `details` has the condition number.

    Notes
    -----
    Invariant under model equivalence of y, (f', g') to (A f', A^-T g' + b), and of x
    only for orthogonal A. Not symmetric.

    Not to be confused with: the residual of the *best* linear map, which may be
    unrelated to the unembeddings.

    References
    ----------
    nielsen2026logit, nielsen2024challenges

    Examples
    --------
    Equal embeddings of length 1. The unembeddings of y are twice as long, which
    determines a map that multiplies by 2.

    >>> from similitude import SoftmaxModel
    >>> f = [[1.0], [-1.0]]
    >>> x, y = SoftmaxModel(f, [[0.0], [1.0]]), SoftmaxModel(f, [[0.0], [2.0]])
    >>> round(float(d_rep(x, y)), 12)
    1.0
    """
    return DRep(draws=draws)(x, y, rng)
