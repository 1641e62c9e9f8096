"""Warning codes for the rows of a results table."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..measures import Measure
from ..representation import Representation
from ..transformations import Group, closure
from ._facts import Facts, many_ties

MANY_ROWS = 100_000  # for more rows, queries of neighbor measures can be sampled

#: code -> its explanation in reports
CODES = {
    "ranks": "the ranks are large, r1 + r2 > n / 2, so noise also scores high",
    "dead-units": "some columns are constant; they carry no information",
    "scales": "some columns vary a million times more than others; only they count",
    "duplicate-rows": "some rows have equal values; their neighbors and ranks tie",
    "ties": "many neighbors are equally far; row order decides which ones count",
    "few-rows-for-k": "k is more than a tenth of n, so chance overlap is high",
    "same-model": "both are layers of one model, so some similarity is expected",
    "classes": "class means carry more than half of the score; see column within",
    "many-rows": "query_rows=10000 compares random rows with all rows, and is faster",
    "batch-sizes": "the score grows with n; compare it only at equal n",
}


class Pairwise:
    """Warning codes for all pairs; each representation is examined once."""

    def __init__(self, reps: Sequence[Representation]) -> None:
        self._facts = [Facts(rep) for rep in reps]

    def codes(
        self,
        a: int,
        b: int,
        measure: Measure,
        details: Mapping[str, Any] | None = None,
        *,
        from_values: bool = True,
    ) -> tuple[str, ...]:
        """The codes that apply to this pair under this measure.

        `details` are those of the score. If a measure of neighbors reports the numbers
        of tied rows in them, neighbors are not computed again. Without `from_values`,
        values are not loaded, and codes that depend on them are omitted.
        """
        known = details or {}
        x, y = self._facts[a], self._facts[b]
        if measure.domain != "points":
            return ()
        found, claims = [], measure.claims()
        # The rank is at most d; check d first, since the rank takes an SVD.
        many_columns = x.rep.d + y.rep.d > x.rep.n / 2
        if from_values:
            if claims.fits_noise and many_columns and x.rank + y.rank > x.rep.n / 2:
                found.append("ranks")
            if x.dead_units or y.dead_units:
                found.append("dead-units")
            if any(
                side.uneven_columns and Group.COLUMN_SCALE not in closure(groups)
                for side, groups in ((x, claims.invariant_x), (y, claims.invariant_y))
            ):
                found.append("scales")
            if x.duplicate_rows or y.duplicate_rows:
                found.append("duplicate-rows")
        if x.rep.n > MANY_ROWS and measure.options.get("query_rows", 0) is None:
            found.append("many-rows")
        if claims.neighbors is not None and from_values:
            k, metric = claims.neighbors
            if k > x.rep.n / 10:
                found.append("few-rows-for-k")
            sides = {"tied_x": x, "tied_y": y}
            if any(
                many_ties(known[key], side.rep.n)
                if key in known
                else not claims.sampled and side.tied(k, metric)
                for key, side in sides.items()
            ):
                found.append("ties")
        if of_one_model(x.rep, y.rep):
            found.append("same-model")
        if claims.grows_with_n:
            found.append("batch-sizes")
        return tuple(found)


def of_one_model(a: Representation, b: Representation) -> bool:
    """Whether both are layers of one model, and not its checkpoints or its twin."""
    same = (a.model, a.step, a.baseline) == (b.model, b.step, b.baseline)
    return same and a.model is not None
