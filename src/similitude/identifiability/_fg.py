"""d_fg: distance of representations in the coordinates given by labels and inputs."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base._seed import Rng
from ..errors import InvalidInput, Undefined
from ._coordinates import Functions, over_inputs, over_labels
from ._llv import LLVDistance, llv_distance
from ._pair import check_both_diverse, chosen_set, indices, label_subset, paired
from ._subsets import subsets
from ._svd import largest_residual, residual, standardized


@dataclass(frozen=True)
class FDistance:
    """d_f, and the labels where it is attained; see `f_distance`.

    Attributes
    ----------
    value
        The largest d_SVD over subsets.
    labels
        The pivot, and the M labels where it is attained.
    num_subsets, total
        Number of evaluated subsets, and number of all subsets.
    """

    value: float
    labels: tuple[int, ...]
    num_subsets: int
    total: int

    def __float__(self) -> float:
        return self.value

    @property
    def exact(self) -> bool:
        """Whether all subsets were evaluated; if not, the value is a lower estimate."""
        return self.num_subsets == self.total


@dataclass(frozen=True)
class FGDistance:
    """d_fg = max(d_f, d_g), with its parts; see `fg_distance`."""

    value: float
    d_f: FDistance
    d_g: float
    llv: LLVDistance

    def __float__(self) -> float:
        return self.value

    @property
    def exact(self) -> bool:
        """Whether d_f is over all subsets of labels."""
        return self.d_f.exact


def f_distance(
    p: Any,
    q: Any,
    *,
    pivot: int,
    left_out: int | None = None,
    labels: Any = None,
    draws: int = 1_000,
    rng: Rng | None = None,
) -> FDistance:
    r"""Largest d_SVD of the embeddings over subsets of M labels.

    .. math:: d_f = \max_J d_{SVD}(L_J' f(x), L_J'' f'(x))

    where L_J has the columns g(y_j) - g(y_0), j in J. J runs over the subsets of M
    labels that contain neither the pivot nor the left-out label. Up to 10,000 subsets,
    all are evaluated. Beyond that, `draws` random subsets give a lower estimate.

    Parameters
    ----------
    p, q
        `SoftmaxModel` on the same inputs and labels, with the same dimension M.
    pivot, left_out
        As chosen by `llv_distance`.
    labels
        The labels to choose from; all candidates by default.
    draws, rng
        Number of drawn subsets, and the seed; used beyond 10,000 subsets.

    Returns
    -------
    FDistance
        The value in [0, 1], the labels where it is attained, and whether it is exact.
    """
    pair = paired(p, q)
    others = label_subset(pair, labels)
    excluded = [y for y in (pivot, left_out) if y is not None]
    indices(excluded, others, "pivot and left_out")
    others = others[~np.isin(others, excluded)]
    if others.size < pair.dimension:
        raise Undefined(
            f"d_f needs M = {pair.dimension} labels besides the pivot and the left-out "
            f"label; there are {others.size}."
        )
    chosen = np.concatenate([[pivot], others])
    check_both_diverse(pair, chosen, "labels")
    first, second = over_inputs(pair, chosen)
    z = _ratios(first, p.eps, "psi of p")
    w = _ratios(second, q.eps, "psi of q")
    taken = subsets(others.size, pair.dimension, pivots=False, draws=draws, rng=rng)
    value, worst = largest_residual(z, w, taken.rows)
    at = (int(pivot), *others[worst].tolist())
    return FDistance(value, at, taken.rows.shape[0], taken.total)


def g_distance(p: Any, q: Any, inputs: Any) -> float:
    r"""d_SVD of the unembeddings in the coordinates given by M + 1 inputs.

    .. math:: d_g = d_{SVD}(N' g(y), N'' g'(y))

    over all candidate labels y, where N has the columns f(x_j) - f(x_0).

    Parameters
    ----------
    p, q
        `SoftmaxModel` on the same inputs and labels, with the same dimension M.
    inputs
        M + 1 indices, the pivot first, as chosen by `llv_distance`.

    Returns
    -------
    float
        In [0, 1].
    """
    pair = paired(p, q)
    chosen = chosen_set(inputs, np.arange(pair.n), pair.dimension + 1, "inputs")
    check_both_diverse(pair, chosen, "inputs")
    first, second = over_labels(pair, chosen)
    z, w = _ratios(first, p.eps, "phi of p"), _ratios(second, q.eps, "phi of q")
    return float(residual(z, w))


def fg_distance(
    p: Any,
    q: Any,
    *,
    llv: LLVDistance | None = None,
    draws: int = 200,
    input_sets: Any = None,
    labels: Any = None,
    subset_draws: int = 1_000,
    rng: Rng | None = None,
    compat: bool = False,
) -> FGDistance:
    """Distance of the representations: the larger of `f_distance` and `g_distance`.

    On the labels and inputs that d_LLV chooses, it is bounded by 2 M d_LLV (published)
    and by 2 d_LLV^2 (derived here; the proof is in `docs/identifiability.md`).

    Parameters
    ----------
    p, q
        `SoftmaxModel` on the same inputs and labels, with the same dimension M.
    llv
        The result of `llv_distance` for p and q, whose choices are used. By default it
        is computed, with the options of the same names.
    draws, input_sets, labels, rng, compat
        See `llv_distance`; `labels` is used by `f_distance` as well.
    subset_draws
        How many label subsets `f_distance` draws if there are more than 10,000.

    Returns
    -------
    FGDistance
        The value in [0, 1], `d_f` (with its attribute `exact`), `d_g` and `llv`.

    References
    ----------
    nielsen2025when
    """
    if llv is not None:
        if not isinstance(llv, LLVDistance):
            raise InvalidInput(
                f"llv must be a result of identifiability.llv_distance; got "
                f"{type(llv).__name__}."
            )
        for name, given in (("input_sets", input_sets), ("labels", labels)):
            if given is not None:
                raise InvalidInput(
                    f"{name}= and llv= were both given, but llv already has its "
                    f"{name}. Leave one of the two out."
                )
    else:
        llv = llv_distance(
            p,
            q,
            draws=draws,
            input_sets=input_sets,
            labels=labels,
            rng=rng,
            compat=compat,
        )
    d_f = f_distance(
        p,
        q,
        pivot=llv.pivot,
        labels=(llv.pivot, *llv.labels),
        draws=subset_draws,
        rng=rng,
    )
    d_g = g_distance(p, q, llv.inputs)
    return FGDistance(max(d_f.value, d_g), d_f, d_g, llv)


def _ratios(side: Functions, eps: float, name: str) -> np.ndarray:
    """Log-ratios to the pivot (the first function) as unit vectors, one per row."""
    rows = side.logits[1:] - side.logits[:1]
    return standardized(rows, side.scale[1:] + side.scale[0], eps, name)
