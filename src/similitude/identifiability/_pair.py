"""Validation of two softmax models on the same inputs and labels."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base import _array
from ..errors import InvalidInput, Undefined
from ..inputs import SoftmaxModel, check_softmax_model

# A singular value counts towards the rank if it exceeds the rounding error of storage
# by this factor: two of its digits are then reliable.
NOISE_FACTOR = 100.0


@dataclass(frozen=True, eq=False)
class Pair:
    """Two models that were validated together.

    Attributes
    ----------
    p, q
        The models.
    labels
        The candidates, the same for both, in increasing order.
    """

    p: SoftmaxModel
    q: SoftmaxModel
    labels: np.ndarray

    @property
    def n(self) -> int:
        return self.p.n

    @property
    def dimension(self) -> int:
        return self.p.dimension

    @property
    def models(self) -> tuple[SoftmaxModel, SoftmaxModel]:
        return self.p, self.q


def paired(p: Any, q: Any, *, same_dimension: bool = True) -> Pair:
    """Check that two models have the same inputs and labels, and by default same M."""
    check_softmax_model(p, "p")
    check_softmax_model(q, "q")
    if p.n != q.n:
        raise InvalidInput(
            f"p has {p.n} inputs and q has {q.n}. Compute the embeddings on the same "
            f"inputs in the same order."
        )
    if p.g.shape[0] != q.g.shape[0]:
        raise InvalidInput(
            f"p has {p.g.shape[0]} labels and q has {q.g.shape[0]}. Use unembeddings "
            f"of the same labels in the same order."
        )
    labels = np.sort(p.labels)
    if np.setxor1d(labels, q.labels).size:
        raise InvalidInput(
            "p and q have different candidates, so their distributions are over "
            "different labels. Give both the same candidates."
        )
    if same_dimension and p.dimension != q.dimension:
        raise InvalidInput(
            f"p has M = {p.dimension} dimensions and q has {q.dimension}; this "
            f"quantity needs the same M for both."
        )
    return Pair(p, q, labels)


def label_subset(pair: Pair, labels: Any) -> np.ndarray:
    """The labels to choose from: the given `labels`, or all candidates if None.

    They are sorted, since the order in which they were given has no meaning.
    """
    if labels is None:
        return pair.labels
    return np.sort(indices(labels, pair.labels, "labels"))


def indices(chosen: Any, among: np.ndarray, name: str) -> np.ndarray:
    """Check that `chosen` has distinct integers from `among`; the order is kept."""
    try:
        chosen = np.asarray(_array.to_numpy(np.asarray(chosen)))
    except ValueError as error:  # ragged: a list among numbers
        raise InvalidInput(f"{name} must be whole numbers; got {chosen!r}.") from error
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu" or chosen.size == 0:
        raise InvalidInput(
            f"{name} must be a 1-d array of indices; got shape {chosen.shape} and "
            f"dtype {chosen.dtype}."
        )
    foreign = chosen[~np.isin(chosen, among)]
    if foreign.size:
        raise InvalidInput(
            f"{name} has {foreign[0]}, which is not one of the {among.size} available "
            f"indices."
        )
    if np.unique(chosen).size < chosen.size:
        raise InvalidInput(f"{name} must be distinct; got {chosen.tolist()}.")
    return chosen.astype(np.int64)


def chosen_set(given: Any, among: np.ndarray, size: int, name: str) -> np.ndarray:
    """Check M + 1 given indices, the pivot first."""
    chosen = indices(given, among, name)
    if chosen.size != size:
        raise InvalidInput(
            f"{name} must be M + 1 = {size} indices, the pivot first; got "
            f"{chosen.size}."
        )
    return chosen


def differences(rows: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Rows minus the row of the pivot, the first index of each set.

    For rows of g this is the transpose of L, for rows of f that of N. Sets of shape
    (..., m + 1) give (..., m, M).
    """
    return rows[chosen[..., 1:]] - rows[chosen[..., :1]]


def noise_level(rows: np.ndarray, eps: float) -> np.ndarray:
    """Threshold for singular values of row differences; below it they are rounding."""
    peak = np.abs(rows).max(initial=0.0)
    unit = 1.0 if peak < 1e70 else 2.0 ** (math.frexp(peak)[1] - 1)
    return NOISE_FACTOR * eps * unit * np.linalg.norm(rows / unit, axis=-1).max(axis=-1)


def spectra(rows: np.ndarray, chosen: np.ndarray, eps: float) -> tuple[np.ndarray, ...]:
    """Singular values, rank and condition number of the differences of each set.

    Rows are stored with a relative error of `eps`. Singular values that are not well
    above that error cannot be distinguished from 0.
    """
    s = np.linalg.svd(differences(rows, chosen), compute_uv=False)
    rank = np.count_nonzero(s > noise_level(rows[chosen], eps)[..., None], axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        condition = np.where(s[..., 0] > 0, s[..., 0] / s[..., -1], np.inf)
    return s, rank, condition


def check_both_diverse(
    pair: Pair, chosen: np.ndarray, side: str
) -> tuple[float, float]:
    """`check_diverse` of p and of q."""
    return (
        check_diverse(pair.p, chosen, side, "p"),
        check_diverse(pair.q, chosen, side, "q"),
    )


def check_diverse(
    model: SoftmaxModel, chosen: np.ndarray, side: str, name: str
) -> float:
    """The condition number of L or N for one set; `Undefined` if its rank is not M.

    `side` is "labels" or "inputs"; `name` is the argument name of the model.
    """
    rows = model.g if side == "labels" else model.f
    matrix = "L" if side == "labels" else "N"
    _, rank, condition = spectra(rows, chosen, model.eps)
    if rank < model.dimension:
        listed = ", ".join(str(i) for i in chosen[:8].tolist())
        listed += ", ..." if chosen.size > 8 else ""
        raise Undefined(
            f"{name} is not diverse on the {side} {listed}: {matrix} has rank "
            f"{int(rank)} instead of M = {model.dimension} (condition number "
            f"{condition:.3g}). Choose other {side}, or check that f and g "
            f"use all M dimensions."
        )
    return float(condition)
