"""Null distributions of pairs: from random row orders, or from exact moments."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _parallel, stats
from ...measures import Measure
from ...representation import Representation
from .._plan import Statistics
from .._prepared import Failure, failure
from ._resampling import PERMUTING, Resampling

# Both prepared sides, the values of the second side, the score, and the mean score of
# the two sides with themselves.
Item = tuple[Any, Any, Representation, float, float | None]


@dataclass(frozen=True)
class PermutationNull:
    """Permutation nulls with the same row orders for all pairs.

    Shared orders allow to calibrate a maximum over layers or a difference of scores.
    """

    measure: Measure
    orders: np.ndarray
    resampling: Resampling

    def __call__(self, item: Item) -> dict[str, Any]:
        p, q, rep, score, self_score = item
        measure = self.measure
        try:
            y = None if measure.offers("permute") else rep.load()
            seed = self.resampling.seed
            scores = stats.null_scores(measure, p, q, self.orders, y=y, seed=seed)
            moments = None
            # The moments are over all orders, but blocks allow only some of them.
            if measure.offers("null_moments") and self.resampling.blocks is None:
                moments = measure.null_moments(p, q)
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

    complete = None  # prepared representations need no further preparation

    def each(self, items: Iterable[Item]) -> Iterator[dict[str, Any]]:
        return _parallel.imap(self, items)


@dataclass(frozen=True)
class MomentNull:
    """Nulls from the exact moments of all orders, used for many pairs or rows."""

    measure: Measure
    resampling: Resampling

    def __call__(self, item: Item) -> dict[str, Any]:
        p, q, _, score, self_score = item
        try:
            moments = self.measure.null_moments(p, q)
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
            except Exception:
                return prepared  # each pair reports the reason
        return prepared

    def each(self, items: Iterable[Item]) -> Iterator[dict[str, Any]]:
        return map(self, items)  # sending a pair to a worker would take longer


def null_of(
    measure: Measure, wanted: Statistics, resampling: Resampling
) -> "PermutationNull | MomentNull":
    """The type of null for all pairs of a measure."""
    if wanted.null == "moments":
        return MomentNull(measure, resampling)
    stream = resampling.stream(PERMUTING)
    orders = stats.orders(resampling.n, wanted.permutations, stream, resampling.blocks)
    return PermutationNull(measure, orders, resampling)


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
