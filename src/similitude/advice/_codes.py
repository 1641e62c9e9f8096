"""Codes that the rows of a table carry."""

from collections.abc import Sequence

from ..measures import Measure
from ..representation import Representation
from ._facts import Facts

#: code -> what it means, for reports
CODES = {
    "ranks": "the ranks leave little room: r1 + r2 > n / 2, so noise scores high too",
    "dead-units": "columns that do not vary; they carry nothing and are not compared",
    "duplicate-rows": "stimuli with the same values; neighbors and ranks tie there",
    "ties": "neighbors at equal distances; which of them count goes by their order",
    "few-rows-for-k": "k is more than a tenth of n: neighbors are most of the data",
    "same-model": "both are computed by one model from the same input: alike by design",
    "batch-sizes": "grows with the number of points: do not rank against other n",
}


class Pairwise:
    """Advice for the rows of a table, each representation looked at once."""

    def __init__(self, reps: Sequence[Representation]) -> None:
        self._facts = [Facts(rep) for rep in reps]

    def codes(self, a: int, b: int, measure: Measure) -> tuple[str, ...]:
        """The codes that concern this measure of this pair."""
        x, y = self._facts[a], self._facts[b]
        if measure.domain != "points":
            return ()
        found, claims = [], measure.claims()
        crowded = x.rep.d + y.rep.d > x.rep.n / 2
        if claims.fits_noise and crowded and x.rank + y.rank > x.rep.n / 2:
            found.append("ranks")
        if x.dead_units or y.dead_units:
            found.append("dead-units")
        if x.duplicate_rows or y.duplicate_rows:
            found.append("duplicate-rows")
        if claims.neighbors is not None:
            k, metric = claims.neighbors
            if k > x.rep.n / 10:
                found.append("few-rows-for-k")
            if x.tied(k, metric) or y.tied(k, metric):
                found.append("ties")
        if x.rep.model is not None and x.rep.model == y.rep.model:
            found.append("same-model")
        if claims.grows_with_n:
            found.append("batch-sizes")
        return tuple(found)
