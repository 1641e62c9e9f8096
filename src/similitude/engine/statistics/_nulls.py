"""Null distributions of pairs: from random row orders, or from exact moments."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ... import stats
from ..._base import _parallel
from ..._base._parts import in_parts
from ..._base._progress import PERMUTATIONS
from ...measures import Measure
from ...representation import Representation
from .._memory import Memory
from .._plan import Statistics, moments_are_affordable
from .._prepared import Failure, failure
from .._resources import is_of_machine
from .._tiles import bytes_of
from ._resampling import PERMUTING, Resampling

# Multiplications from which a permutation is worth a thread: about two milliseconds.
LONG_PERMUTATION = 5e7
# Both prepared sides, the values of the second side, the score, the mean score of the
# two sides with themselves, and the hash of the job.
Item = tuple[Any, Any, Representation, float, float | None, str]


@dataclass(frozen=True)
class PermutationNull:
    """Permutation nulls with the same row orders for all pairs.

    Shared orders allow to calibrate a maximum over layers or a difference of scores.
    """

    measure: Measure
    orders: np.ndarray
    resampling: Resampling

    def __call__(self, item: Item) -> dict[str, Any]:
        p, q, rep, score, self_score, job = item
        measure = self.measure
        try:
            scores = self._scores(p, q, rep, job)
            moments = measure.null_moments(p, q) if self._refines(rep) else None
            fits = moments is not None and stats.law_fits(moments)
            null = stats.null(
                measure,
                score,
                scores,
                self_score=self_score,
                moments=moments if fits else None,
            )
        except Exception as error:  # the score is kept, and other pairs continue
            return _no_null(error)
        return _fields(null)

    def _refines(self, rep: Representation) -> bool:
        """Whether the moments refine p: only if they cost less than the permutations.

        The moments are over all orders, but blocks and classes allow only some of them.
        """
        measure, (count, n) = self.measure, self.orders.shape
        limits = self.resampling.blocks, self.resampling.classes
        if any(limit is not None for limit in limits):
            return False
        if not measure.offers("null_moments"):
            return False
        permuting = count * measure.null_work(n, rep.d, rep.d)
        return moments_are_affordable(measure, n, (rep.d, rep.d), permuting)

    def _scores(self, p: Any, q: Any, rep: Representation, job: str) -> np.ndarray:
        """The null scores of a pair. Orders that are scored one by one use threads.

        Each score depends only on its order, so the number of threads does not matter.
        """
        measure, seed = self.measure, self.resampling.seed
        y = None if measure.offers("permute") else rep.load()
        score = partial(stats.null_scores, measure, p, q, y=y, seed=seed)
        if measure.offers("null"):
            return score(self.orders)
        count, n = self.orders.shape
        work = measure.null_work(n, rep.d, rep.d)
        alone = not measure.offers("permute")
        if work < LONG_PERMUTATION and not alone:
            return score(self.orders)

        def compute(first: int) -> Iterator[np.ndarray]:
            each = [self.orders[i : i + 1] for i in range(first, count)]
            yield from map(score, each) if alone else _parallel.map_threads(score, each)

        return in_parts(PERMUTATIONS, ("null", job, count), count, compute)

    complete = None  # prepared representations need no further preparation

    def each(self, items: Sequence[Item]) -> Iterator[dict[str, Any]]:
        """Few pairs are computed one after another, each with several threads."""
        count, n = self.orders.shape
        sides = [(bytes_of(p), rep.d) for p, _, rep, *_ in items]
        memory = Memory(n, max(d for _, d in sides), count)
        workers = memory.workers(max(size for size, _ in sides))
        if len(items) < 2 or workers == 1:
            return map(self, items)
        return _parallel.imap(self, items, workers)


@dataclass(frozen=True)
class MomentNull:
    """Nulls from the exact moments of all orders.

    `drawn` has the permutations for pairs whose moments do not describe the null. It is
    None if they would take too long; these pairs then do not have a null.
    """

    measure: Measure
    resampling: Resampling
    drawn: PermutationNull | None = None

    def __call__(self, item: Item) -> dict[str, Any]:
        p, q, _, score, self_score, _ = item
        try:
            moments = self.measure.null_moments(p, q)
            if self.drawn is not None and not stats.law_fits(moments):
                return self.drawn(item)
            null = stats.closed_null(
                self.measure, score, moments, self_score=self_score
            )
        except Exception as error:
            return _no_null(error)
        return _fields(null)

    def complete(self, prepared: Any) -> Any:
        """Compute and cache the part of the moments that depends on one side."""
        if not isinstance(prepared, Failure):
            try:
                self.measure.null_moments(prepared, prepared)
            except Exception as error:
                if is_of_machine(error):
                    raise
                return prepared  # each pair reports the reason
        return prepared

    def each(self, items: Sequence[Item]) -> Iterator[dict[str, Any]]:
        # Sending a pair to a worker would take longer.
        return map(self, items)


def null_of(
    measure: Measure, wanted: Statistics, resampling: Resampling
) -> "PermutationNull | MomentNull":
    """The type of null for all pairs of a measure."""
    drawn = None
    if wanted.permutations:
        stream, count = resampling.stream(PERMUTING), wanted.permutations
        orders = stats.orders(
            resampling.n, count, stream, resampling.blocks, within=resampling.classes
        )
        drawn = PermutationNull(measure, orders, resampling)
    if wanted.null == "moments":
        return MomentNull(measure, resampling, drawn)
    assert drawn is not None
    return drawn


def _fields(null: stats.Null) -> dict[str, Any]:
    return {
        "null_mean": null.mean,
        "null_sd": null.sd,
        "null_q95": null.q95,
        "p": null.p,
        "p_method": null.p_method,
        "calibrated": null.calibrated,
        "permutations": null.permutations,
    }


def _no_null(error: Exception) -> dict[str, Any]:
    return {"details": {"null": failure(error).outcome.reason}}
