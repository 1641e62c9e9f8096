"""The four terms of d_LLV, in closed form for all pivots at once."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy

from .._linalg._blocks import budget_rows, spans
from ..errors import Undefined
from ._coordinates import Functions

Reduce = Literal["max", "mean"]

# Values that are equal in exact arithmetic tie, and the first of them is taken.
_TIE = 1e-12
# A difference of logits below so many roundings of them is none.
_NOISE = 8.0


@dataclass(frozen=True, eq=False)
class Angles:
    """What of the functions a, a' of both models does not depend on the pivot.

    sd[a / s - a' / s']^2 = (|a|/s - |a'|/s')^2 + 2 (|a|/s) (|a'|/s') (1 - cos(a, a'))

    holds for any positive s and s'. The first term is a difference of numbers, not of
    squares, and 1 - cos is half the squared distance of the two unit vectors: no term
    cancels, and the sum resolves what the vectors do.
    """

    length: np.ndarray
    length_: np.ndarray
    apart: np.ndarray  # 1 - cos, once for each function

    def deviation(self, at: Any, s: np.ndarray, s_: np.ndarray) -> np.ndarray:
        """sd[a / s - a' / s'] for the functions selected by the index `at`."""
        a, a_ = self.length[at] / s, self.length_[at] / s_
        return np.sqrt((a - a_) ** 2 + 2.0 * a * a_ * self.apart[at])


def angles(first: Functions, second: Functions) -> Angles:
    a, a_ = first.log_probs, second.log_probs
    length, length_ = np.linalg.norm(a, axis=-1), np.linalg.norm(a_, axis=-1)
    unit = a / np.where(length > 0, length, 1.0)[..., None]
    unit_ = a_ / np.where(length_ > 0, length_, 1.0)[..., None]
    apart = 0.5 * np.sum((unit - unit_) ** 2, axis=-1)
    return Angles(length, length_, apart)


@dataclass(frozen=True)
class LabelTerms:
    """Where t1 is smallest, and what it and t3 are there; positions, not labels."""

    pivot: int
    left_out: int
    t1: float
    t3: float


def label_terms(
    first: Functions, second: Functions, eps: float, reduce: Reduce
) -> LabelTerms:
    """The pivot and the left-out label with the smallest t1, the first of ties.

    Of all left-out labels the one with the largest entry is best, so that each pivot
    costs one row of K entries, and all pivots a few passes over K x K, in blocks.
    """
    count = first.logits.shape[0]
    table = _Table(first, second, angles(first, second), eps, reduce)
    values, left_out = np.empty(count), np.empty(count, dtype=np.int64)
    for start, stop in spans(count, budget_rows(count, 8 * count)):
        pivots = np.arange(start, stop)
        entries, _ = table.rows(pivots)
        best = _leave_one_out(entries, pivots, reduce)
        values[start:stop], left_out[start:stop] = best
    pivot = _first_smallest(values)
    if not np.isfinite(values[pivot]):
        raise Undefined(
            f"psi = 0: for every pivot, more than one of the {count - 1} other labels "
            f"has a log-ratio to it that is constant over the inputs, so t1 does not "
            f"exist. Check that the embeddings vary, and drop labels whose "
            f"unembeddings coincide, with labels=."
        )
    _, gaps = table.rows(np.asarray([pivot]))
    used = np.delete(gaps[0], [pivot, left_out[pivot]])
    t3 = used.max() if reduce == "max" else used.mean()
    return LabelTerms(pivot, int(left_out[pivot]), float(values[pivot]), float(t3))


@dataclass(frozen=True, eq=False)
class _Table:
    """The K x K table of entries of t1, one row a pivot, of which rows are made."""

    first: Functions
    second: Functions
    turn: Angles
    eps: float
    reduce: Reduce

    def rows(self, pivots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """max(r, s) or (r + s) / 2 of each pivot and label, and |psi - psi'|.

        Infinite where psi = 0, and 0 where a label would be its own pivot.
        """
        psi, gone = self._psi(self.first, pivots)
        psi_, gone_ = self._psi(self.second, pivots)
        gone = gone | gone_
        safe, safe_ = np.where(gone, 1.0, psi), np.where(gone, 1.0, psi_)
        r = self.turn.deviation(slice(None), safe, safe_)
        s = self.turn.deviation((pivots, None), safe, safe_)
        entries = np.maximum(r, s) if self.reduce == "max" else (r + s) / 2.0
        entries[gone] = np.inf
        entries[np.arange(pivots.size), pivots] = 0.0
        return entries, np.abs(psi - psi_)

    def _psi(self, of: Functions, pivots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        psi = scipy.spatial.distance.cdist(of.logits[pivots], of.logits)
        size = of.scale[pivots][:, None] + of.scale
        return psi, psi <= _NOISE * self.eps * size


def _leave_one_out(
    entries: np.ndarray, pivots: np.ndarray, reduce: Reduce
) -> tuple[np.ndarray, np.ndarray]:
    """Per pivot, the smallest reduction over all labels but one, and which one."""
    rows, count = np.arange(pivots.size), entries.shape[1]
    top = entries.max(axis=1)
    largest = entries >= (top * (1 - _TIE))[:, None]
    largest[rows, pivots] = False  # where all entries are 0, so is the pivot's own
    left_out = np.argmax(largest, axis=1)
    rest = entries.copy()
    rest[rows, left_out] = 0.0
    if reduce == "mean":
        return rest.sum(axis=1) / (count - 2), left_out
    values = rest.max(axis=1)
    # If the largest entry is there twice, it does not matter who is left out.
    tied = values >= top * (1 - _TIE)
    left_out[tied] = np.where(pivots[tied] == 0, 1, 0)
    return values, left_out


def _first_smallest(values: np.ndarray) -> int:
    return int(np.argmax(values <= values.min() * (1 + _TIE)))


@dataclass(frozen=True, eq=False)
class InputTerms:
    """t2 and t4 of each set of inputs; t2 is infinite where phi = 0."""

    t2: np.ndarray
    t4: np.ndarray


def input_terms(
    first: Functions, second: Functions, sets: np.ndarray, eps: float, reduce: Reduce
) -> InputTerms:
    """For sets (S, M + 1) of positions, the pivot first."""
    turn = angles(first, second)
    pivots, others = sets[:, :1], sets[:, 1:]
    phi, gone = _phi(first, sets, eps)
    phi_, gone_ = _phi(second, sets, eps)
    gone = gone | gone_
    safe, safe_ = np.where(gone, 1.0, phi), np.where(gone, 1.0, phi_)
    r, s = turn.deviation(others, safe, safe_), turn.deviation(pivots, safe, safe_)
    entries = np.where(gone, np.inf, np.maximum(r, s))
    t4 = np.abs(phi - phi_)
    # The reference takes the largest entry of t2 also where the rest are means.
    return InputTerms(
        entries.max(axis=1), t4.max(axis=1) if reduce == "max" else t4.mean(axis=1)
    )


def _phi(of: Functions, sets: np.ndarray, eps: float) -> tuple[np.ndarray, np.ndarray]:
    pivots, others = sets[:, :1], sets[:, 1:]
    phi = np.linalg.norm(of.logits[others] - of.logits[pivots], axis=-1)
    return phi, phi <= _NOISE * eps * (of.scale[others] + of.scale[pivots])


def smallest_set(t2: np.ndarray, *, compat: bool) -> int:
    """The set with the smallest t2.

    The reference starts its running minimum at 1: where no set is below, it takes the
    first one.
    """
    best = _first_smallest(t2)
    return 0 if compat and not t2[best] < 1.0 else best
