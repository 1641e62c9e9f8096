"""The four terms of d_LLV, in closed form for all pivots together."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy

from .._linalg._blocks import budget_rows, spans
from ..errors import Undefined
from ._coordinates import Functions

Reduce = Literal["max", "mean"]

# Values within this relative distance are ties; the first of them is used.
_TIE = 1e-12
# A difference of logits below this many rounding errors counts as 0.
_NOISE = 8.0


@dataclass(frozen=True, eq=False)
class Angles:
    """Lengths of and angles between the functions a and a' of two models.

    They do not depend on the pivot. For any positive s and s',
    ``sd[a/s - a'/s']^2 = (|a|/s - |a'|/s')^2 + 2 (|a|/s) (|a'|/s') (1 - cos(a, a'))``.

    The first term squares a difference of numbers. 1 - cos is computed as half the
    squared distance of the two unit vectors. No term suffers from cancellation, so the
    sum is as precise as the vectors.
    """

    length: np.ndarray
    length_: np.ndarray
    one_minus_cos: np.ndarray  # one number per function

    def deviation(self, at: Any, s: np.ndarray, s_: np.ndarray) -> np.ndarray:
        """sd[a / s - a' / s'] for the functions selected by the index `at`."""
        a, a_ = self.length[at] / s, self.length_[at] / s_
        return np.sqrt((a - a_) ** 2 + 2.0 * a * a_ * self.one_minus_cos[at])


def angles(first: Functions, second: Functions) -> Angles:
    a, a_ = first.log_probs, second.log_probs
    length, length_ = np.linalg.norm(a, axis=-1), np.linalg.norm(a_, axis=-1)
    unit = a / np.where(length > 0, length, 1.0)[..., None]
    unit_ = a_ / np.where(length_ > 0, length_, 1.0)[..., None]
    return Angles(length, length_, 0.5 * np.sum((unit - unit_) ** 2, axis=-1))


@dataclass(frozen=True)
class LabelTerms:
    """The pivot and left-out label with the smallest t1, as positions; t1 and t3."""

    pivot: int
    left_out: int
    t1: float
    t3: float


def label_terms(
    first: Functions, second: Functions, eps: float, reduce: Reduce
) -> LabelTerms:
    """Find the pivot and the left-out label with the smallest t1; first of ties.

    The best label to leave out is the one with the largest entry. Each pivot needs one
    row of K entries. All pivots need a few passes over K x K entries, in blocks.
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
            f"psi = 0, so t1 does not exist: for every pivot, the log-ratios to more "
            f"than one of the {count - 1} other labels are constant over the inputs. "
            f"Check that the embeddings vary, and use labels= to drop labels with "
            f"equal unembeddings."
        )
    _, gaps = table.rows(np.asarray([pivot]))
    used = np.delete(gaps[0], [pivot, left_out[pivot]])
    t3 = used.max() if reduce == "max" else used.mean()
    return LabelTerms(pivot, int(left_out[pivot]), float(values[pivot]), float(t3))


@dataclass(frozen=True, eq=False)
class _Table:
    """The K x K table of entries of t1, one row per pivot, computed by rows."""

    first: Functions
    second: Functions
    angles: Angles
    eps: float
    reduce: Reduce

    def rows(self, pivots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """max(r, s) or (r + s) / 2 of each pivot and label, and ``|psi - psi'|``.

        Entries are infinite where psi = 0, and 0 where the label is the pivot.
        """
        psi, zero = self._psi(self.first, pivots)
        psi_, zero_ = self._psi(self.second, pivots)
        zero = zero | zero_
        safe, safe_ = np.where(zero, 1.0, psi), np.where(zero, 1.0, psi_)
        r = self.angles.deviation(slice(None), safe, safe_)
        s = self.angles.deviation((pivots, None), safe, safe_)
        entries = np.maximum(r, s) if self.reduce == "max" else (r + s) / 2.0
        entries[zero] = np.inf
        entries[np.arange(pivots.size), pivots] = 0.0
        return entries, np.abs(psi - psi_)

    def _psi(
        self, side: Functions, pivots: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        psi = scipy.spatial.distance.cdist(side.logits[pivots], side.logits)
        size = side.scale[pivots][:, None] + side.scale
        return psi, psi <= _NOISE * self.eps * size


def _leave_one_out(
    entries: np.ndarray, pivots: np.ndarray, reduce: Reduce
) -> tuple[np.ndarray, np.ndarray]:
    """Per pivot, the smallest reduction over all labels but one, and that label."""
    rows, count = np.arange(pivots.size), entries.shape[1]
    top = entries.max(axis=1)
    largest = entries >= (top * (1 - _TIE))[:, None]
    largest[rows, pivots] = False  # the pivot's entry is 0; all entries may be 0
    left_out = np.argmax(largest, axis=1)
    rest = entries.copy()
    rest[rows, left_out] = 0.0
    if reduce == "mean":
        return rest.sum(axis=1) / (count - 2), left_out
    values = rest.max(axis=1)
    # If the largest entry occurs twice, any label can be left out; take the first.
    tied = values >= top * (1 - _TIE)
    left_out[tied] = np.where(pivots[tied] == 0, 1, 0)
    return values, left_out


def _first_smallest(values: np.ndarray) -> int:
    return int(np.argmax(values <= values.min() * (1 + _TIE)))


@dataclass(frozen=True, eq=False)
class InputTerms:
    """t2 and t4 of each set of inputs; t2 is infinite if phi = 0."""

    t2: np.ndarray
    t4: np.ndarray


def input_terms(
    first: Functions, second: Functions, sets: np.ndarray, eps: float, reduce: Reduce
) -> InputTerms:
    """t2 and t4 for sets (S, M + 1) of positions, the pivot first."""
    pair = angles(first, second)
    pivots, others = sets[:, :1], sets[:, 1:]
    phi, zero = _phi(first, sets, eps)
    phi_, zero_ = _phi(second, sets, eps)
    zero = zero | zero_
    safe, safe_ = np.where(zero, 1.0, phi), np.where(zero, 1.0, phi_)
    r, s = pair.deviation(others, safe, safe_), pair.deviation(pivots, safe, safe_)
    entries = np.where(zero, np.inf, np.maximum(r, s))
    t4 = np.abs(phi - phi_)
    # As in the reference implementation, t2 is the largest entry for both reductions.
    return InputTerms(
        entries.max(axis=1), t4.max(axis=1) if reduce == "max" else t4.mean(axis=1)
    )


def _phi(
    side: Functions, sets: np.ndarray, eps: float
) -> tuple[np.ndarray, np.ndarray]:
    pivots, others = sets[:, :1], sets[:, 1:]
    phi = np.linalg.norm(side.logits[others] - side.logits[pivots], axis=-1)
    return phi, phi <= _NOISE * eps * (side.scale[others] + side.scale[pivots])


def smallest_set(t2: np.ndarray, *, compat: bool) -> int:
    """The set with the smallest t2.

    The reference implementation starts its running minimum at 1. If no set is below 1,
    it takes the first one; `compat` does the same.
    """
    best = _first_smallest(t2)
    return 0 if compat and not t2[best] < 1.0 else best
