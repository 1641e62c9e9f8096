"""Nulls of pairs: random orders of rows, or the moments of all orders."""

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

# Both sides as they were prepared, the second side's values, the score, and what both
# score with themselves.
Item = tuple[Any, Any, Representation, float, float | None]


@dataclass(frozen=True)
class Permuted:
    """What the nulls of all pairs share: the same orders for all of them.

    A maximum over layers, or a difference of two scores, can then be calibrated.
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
            # They are of all orders, and blocks allow only some.
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
        except Exception as error:  # the score stands, and the others go on
            return _no_null(error)
        return _fields(null)

    complete = None  # nothing is kept beside a prepared representation

    def each(self, items: Iterable[Item]) -> Iterator[dict[str, Any]]:
        return _parallel.imap(self, items)


@dataclass(frozen=True)
class Closed:
    """The exact moments of all orders, where there are too many pairs to count."""

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
        """With what the moments need of one side and keep beside it."""
        if not isinstance(prepared, Failure):
            try:
                self.measure.null_moments(prepared, prepared)
            except Exception:
                return prepared  # each pair will say why
        return prepared

    def each(self, items: Iterable[Item]) -> Iterator[dict[str, Any]]:
        return map(self, items)  # a pair takes less time than its way to a worker


def null_of(
    measure: Measure, asked: Statistics, resampling: Resampling
) -> "Permuted | Closed":
    """What judges chance, for all pairs of a measure."""
    if asked.null == "moments":
        return Closed(measure, resampling)
    stream = resampling.stream(PERMUTING)
    orders = stats.orders(resampling.n, asked.permutations, stream, resampling.blocks)
    return Permuted(measure, orders, resampling)


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
