"""What a careful reader would say about the data before believing a number.

Each piece of advice has a code, which rows of a table carry, and a sentence.
"""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import _array, _linalg, _validate
from .errors import Undefined
from .measures import Measure
from .representation import Representation, gather

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

# Those that can fit anything when columns outnumber rows, by trap 11.
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
# What measures of neighbours take by default, and `advise` has in mind.
_K = 10
_ROUNDING = 1e-9  # far above that of distances, far below what chance leaves
_GROWING = {"rtd", "rtd_lite", "srtd", "max_rtd", "rips_wasserstein"}


@dataclass(frozen=True)
class Advice:
    """One thing to know: `about` names representations, `text` says what to do."""

    code: str
    about: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Description:
    """One representation in numbers.

    `participation_ratio` is (sum of eigenvalues)^2 / (sum of their squares) of the
    covariance: how many directions share the variance. `intrinsic_dimension` is the
    TwoNN estimate, from the ratio of the distances to the second and the first
    neighbour; None where rows coincide.
    """

    name: str
    n: int
    d: int
    rank: int
    dead_units: int
    duplicate_rows: int
    participation_ratio: float
    intrinsic_dimension: float | None


def describe(rep: Representation) -> Description:
    """A representation of points, in numbers."""
    facts = Facts(rep)
    return Description(
        rep.name,
        rep.n,
        rep.d,
        facts.rank,
        facts.dead_units,
        facts.duplicate_rows,
        facts.participation_ratio,
        facts.intrinsic_dimension,
    )


def advise(reps: Any) -> list[Advice]:
    """Everything worth knowing about these representations before comparing them.

    `reps` is what `compare` takes: names to representations, or a sequence of them.

    >>> import numpy as np
    >>> [advice.code for advice in advise({"a": np.eye(4), "b": np.ones((4, 1))})][1:]
    ['dead-units', 'duplicate-rows', 'few-rows-for-k', 'ranks']
    """
    points = [rep for rep in gather(reps) if rep.role == "points"]
    facts = {rep.name: Facts(rep) for rep in points}
    found = [advice for rep in points for advice in _about_one(facts[rep.name])]
    for i, a in enumerate(points):
        for b in points[i + 1 :]:
            found += _about_two(facts[a.name], facts[b.name])
    return found


def _about_one(facts: "Facts") -> Iterator[Advice]:
    name = facts.rep.name
    if facts.dead_units:
        yield Advice(
            "dead-units",
            (name,),
            f"{name}: {facts.dead_units} of {facts.rep.d} columns do not vary. They "
            f"are left out of what needs a variance.",
        )
    if facts.duplicate_rows:
        yield Advice(
            "duplicate-rows",
            (name,),
            f"{name}: {facts.duplicate_rows} rows repeat another one. Ranks and "
            f"neighbours tie there, and ties go by the order of rows.",
        )
    if facts.tied(_K, "euclidean"):
        yield Advice(
            "ties",
            (name,),
            f"{name}: the neighbours number {_K} and {_K + 1} of many rows are equally "
            f"far, so that the order of rows decides which count. Use cka or rsa.",
        )
    if _K > facts.rep.n / 10:
        yield Advice(
            "few-rows-for-k",
            (name,),
            f"{name}: k = {_K} neighbours are more than a tenth of {facts.rep.n} rows, "
            f"so that random ones score high too. Lower k, or use more stimuli.",
        )


def _about_two(a: "Facts", b: "Facts") -> Iterator[Advice]:
    names = (a.rep.name, b.rep.name)
    n = min(a.rep.n, b.rep.n)
    if a.rep.d + b.rep.d > n / 2 and a.rank + b.rank > n / 2:
        yield Advice(
            "ranks",
            names,
            f"{names[0]} and {names[1]}: ranks {a.rank} + {b.rank} > n / 2 = "
            f"{n / 2:g}. CCA, regression and Procrustes fit noise there: use cka, "
            f"svcca, shrinkage or cross-validation, or more stimuli.",
        )
    if a.rep.model is not None and a.rep.model == b.rep.model:
        yield Advice(
            "same-model",
            names,
            f"{names[0]} and {names[1]} are both of {a.rep.model}: a deterministic "
            f"function of the same input, so that some similarity is by design.",
        )


