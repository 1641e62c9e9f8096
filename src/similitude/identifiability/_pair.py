"""Two softmax models of the same inputs and labels, side by side."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _array
from ..errors import InvalidInput, Undefined
from ..inputs import SoftmaxModel

# A direction counts where it is this many times above the rounding of storage: then
# two of its digits are known.
ABOVE = 100.0


@dataclass(frozen=True, eq=False)
class Pair:
    """Two models that have passed the door together.

    Attributes
    ----------
    p, q
        The models.
    labels
        The candidates of both, in increasing order.
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
    """The door for two models: same inputs, same labels, and mostly the same M."""
    for name, model in (("p", p), ("q", q)):
        if not isinstance(model, SoftmaxModel):
            raise InvalidInput(
                f"{name} must be a SoftmaxModel(embeddings, unembeddings); got "
                f"{type(model).__name__}."
            )
    if p.n != q.n:
        raise InvalidInput(
            f"p has {p.n} inputs and q has {q.n}. Embeddings must be of the same "
            f"inputs in the same order."
        )
    if p.g.shape[0] != q.g.shape[0]:
        raise InvalidInput(
            f"p has {p.g.shape[0]} labels and q has {q.g.shape[0]}. Unembeddings must "
            f"be of the same labels in the same order."
        )
    labels = np.sort(p.labels)
    if np.setxor1d(labels, q.labels).size:
        raise InvalidInput(
            "p and q have different candidates: their distributions are over different "
            "labels. Give both the same."
        )
    if same_dimension and p.dimension != q.dimension:
        raise InvalidInput(
            f"p has M = {p.dimension} dimensions and q has {q.dimension}; this "
            f"quantity compares models of one M."
        )
    return Pair(p, q, labels)


def label_subset(pair: Pair, labels: Any) -> np.ndarray:
    """The labels that may be chosen: all candidates, or those that are named.

    In increasing order: they are a set, and the order they are named in says nothing.
    """
    if labels is None:
        return pair.labels
    return np.sort(indices(labels, pair.labels, "labels"))


def indices(chosen: Any, among: np.ndarray, name: str) -> np.ndarray:
    """Distinct integers that are all to be found in `among`, in the caller's order."""
    try:
        chosen = np.asarray(_array.to_numpy(np.asarray(chosen)))
    except ValueError as error:  # a list among numbers
        raise InvalidInput(f"{name} must be whole numbers; got {chosen!r}.") from error
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu" or chosen.size == 0:
        raise InvalidInput(
            f"{name} must be a 1-d array of indices; got shape {chosen.shape} and "
            f"dtype {chosen.dtype}."
        )
    foreign = chosen[~np.isin(chosen, among)]
    if foreign.size:
        raise InvalidInput(
            f"{name} has {foreign[0]}, which is not among the {among.size} there are."
        )
    if np.unique(chosen).size < chosen.size:
        raise InvalidInput(f"{name} must be distinct; got {chosen.tolist()}.")
    return chosen.astype(np.int64)


def chosen_set(given: Any, among: np.ndarray, size: int, name: str) -> np.ndarray:
    """M + 1 indices, the pivot first."""
    chosen = indices(given, among, name)
    if chosen.size != size:
        raise InvalidInput(
            f"{name} must be M + 1 = {size} indices, the pivot first; got "
            f"{chosen.size}."
        )
    return chosen


def differences(rows: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Rows minus the first of them, for sets of indices whose first is the pivot.

    The transpose of L (of g) and of N (of f); sets (..., m + 1) give (..., m, M).
    """
    return rows[chosen[..., 1:]] - rows[chosen[..., :1]]


def noise_of(rows: np.ndarray, eps: float) -> np.ndarray:
    """Below this, a singular value of differences of rows is rounding of storage."""
    return ABOVE * eps * np.linalg.norm(rows, axis=-1).max(axis=-1)


def spectra(rows: np.ndarray, chosen: np.ndarray, eps: float) -> tuple[np.ndarray, ...]:
    """Singular values of the differences of each set, and the rank and condition.

    What was stored with a relative error of `eps` cannot be told from dependent where
    a singular value is not well above that error.
    """
    s = np.linalg.svd(differences(rows, chosen), compute_uv=False)
    rank = np.count_nonzero(s > noise_of(rows[chosen], eps)[..., None], axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        condition = np.where(s[..., 0] > 0, s[..., 0] / s[..., -1], np.inf)
    return s, rank, condition


def check_diverse(model: SoftmaxModel, chosen: np.ndarray, side: str, of: str) -> float:
    """The condition number of L or N for one set; `Undefined` where it has no rank M.

    `side` is "labels" or "inputs", `of` the name of the model.
    """
    rows = model.g if side == "labels" else model.f
    matrix = "L" if side == "labels" else "N"
    _, rank, condition = spectra(rows, chosen, model.eps)
    if rank < model.dimension:
        listed = ", ".join(str(i) for i in chosen[:8].tolist())
        listed += ", ..." if chosen.size > 8 else ""
        raise Undefined(
            f"{of} is not diverse on the {side} {listed}: {matrix} has rank "
            f"{int(rank)} instead of M = {model.dimension} (condition number "
            f"{condition:.3g}). Choose other {side}, or check that f and g "
            f"use all M dimensions."
        )
    return float(condition)
