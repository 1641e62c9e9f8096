"""The log-likelihood variance distance between two softmax models."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .._linalg._blocks import budget_rows, spans
from .._seed import Rng, as_seed
from .._validate import check_at_least, check_not_negative
from ..errors import InvalidInput, Undefined
from ._coordinates import over_inputs, over_labels
from ._pair import Pair, check_diverse, label_subset, paired, spectra
from ._terms import Reduce, input_terms, label_terms, smallest_set

Aggregate = Literal["max", "sum"]


@dataclass(frozen=True)
class Conditioning:
    """Condition numbers of L (labels) and N (inputs) for the first and second model."""

    labels: tuple[float, float]
    inputs: tuple[float, float]


@dataclass(frozen=True)
class LLV:
    """A log-likelihood variance distance, and where it was taken; see `d_llv`.

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


def d_llv(
    p: Any,
    q: Any,
    *,
    weight: float = 1e-5,
    aggregate: Aggregate = "max",
    reduce: Reduce = "max",
    num_sets: int = 200,
    input_sets: Any = None,
    labels: Any = None,
    rng: Rng | None = None,
    compat: bool = False,
) -> LLV:
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
    num_sets
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
    LLV
        The value, its terms, and the choices that were made. Non-negative; t2 is a
        smallest value over sets that were drawn, hence an upper estimate.

    Notes
    -----
    Invariant under (f, g) -> (A f, A^-T g + b) of either model: it sees distributions
    only. Symmetric for the same input sets. Whether it obeys the triangle inequality
    once sets are chosen by their values is not known.

    Not to be confused with: KL divergence, which can be small between models whose
    representations are not alike; `d_logit`, which sees the scale.

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
    >>> from similitude.identifiability import SoftmaxModel, d_llv, equivalent
    >>> angles = 2 * np.pi * np.arange(5) / 5
    >>> g = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    >>> f = np.random.default_rng(0).normal(size=(100, 2))
    >>> p = SoftmaxModel(f, g)
    >>> q = equivalent(p, [[2.0, 1.0], [0.0, 1.0]], b=[5.0, -3.0])
    >>> d_llv(p, q, num_sets=20, rng=0).value < 1e-12
    True
    >>> noisy = SoftmaxModel(f + 0.1 * np.random.default_rng(1).normal(size=f.shape), g)
    >>> d = d_llv(p, noisy, num_sets=20, rng=0)
    >>> round(d.value, 3), d.pivot, d.left_out, d.inputs
    (0.085, 1, 0, (36, 6, 93))
    """
    _check_options(weight, aggregate, reduce)
    pair = paired(p, q)
    chosen = label_subset(pair, labels)
    m, eps = pair.dimension, max(p.eps, q.eps)
    if chosen.size < m + 2:
        raise Undefined(
            f"d_llv needs K >= M + 2 = {m + 2} labels (a pivot, one to leave out and M "
            f"others); there are {chosen.size}."
        )
    sets = _input_sets(pair, num_sets, input_sets, rng)

    first, second = over_inputs(pair, chosen)
    at = label_terms(first, second, eps, reduce)
    used = np.delete(chosen, [at.pivot, at.left_out])
    pivot_first = np.concatenate([chosen[[at.pivot]], used])
    label_conditions = tuple(
        check_diverse(model, pivot_first, "labels", of)
        for model, of in zip(pair.models, "pq", strict=True)
    )

    best, t2, t4 = _choose_inputs(pair, sets, eps, reduce, compat=compat)
    input_conditions = tuple(
        check_diverse(model, best, "inputs", of)
        for model, of in zip(pair.models, "pq", strict=True)
    )
    terms = (at.t1, t2, weight * at.t3, weight * t4)
    return LLV(
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
    if aggregate not in {"max", "sum"}:
        raise InvalidInput(f"aggregate={aggregate!r}; choose 'max' or 'sum'.")
    if reduce not in {"max", "mean"}:
        raise InvalidInput(f"reduce={reduce!r}; choose 'max' or 'mean'.")


def _choose_inputs(
    pair: Pair, sets: np.ndarray, eps: float, reduce: Reduce, *, compat: bool
) -> tuple[np.ndarray, float, float]:
    """The set with the smallest t2, that t2, and its t4."""
    t2, t4 = np.empty(sets.shape[0]), np.empty(sets.shape[0])
    size = sets.shape[1] * (2 * pair.dimension + pair.dimension)
    inputs, where = np.unique(sets, return_inverse=True)
    first, second = over_labels(pair, inputs)
    for start, stop in spans(sets.shape[0], budget_rows(sets.shape[0], 8 * size)):
        block = where.reshape(sets.shape)[start:stop]
        terms = input_terms(first, second, block, eps, reduce)
        t2[start:stop], t4[start:stop] = terms.t2, terms.t4
        if not compat:
            for model in pair.models:
                rank = spectra(model.f, sets[start:stop], model.eps)[1]
                t2[start:stop][rank < pair.dimension] = np.inf
    best = smallest_set(t2, compat=compat)
    if not np.isfinite(t2[best]):
        tried = sets[[best]] if compat else sets
        conditions = [spectra(model.f, tried, model.eps)[2] for model in pair.models]
        which = "the first set" if compat else f"each of the {sets.shape[0]} sets"
        raise Undefined(
            f"{which} of inputs is degenerate: phi = 0, or N is singular to the "
            f"precision of storage (condition number "
            f"{np.max(conditions, axis=0).min():.3g} or more). Check that the "
            f"embeddings vary in all M = {pair.dimension} dimensions, or give other "
            f"input_sets."
        )
    return sets[best], float(t2[best]), float(t4[best])


def _input_sets(
    pair: Pair, num_sets: int, input_sets: Any, rng: Rng | None
) -> np.ndarray:
    """Explicit sets of M + 1 distinct inputs, or disjoint ones that are drawn."""
    size = pair.dimension + 1
    if input_sets is None:
        return draw_input_sets(pair.n, size, num_sets, rng)
    try:
        sets = np.asarray(input_sets)
    except ValueError as error:  # rows of different lengths
        raise InvalidInput(
            f"input_sets must be (S, M + 1) = (S, {size}) indices of inputs; the rows "
            f"that were given have different lengths."
        ) from error
    if sets.ndim != 2 or sets.shape[1] != size or sets.dtype.kind not in "iu":
        raise InvalidInput(
            f"input_sets must be (S, M + 1) = (S, {size}) indices of inputs; got shape "
            f"{sets.shape} and dtype {sets.dtype}."
        )
    if sets.size == 0 or sets.min() < 0 or sets.max() >= pair.n:
        raise InvalidInput(
            f"input_sets must name inputs 0 ... {pair.n - 1}, in at least one set."
        )
    ordered = np.sort(sets, axis=1)
    if np.any(ordered[:, 1:] == ordered[:, :-1]):
        raise InvalidInput("input_sets must have distinct inputs in each set.")
    return sets.astype(np.int64)


def draw_input_sets(n: int, size: int, num_sets: int, rng: Rng | None) -> np.ndarray:
    """`num_sets` disjoint sets of `size` of the n inputs, uniformly."""
    check_at_least("num_sets", num_sets, 1)
    if n < size * num_sets:
        fewer = f", num_sets={n // size} or fewer, or give input_sets=" * (n >= size)
        raise Undefined(
            f"{num_sets} disjoint sets of M + 1 = {size} inputs need {size * num_sets} "
            f"inputs, and there are {n}. Use more inputs{fewer}."
        )
    if rng is None:
        raise InvalidInput(
            "rng is needed to draw input sets: pass rng=0, or give "
            "identifiability.d_llv its input_sets=."
        )
    draw = np.random.default_rng(as_seed(rng))
    return draw.choice(n, size * num_sets, replace=False).reshape(num_sets, size)
