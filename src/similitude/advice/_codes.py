"""Codes that the rows of a table carry."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..measures import Measure
from ..representation import Representation
from ._facts import Facts

#: code -> what it means, for reports
CODES = {
    "ranks": "the ranks leave little room: r1 + r2 > n / 2, so noise scores high too",
    "dead-units": "columns that do not vary; they carry nothing and are not compared",
    "duplicate-rows": "stimuli with the same values; neighbours and ranks tie there",
    "ties": "neighbours at equal distances; which of them count goes by their order",
    "few-rows-for-k": "k is more than a tenth of n: neighbours are most of the data",
    "same-model": "both are computed by one model from the same input: alike by design",
    "batch-sizes": "grows with the number of points: do not rank against other n",
}

# Measures that can fit anything when columns outnumber rows.
_FITTING = {
    "mean_cca",
    "svcca",
    "pwcca",
    "procrustes",
    "shape_metric",
    "linear_regression",
    "gulp",
    "eigenspace_overlap",
}
_GROWING = {"rtd", "rtd_lite", "srtd", "max_rtd", "rips_wasserstein"}


class Pairwise:
    """Advice for the rows of a table, each representation looked at once."""

    def __init__(self, reps: Sequence[Representation]) -> None:
        self._facts = [Facts(rep) for rep in reps]

    def codes(self, a: int, b: int, measure: Measure) -> tuple[str, ...]:
        """The codes that concern this measure of this pair."""
        x, y = self._facts[a], self._facts[b]
        if measure.domain != "points":
            return ()
        found = []
        fits = measure.name in _FITTING or measure.options.get("estimator") == "biased"
        crowded = x.rep.d + y.rep.d > x.rep.n / 2
        if fits and crowded and x.rank + y.rank > x.rep.n / 2:
            found.append("ranks")
        if x.dead_units or y.dead_units:
            found.append("dead-units")
        if x.duplicate_rows or y.duplicate_rows:
            found.append("duplicate-rows")
        k = measure.options.get("k")
        if isinstance(k, int) and k > x.rep.n / 10:
            found.append("few-rows-for-k")
        if isinstance(k, int) and self._ties(x, y, k, measure):
            found.append("ties")
        if x.rep.model is not None and x.rep.model == y.rep.model:
            found.append("same-model")
        if measure.name in _GROWING:
            found.append("batch-sizes")
        return tuple(found)

    @staticmethod
    def _ties(x: Facts, y: Facts, k: int, measure: Measure) -> bool:
        metric = str(measure.options.get("metric", "euclidean"))
        return x.tied(k, metric) or y.tied(k, metric)


def biased_twin(measure: Measure) -> Measure | None:
    """The same measure with its biased estimator, to show what it would have read."""
    if measure.options.get("estimator") != "unbiased":
        return None
    changes: dict[str, Any] = {"estimator": "biased"}
    return replace(measure, **changes)
