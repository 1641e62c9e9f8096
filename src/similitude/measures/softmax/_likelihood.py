"""d_LLV, a distance of distributions, and d_fg, the one of representations below it.

Scores only; `similitude.identifiability` has functions of the same names that return
every part and every choice.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.random import SeedSequence

from ... import identifiability
from ..._array import Array
from ..._seed import Rng
from ..._validate import check_at_least, check_not_negative
from ...inputs import SoftmaxModel
from ...transformations import MODEL_EQUIVALENCE
from .._base import Measure
from .._claims import Claims
from ._base import Side, with_input_sets

__all__ = ["DFG", "DLLV", "d_fg", "d_llv"]


@dataclass(frozen=True, kw_only=True)
class DLLV(Measure):
    """Log-likelihood variance distance; see `similitude.d_llv`."""

    name = "d_llv"
    domain = "softmax"
    refs = ("nielsen2025when",)

    weight: float = 1e-5
    aggregate: Literal["max", "sum"] = "max"
    reduce: Literal["max", "mean"] = "max"
    num_sets: int = 200

    def __post_init__(self) -> None:
        super().__post_init__()
        check_not_negative("weight", self.weight)
        check_at_least("num_sets", self.num_sets, 1)

    def claims(self) -> Claims:
        return Claims(
            kind="distance",
            range=(0.0, math.inf),
            triangle=None,  # a metric for fixed labels and inputs; these are chosen
            invariant=MODEL_EQUIVALENCE,
            stochastic=True,
            differentiable=False,
        )

    def prepare(self, x: Any, seed: SeedSequence | None = None) -> Side:
        return with_input_sets(x, self.num_sets, seed)

    def compare(self, p: Side, q: Side) -> Array:
        return p.score(self._llv(p, q).value)

    def permute(self, q: Side, order: np.ndarray) -> Side:
        return q.permute(order)

    def details(self, p: Side, q: Side) -> dict[str, Any]:
        """The four terms, the labels and inputs that were chosen, and conditioning."""
        llv = self._llv(p, q)
        names = ("t1", "t2", "t3", "t4", "pivot", "left_out", "num_sets")
        return {name: getattr(llv, name) for name in names} | {
            "inputs": list(llv.inputs),
            "condition_labels": list(llv.conditioning.labels),
            "condition_inputs": list(llv.conditioning.inputs),
        }

    def _llv(self, p: Side, q: Side) -> identifiability.LLV:
        return identifiability.d_llv(
            p.model,
            q.model,
            weight=self.weight,
            aggregate=self.aggregate,
            reduce=self.reduce,
            input_sets=p.sets,
        )


@dataclass(frozen=True, kw_only=True)
class DFG(Measure):
    """Distance of embeddings and unembeddings; see `similitude.d_fg`."""

    name = "d_fg"
    domain = "softmax"
    refs = ("nielsen2025when",)

    num_sets: int = 200
    num_subsets: int = 1_000

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least("num_sets", self.num_sets, 1)
        check_at_least("num_subsets", self.num_subsets, 1)

    def claims(self) -> Claims:
        return Claims(
            kind="distance",
            range=(0.0, 1.0),
            triangle=None,
            invariant=MODEL_EQUIVALENCE,
            stochastic=True,
            differentiable=False,
        )

    def prepare(self, x: Any, seed: SeedSequence | None = None) -> Side:
        return with_input_sets(x, self.num_sets, seed)

    def compare(self, p: Side, q: Side) -> Array:
        return p.score(self._fg(p, q).value)

    def permute(self, q: Side, order: np.ndarray) -> Side:
        return q.permute(order)

    def details(self, p: Side, q: Side) -> dict[str, Any]:
        """d_f and d_g, whether all subsets of labels were seen, and both bounds."""
        fg = self._fg(p, q)
        return {
            "d_f": fg.d_f.value,
            "d_g": fg.d_g,
            "exact": fg.exact,
            "num_subsets": fg.d_f.num_subsets,
            "d_llv": fg.llv.value,
            "published_bound": fg.llv.published_bound,
            "derived_bound": fg.llv.derived_bound,
        }

    def _fg(self, p: Side, q: Side) -> identifiability.FG:
        return identifiability.d_fg(
            p.model,
            q.model,
            input_sets=p.sets,
            num_subsets=self.num_subsets,
            rng=p.seed,
        )


def d_llv(
    x: SoftmaxModel,
    y: SoftmaxModel,
    /,
    *,
    weight: float = 1e-5,
    aggregate: Literal["max", "sum"] = "max",
    reduce: Literal["max", "mean"] = "max",
    num_sets: int = 200,
    rng: Rng | None = None,
) -> Array:
    r"""Log-likelihood variance distance: near 0 only if representations are alike.

    .. math::

        d = \max(t_1, t_2, \lambda t_3, \lambda t_4), \qquad
        t_1 = \max_i \max_{j \in \{0, i\}} \mathrm{sd}_x\Bigl[
            \frac{\ell(y_j)}{\psi_i} - \frac{\ell'(y_j)}{\psi_i'} \Bigr], \qquad
        t_3 = \max_i |\psi_i - \psi_i'|

    where

    - :math:`\ell(y) = \log p(y|x)`, and :math:`\ell'` that of the other model;
    - :math:`\psi_i = \mathrm{sd}_x[\ell(y_i) - \ell(y_0)]` for a pivot label
      :math:`y_0`;
    - :math:`t_2, t_4` are the same with M + 1 inputs in place of the labels;
    - pivot, one label to leave out, and inputs are those with the smallest t1 and t2.

    Parameters
    ----------
    x, y
        `SoftmaxModel` of the same inputs and labels, K >= M + 2.
    weight
        lambda, of the terms that see the scale of the logits.
    aggregate
        ``"max"``, as published, or ``"sum"`` of the four terms.
    reduce
        ``"max"``, as published, or ``"mean"`` over labels in t1, t3 and inputs in t4.
    num_sets
        How many disjoint sets of M + 1 inputs are drawn to choose from.
    rng
        Seed of that draw.

    Returns
    -------
    0-d array of the caller's library
        In [0, infinity). `similitude.identifiability.d_llv` returns all terms and
        choices, and takes sets of inputs and subsets of labels.

    Notes
    -----
    Invariant under model equivalence, (f, g) to (A f, A^-T g + b). It bounds `d_fg`, by
    2 M d as published and by 2 d^2. A metric for fixed labels and inputs; whether it
    stays one when these are chosen is not known.

    Not to be confused with: the KL divergence, which can be small between models whose
    representations are not alike.

    References
    ----------
    nielsen2025when

    Examples
    --------
    The same probabilities, by other embeddings and unembeddings:

    >>> import numpy as np
    >>> from similitude import SoftmaxModel
    >>> f, g = np.arange(12.0)[:, None], np.array([[0.0], [1.0], [3.0]])
    >>> x, y = SoftmaxModel(f, g), SoftmaxModel(f / 2, 2 * g + 5)
    >>> float(d_llv(x, y, num_sets=6, rng=0)) < 1e-12
    True
    """
    options = {"weight": weight, "aggregate": aggregate, "reduce": reduce}
    return DLLV(**options, num_sets=num_sets)(x, y, rng)  # type: ignore[arg-type]


def d_fg(
    x: SoftmaxModel,
    y: SoftmaxModel,
    /,
    *,
    num_sets: int = 200,
    num_subsets: int = 1_000,
    rng: Rng | None = None,
) -> Array:
    r"""Distance of representations in the coordinates that labels and inputs give.

    .. math::

        d = \max\bigl(\max_J d_{SVD}(L_J^T f, L_J'^T f'),\;
            d_{SVD}(N^T g, N'^T g')\bigr), \qquad
        d_{SVD}(z, w) = 1 - \frac{1}{M} \|\mathrm{corr}(z, w)\|_*

    where

    - :math:`L_J` has the columns :math:`g(y_j) - g(y_0)`, N the columns
      :math:`f(x_j) - f(x_0)`, for the pivots and inputs that `d_llv` chooses;
    - J runs over the subsets of M of the other labels;
    - :math:`\|\cdot\|_*` is the sum of singular values.

    Parameters
    ----------
    x, y
        `SoftmaxModel` of the same inputs and labels, K >= M + 2.
    num_sets
        Of inputs, for `d_llv`.
    num_subsets
        How many subsets of labels are drawn where there are more than 10,000. The value
        is then a lower estimate, and `details` says so.
    rng
        Seed of both draws.

    Returns
    -------
    0-d array of the caller's library
        In [0, 1]. `similitude.identifiability.d_fg` returns both parts and all choices.

    Notes
    -----
    Invariant under model equivalence, (f, g) to (A f, A^-T g + b).

    Not to be confused with: `d_llv`, a distance of distributions that bounds it; mean
    canonical correlations, which are 1 for models that agree on nothing if embeddings
    and unembeddings are transformed each in its own way.

    References
    ----------
    nielsen2025when

    Examples
    --------
    In one dimension it is 1 - |correlation|, here of the embeddings: 1 - 8 / sqrt 70.

    >>> from similitude import SoftmaxModel
    >>> g = [[0.0], [1.0], [3.0]]
    >>> x = SoftmaxModel([[0.0], [1.0], [2.0], [3.0]], g)
    >>> y = SoftmaxModel([[0.0], [1.0], [2.0], [5.0]], g)
    >>> round(float(d_fg(x, y, num_sets=2, rng=0)), 4)
    0.0438
    """
    return DFG(num_sets=num_sets, num_subsets=num_subsets)(x, y, rng)
