"""The log-likelihood variance distance between two softmax models."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .._base._seed import Rng
from .._base._validate import check_not_negative, check_one_of
from ..errors import Undefined
from ._coordinates import over_inputs
from ._input_sets import best_inputs, resolve_input_sets
from ._pair import check_both_diverse, label_subset, paired
from ._terms import Reduce, label_terms

Aggregate = Literal["max", "sum"]


@dataclass(frozen=True)
class Conditioning:
    """Condition numbers of L (labels) and N (inputs) for the first and second model."""

    labels: tuple[float, float]
    inputs: tuple[float, float]


@dataclass(frozen=True)
class LLVDistance:
    """A log-likelihood variance distance with its terms; see `llv_distance`.

    Attributes
    ----------
    value
        The distance.
    t1, t2
        Scale-free terms over labels and over inputs.
    t3, t4
        Differences of scale over labels and over inputs, before weighting.
    pivot, left_out
        The pivot label and the left-out label.
    labels
        The labels used for t1 and t3, without the pivot and the left-out label.
    inputs
        The M + 1 inputs used for t2 and t4, the pivot first.
    conditioning
        Condition numbers of L and N.
    num_sets
        Number of sets from which `inputs` was chosen.
    dimension
        M.
    reduce
        Whether t1, t3 and t4 are the largest or the mean entry.
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
        """d_fg <= 2 M d_LLV, as published; informative if d_LLV < 1 / (2M)."""
        self._check_bound()
        return 2.0 * self.dimension * self.value

    @property
    def derived_bound(self) -> float:
        """d_fg <= 2 d_LLV^2: derived here, with the proof in docs/identifiability.md.

        If either bound is informative (below 1), this one is not the larger.
        """
        self._check_bound()
        return 2.0 * self.value**2

    def _check_bound(self) -> None:
        if self.reduce != "max":
            raise Undefined(
                "with reduce='mean' the distance does not bound d_fg, which is a "
                "maximum over labels. Use reduce='max'."
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
    - the pivot :math:`y_0` and one left-out label are chosen to minimize t1, and the
      set of inputs is chosen to minimize t2.

    Parameters
    ----------
    p, q
        `SoftmaxModel` on the same inputs and labels, with the same dimension M.
    weight
        lambda. t1 and t2 do not depend on a common factor of the log-ratios. With a
        small weight of t3 and t4, d = 0 implies equal distributions.
    aggregate
        ``"max"``: the largest of the four terms. ``"sum"``: their sum.
    reduce
        ``"max"``: t1, t3 and t4 are the largest of their entries. ``"mean"``: they are
        means, and labels are chosen by that t1. t2 is the largest entry in both cases.
    draws
        Number of sets of M + 1 inputs to draw. The sets are disjoint.
    input_sets
        (S, M + 1) indices of inputs, the pivots first, to use instead of a draw.
    labels
        The labels from which the pivot, the left-out label and the others are taken;
        all candidates by default. The softmax, t2 and t4 always use all candidates.
    rng
        Seed of the draw; required unless `input_sets` is given.
    compat
        Choose inputs as the reference implementation does: take the first set if every
        set has t2 >= 1, and do not skip degenerate sets.

    Returns
    -------
    LLVDistance
        The value, its terms, and the chosen labels and inputs. The value is
        non-negative. t2 is a minimum over drawn sets, hence an upper estimate.

    Notes
    -----
    Invariant under (f, g) -> (A f, A^-T g + b) of either model, since it depends on the
    distributions only. Symmetric for the same input sets. It is not known whether the
    triangle inequality holds when sets are chosen by their values.

    Not to be confused with: KL divergence, which can be small for models whose
    representations differ; `logit_distance`, which depends on the scale.

    Raises
    ------
    Undefined
        If there are K < M + 2 labels or fewer inputs than the sets need, if a log-ratio
        is constant, or if L or N is singular at the precision of storage.

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
            f"d_LLV needs K >= M + 2 = {m + 2} labels (a pivot, a left-out label and M "
            f"others); there are {chosen.size}."
        )
    sets = resolve_input_sets(pair, draws, input_sets, rng)

    first, second = over_inputs(pair, chosen)
    by_label = label_terms(first, second, eps, reduce)
    used = np.delete(chosen, [by_label.pivot, by_label.left_out])
    pivot_first = np.concatenate([chosen[[by_label.pivot]], used])
    label_conditions = check_both_diverse(pair, pivot_first, "labels")

    best, t2, t4 = best_inputs(pair, sets, eps, reduce, compat=compat)
    input_conditions = check_both_diverse(pair, best, "inputs")
    terms = (by_label.t1, t2, weight * by_label.t3, weight * t4)
    return LLVDistance(
        value=max(terms) if aggregate == "max" else sum(terms),
        t1=by_label.t1,
        t2=t2,
        t3=by_label.t3,
        t4=t4,
        pivot=int(chosen[by_label.pivot]),
        left_out=int(chosen[by_label.left_out]),
        labels=tuple(used.tolist()),
        inputs=tuple(best.tolist()),
        conditioning=Conditioning(label_conditions, input_conditions),
        num_sets=sets.shape[0],
        dimension=m,
        reduce=reduce,
    )


def _check_options(weight: float, aggregate: str, reduce: str) -> None:
    check_not_negative("weight", weight)
    check_one_of("aggregate", aggregate, ("max", "sum"))
    check_one_of("reduce", reduce, ("max", "mean"))
