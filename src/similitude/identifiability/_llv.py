"""The log-likelihood variance distance between two softmax models."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .._seed import Rng
from .._validate import check_not_negative, check_one_of
from ..errors import Undefined
from ._coordinates import over_inputs
from ._input_sets import best_inputs, input_sets_of
from ._pair import check_diverse, label_subset, paired
from ._terms import Reduce, label_terms

Aggregate = Literal["max", "sum"]


@dataclass(frozen=True)
class Conditioning:
    """Condition numbers of L (labels) and N (inputs) for the first and second model."""

    labels: tuple[float, float]
    inputs: tuple[float, float]


@dataclass(frozen=True)
class LLVDistance:
    """A log-likelihood variance distance, and where it was taken; see `llv_distance`.

    Attributes
    ----------
    value
        The distance.
    t1, t2
        Scale-free terms over labels and over inputs.
    t3, t4
        Differences of scale, before the weight.
    pivot, left_out
        The pivot label and the label that is left out.
    labels
        The labels that t1 and t3 are over: neither the pivot nor the one left out.
    inputs
        The M + 1 inputs that t2 and t4 are over, the pivot first.
    conditioning
        How far L and N are from singular.
    num_sets
        From how many sets `inputs` were chosen.
    dimension
        M.
    reduce
        Whether t1, t3 and t4 are largest or mean entries.
    """

    value: float
    t1: float
    t2: float
    t3: float
    t4: float
    pivot: int
    left_out: int
    labels: tuple[int, ...]
    inputs: tuple[int, ...]
    conditioning: Conditioning
    num_sets: int
    dimension: int
    reduce: Reduce

    def __float__(self) -> float:
        return self.value

    @property
    def published_bound(self) -> float:
        """d_fg <= 2 M d_LLV, as published; it says something below 1 / (2M)."""
        self._check_bound()
        return 2.0 * self.dimension * self.value

    @property
    def derived_bound(self) -> float:
        """d_fg <= 2 d_LLV^2: derived by us, with the proof in docs/identifiability.md.

        Never the larger of the two where either says something.
        """
        self._check_bound()
        return 2.0 * self.value**2

    def _check_bound(self) -> None:
        if self.reduce != "max":
            raise Undefined(
                "with reduce='mean' the distance does not bound d_fg, which is about "
                "the worst labels. Take reduce='max'."
            )


def llv_distance(
    p: Any,
    q: Any,
    *,
    weight: float = 1e-5,
    aggregate: Aggregate = "max",
    reduce: Reduce = "max",
    draws: int = 200,
    input_sets: Any = None,
    labels: Any = None,
    rng: Rng | None = None,
    compat: bool = False,
) -> LLVDistance:
    r"""Log-likelihood variance distance of two softmax models.

    .. math::

        d = \max(t_1, t_2, \lambda t_3, \lambda t_4), \qquad
        t_1 = \max_i \max\Bigl(
            \mathrm{sd}_x\Bigl[\frac{\ell(y_i)}{\psi_i} - \frac{\ell'(y_i)}{\psi_i'}
            \Bigr],
            \mathrm{sd}_x\Bigl[\frac{\ell(y_0)}{\psi_i} - \frac{\ell'(y_0)}{\psi_i'}
            \Bigr] \Bigr), \qquad
        t_3 = \max_i |\psi_i - \psi_i'|

    where

    - :math:`\ell(y)` and :math:`\ell'(y)` are log p(y|x) and log q(y|x), as functions
      of the input x, and sd has n - 1 in its denominator;
    - :math:`\psi_i = \mathrm{sd}_x[\ell(y_i) - \ell(y_0)]`, and :math:`\psi_i'`;
    - :math:`t_2, t_4` are the same with inputs and labels exchanged: inputs
      :math:`x_0, \dots, x_M`, standard deviations over all candidate labels;
    - the pivot :math:`y_0` and one more label, which is left out, are chosen so that
      t1 is smallest, and the inputs as the set with the smallest t2.

    Parameters
    ----------
    p, q
        `SoftmaxModel` of the same inputs, labels and dimension M.
    weight
        lambda. t1 and t2 do not see a common factor of the log-ratios; a small weight
        of t3 and t4 makes d = 0 mean equal distributions.
    aggregate
        ``"max"``: the largest of the four terms. ``"sum"``: their sum.
    reduce
        ``"max"``, or ``"mean"``: t1, t3 and t4 are means over their entries, and the
        labels are chosen by that t1. t2 stays the largest entry.
    draws
        How many sets of M + 1 inputs to draw; no input is in two of them.
    input_sets
        (S, M + 1) indices of inputs, the pivots first, instead of a draw.
    labels
        The labels among which pivot, left-out label and the others are, all by
        default. The softmax, t2 and t4 are over all candidates in any case.
    rng
        Seed of the draw; needed unless `input_sets` are given.
    compat
        Choose inputs as the reference implementation does: if every set has t2 >= 1,
        the first; no set is passed over for being degenerate.

    Returns
    -------
    LLVDistance
        The value, its terms, and the choices that were made. Non-negative; t2 is a
        smallest value over sets that were drawn, hence an upper estimate.

    Notes
    -----
    Invariant under (f, g) -> (A f, A^-T g + b) of either model: it sees distributions
    only. Symmetric for the same input sets. Whether it obeys the triangle inequality
    once sets are chosen by their values is not known.

    Not to be confused with: KL divergence, which can be small between models whose
    representations are not alike; `logit_distance`, which sees the scale.

    Raises
    ------
    Undefined
        With K < M + 2 labels, with fewer inputs than the sets need, where a log-ratio
        is constant, and where L or N is singular to the precision of storage.

    References
    ----------
    nielsen2025when

    Examples
    --------
    Five labels on a circle; the second model is the first in other coordinates.

    >>> import numpy as np
    >>> from similitude.identifiability import SoftmaxModel, llv_distance, equivalent
    >>> angles = 2 * np.pi * np.arange(5) / 5
    >>> g = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    >>> f = np.random.default_rng(0).normal(size=(100, 2))
    >>> p = SoftmaxModel(f, g)
    >>> q = equivalent(p, [[2.0, 1.0], [0.0, 1.0]], b=[5.0, -3.0])
    >>> llv_distance(p, q, draws=20, rng=0).value < 1e-12
    True
    >>> noisy = SoftmaxModel(f + 0.1 * np.random.default_rng(1).normal(size=f.shape), g)
    >>> d = llv_distance(p, noisy, draws=20, rng=0)
    >>> round(d.value, 3), d.pivot, d.left_out, d.inputs
    (0.085, 1, 0, (36, 6, 93))
    """
    _check_options(weight, aggregate, reduce)
    pair = paired(p, q)
    chosen = label_subset(pair, labels)
    m, eps = pair.dimension, max(p.eps, q.eps)
    if chosen.size < m + 2:
        raise Undefined(
            f"d_LLV needs K >= M + 2 = {m + 2} labels (a pivot, one to leave out and M "
            f"others); there are {chosen.size}."
        )
    sets = input_sets_of(pair, draws, input_sets, rng)

    first, second = over_inputs(pair, chosen)
    at = label_terms(first, second, eps, reduce)
    used = np.delete(chosen, [at.pivot, at.left_out])
    pivot_first = np.concatenate([chosen[[at.pivot]], used])
    label_conditions = tuple(
        check_diverse(model, pivot_first, "labels", of)
        for model, of in zip(pair.models, "pq", strict=True)
    )

    best, t2, t4 = best_inputs(pair, sets, eps, reduce, compat=compat)
    input_conditions = tuple(
        check_diverse(model, best, "inputs", of)
        for model, of in zip(pair.models, "pq", strict=True)
    )
    terms = (at.t1, t2, weight * at.t3, weight * t4)
    return LLVDistance(
        value=max(terms) if aggregate == "max" else sum(terms),
        t1=at.t1,
        t2=t2,
        t3=at.t3,
        t4=t4,
        pivot=int(chosen[at.pivot]),
        left_out=int(chosen[at.left_out]),
        labels=tuple(used.tolist()),
        inputs=tuple(best.tolist()),
        conditioning=Conditioning(label_conditions, input_conditions),  # type: ignore[arg-type]
        num_sets=sets.shape[0],
        dimension=m,
        reduce=reduce,
    )


def _check_options(weight: float, aggregate: str, reduce: str) -> None:
    check_not_negative("weight", weight)
    check_one_of("aggregate", aggregate, ("max", "sum"))
    check_one_of("reduce", reduce, ("max", "mean"))
