"""d_LLV: the log-likelihood variance distance between two distributions."""

import math
from dataclasses import dataclass
from typing import Any, Literal

from numpy.random import SeedSequence

from ... import identifiability
from ..._base._array import Array, Score
from ..._base._seed import Rng
from ..._base._validate import Count, NotNegative
from ...inputs import SoftmaxModel
from ...transformations import MODEL_EQUIVALENCE
from .._claims import Claims
from ._base import PreparedModel, SoftmaxMeasure, with_input_sets

__all__ = ["DLLV", "d_llv"]


@dataclass(frozen=True, kw_only=True)
class DLLV(SoftmaxMeasure):
    """Log-likelihood variance distance; see `similitude.d_llv`."""

    name = "d_llv"
    refs = ("nielsen2025when",)

    weight: NotNegative = 1e-5
    aggregate: Literal["max", "sum"] = "max"
    reduce: Literal["max", "mean"] = "max"
    draws: Count = 200

    def claims(self) -> Claims:
        return Claims(
            kind="distance",
            range=(0.0, math.inf),
            triangle=None,  # holds for fixed labels and inputs, but these are chosen
            invariant=MODEL_EQUIVALENCE,
            stochastic=True,
            differentiable=False,
        )

    def prepare(self, x: Any, seed: SeedSequence | None = None) -> PreparedModel:
        return with_input_sets(x, self.draws, seed)

    def compare(self, p: PreparedModel, q: PreparedModel) -> Array:
        return p.score(self._llv(p, q).value)

    def details(self, p: PreparedModel, q: PreparedModel) -> dict[str, Any]:
        """The four terms, the chosen labels and inputs, and condition numbers."""
        llv = self._llv(p, q)
        names = ("t1", "t2", "t3", "t4", "pivot", "left_out", "num_sets")
        return {name: getattr(llv, name) for name in names} | {
            "inputs": list(llv.inputs),
            "condition_labels": list(llv.conditioning.labels),
            "condition_inputs": list(llv.conditioning.inputs),
        }

    def _llv(self, p: PreparedModel, q: PreparedModel) -> identifiability.LLVDistance:
        return identifiability.llv_distance(
            p.model,
            q.model,
            weight=self.weight,
            aggregate=self.aggregate,
            reduce=self.reduce,
            input_sets=p.input_sets,
        )


def d_llv(
    x: SoftmaxModel,
    y: SoftmaxModel,
    /,
    *,
    weight: float = 1e-5,
    aggregate: Literal["max", "sum"] = "max",
    reduce: Literal["max", "mean"] = "max",
    draws: int = 200,
    rng: Rng | None = None,
) -> Score:
    r"""Log-likelihood variance distance; near 0 only if representations are similar.

    .. math::

        d = \max(t_1, t_2, \lambda t_3, \lambda t_4), \qquad
        t_1 = \max_i \max_{j \in \{0, i\}} \mathrm{sd}_x\Bigl[
            \frac{\ell(y_j)}{\psi_i} - \frac{\ell'(y_j)}{\psi_i'} \Bigr], \qquad
        t_3 = \max_i |\psi_i - \psi_i'|

    where

    - :math:`\ell(y) = \log p(y|x)`, and :math:`\ell'` is that of the other model;
    - :math:`\psi_i = \mathrm{sd}_x[\ell(y_i) - \ell(y_0)]` for a pivot label
      :math:`y_0`;
    - :math:`t_2, t_4` are the same with M + 1 inputs in place of the labels;
    - the pivot, one left-out label, and the inputs are chosen to minimize t1 and t2.

    Parameters
    ----------
    x, y
        `SoftmaxModel` of the same inputs and labels, K >= M + 2.
    weight
        lambda, the weight of the terms that depend on the scale of the logits.
    aggregate
        ``"max"``, as published, or ``"sum"`` of the four terms.
    reduce
        ``"max"``, as published, or ``"mean"`` over labels in t1, t3 and inputs in t4.
    draws
        Number of random disjoint sets of M + 1 inputs; the best set is chosen.
    rng
        Seed of these draws.

    Returns
    -------
    0-d array of the caller's library
        In [0, infinity). `similitude.identifiability.llv_distance` returns all terms
        and choices, and accepts given sets of inputs and subsets of labels.

    Notes
    -----
    Invariant under model equivalence, (f, g) to (A f, A^-T g + b). It bounds `d_fg`, by
    2 M d as published and by 2 d^2. It is a metric for fixed labels and inputs. It is
    not known whether it is a metric if these are chosen.

    Not to be confused with: the KL divergence, which can be small between models whose
    representations are not similar.

    References
    ----------
    nielsen2025when

    Examples
    --------
    Different embeddings and unembeddings that give the same probabilities:

    >>> import numpy as np
    >>> from similitude import SoftmaxModel
    >>> f, g = np.arange(12.0)[:, None], np.array([[0.0], [1.0], [3.0]])
    >>> x, y = SoftmaxModel(f, g), SoftmaxModel(f / 2, 2 * g + 5)
    >>> float(d_llv(x, y, draws=6, rng=0)) < 1e-12
    True
    """
    options = {"weight": weight, "aggregate": aggregate, "reduce": reduce}
    return DLLV(**options, draws=draws)(x, y, rng)  # type: ignore[arg-type]