class Facts:
    """What is known about one representation, looked at when it is asked for."""

    def __init__(self, rep: Representation) -> None:
        self.rep = rep
        self._ties: dict[tuple[int, str], bool] = {}

    def _centred(self) -> np.ndarray:
        """Not kept: five hundred of them would be as large as the data."""
        values = _array.widen(_validate.points(self.rep.load(), self.rep.name).values)
        # Nothing below depends on the scale, and squares of 1e200 would overflow.
        values = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))
        return values - values.mean(axis=0)

    @functools.cached_property
    def _singular_values(self) -> np.ndarray:
        return np.linalg.svd(self._centred(), compute_uv=False)

    @functools.cached_property
    def rank(self) -> int:
        n, d = self.rep.n, self.rep.d
        if d < n and self._surely_full():
            return d
        s = self._singular_values
        return int(np.sum(s > s[0] * max(n, d) * np.finfo(float).eps))

    def _surely_full(self) -> bool:
        """By the covariance, which sees half the digits at a tenth of the cost."""
        rows = self._centred()
        scale = np.sqrt(np.sum(rows * rows, axis=0))
        if np.any(scale == 0):
            return False
        rows /= scale
        return bool(np.linalg.eigvalsh(rows.T @ rows)[0] > 1e-6)

    @functools.cached_property
    def participation_ratio(self) -> float:
        variances = self._singular_values**2
        total = float(np.sum(variances**2))
        return float(np.sum(variances)) ** 2 / total if total > 0 else 0.0

    @functools.cached_property
    def dead_units(self) -> int:
        values = self.rep.load()
        return int(np.sum((values == values[:1]).all(axis=0)))

    @functools.cached_property
    def duplicate_rows(self) -> int:
        values = np.ascontiguousarray(self.rep.load())
        if values.dtype.kind == "f":
            values = values + 0.0  # -0.0 is 0.0, in other bits
        return len(values) - len({row.tobytes() for row in values})

    @functools.cached_property
    def intrinsic_dimension(self) -> float | None:
        """TwoNN by maximum likelihood: (n - 1) / sum of log(r2 / r1)."""
        if self.rep.n < 3 or self.duplicate_rows:
            return None
        near = self._nearest(2, "euclidean")
        if near is None or np.any(near[:, 0] == 0):
            return None
        total = float(np.sum(np.log(near[:, 1] / near[:, 0])))
        return (self.rep.n - 1) / total if total > 0 else None

    def tied(self, k: int, metric: str) -> bool:
        """Whether it is the order of rows that says which neighbours are the first k.

        Of more than one row in twenty: a single pair of equal rows is said elsewhere.
        """
        if (k, metric) not in self._ties:
            near = self._nearest(k + 1, metric) if k + 1 < self.rep.n else None
            count = 0
            if near is not None:
                last, next_one = near[:, k - 1], near[:, k]
                count = int(np.sum(next_one - last <= _ROUNDING * next_one))
            self._ties[k, metric] = count > self.rep.n / 20
        return self._ties[k, metric]

    def _nearest(self, count: int, metric: str) -> np.ndarray | None:
        """Distances of each row to its nearest others; None where there are none."""
        try:
            rows = _linalg.metric_rows(_validate.points(self.rep.load()), metric)
        except Undefined:  # rows that are zero or all alike: the measure will say so
            return None
        found = []
        for start, stop, block in _linalg.distance_blocks(rows, metric):
            distances = np.array(block)
            distances[np.arange(stop - start), np.arange(start, stop)] = np.inf
            found.append(np.sort(np.partition(distances, count)[:, :count]))
        return np.concatenate(found)


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
