"""The plan of a comparison: all jobs, chosen without reading any values."""

import functools
import hashlib
import itertools
import json
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from .._base import _config, _validate
from .._base._printable import counted
from ..errors import InvalidInput, either
from ..measures import Measure
from ..representation import Representation
from ._memory import Memory
from .out_of_core._fits import why_streamed
from .question._residuals import classes_removed

# The numbers of permutations that "auto" chooses from, by declared cost. It chooses by
# predicted work, not by measured time, so the table is the same on every machine.
PERMUTATIONS = {"cheap": (199, 99, 49, 19), "moderate": (19,), "heavy": (0,)}
Permutations = int | Literal["auto"]
# The most multiplications for the permutations of all pairs under one measure, about 15
# seconds of one core. With more, "auto" draws fewer permutations.
MOST_WORK = 3e11
WORK_PER_SECOND = 2e10  # multiplications of one core
REMAINDERS = 30  # scores of an interval, each without some rows
# With fewer rows, no simulation shows that a Pearson III distribution fits the null
# (benchmarks/closed_null.py).
LEAST_ROWS_OF_MOMENTS = 30


@dataclass(frozen=True)
class Statistics:
    """The statistics to compute in addition to a score.

    `null` is the type of null distribution: `permutations` random orders of rows, or
    the exact moments of all orders; None for no null. With moments, the permutations
    are for pairs whose moments do not describe the null. `blocks` is the sha256 of the
    block labels of the rows. A `streamed` score is computed from sums over parts of the
    rows, because they do not fit into the memory budget; it has no statistics.
    """

    permutations: int = 0
    null: Literal["permutations", "moments"] | None = None
    blocks: str | None = None
    streamed: bool = False

    def to_json(self) -> dict[str, Any]:
        document: dict[str, Any] = {"permutations": self.permutations}
        if self.null == "moments":
            document["null"] = self.null
        if self.streamed:
            document["streamed"] = True
        return document if self.blocks is None else document | {"blocks": self.blocks}


@dataclass(frozen=True, slots=True)
class Job:
    """One score to compute: representations a and b, by index, under a measure."""

    hash: str
    a: int
    b: int
    measure: Measure
    seed: Any  # as JSON: a number, or entropy words and spawn key
    statistics: Statistics
    baseline_of: str | None = None


@dataclass(frozen=True)
class Pairs:
    """The pairs to compare: all pairs of `count`, or all pairs with `reference`.

    `extra` lists (a, b, baseline) for the pairs that are compared only as baselines.
    """

    count: int
    reference: int | None = None
    extra: tuple[tuple[int, int, str], ...] = ()
    only: frozenset[tuple[int, int]] | None = None  # (i, j) with i < j; None: all

    def ordered(
        self, among: Container[int] | None = None, *, symmetric: bool
    ) -> Iterator[tuple[int, int]]:
        """All ordered pairs; for a symmetric measure, each pair in one order only.

        `among` limits the representations of the pairs; twins in it are ignored.
        """
        mains = [i for i in range(self.count) if among is None or i in among]
        halves: Iterable[tuple[int, int]] = itertools.combinations(mains, 2)
        if self.reference is not None:
            others = mains if self.reference in mains else []
            halves = [(self.reference, i) for i in others if i != self.reference]
        for i, j in halves:
            if self.only is None or (min(i, j), max(i, j)) in self.only:
                yield i, j
                if not symmetric:
                    yield j, i


# Jobs between representations of the same shapes: why rows are read in parts, or an
# empty text; the statistics; and the rest of the text that is hashed.
_Kind = tuple[str, Statistics, str]


class Plan:
    """The jobs of a comparison, and sentences about them.

    A measure only compares representations of its domain and skips all others. If no
    representation has its domain, an error is raised.

    A job is made when it is used: a worker makes the jobs of its tasks only.

    Attributes
    ----------
    statistics
        The measures that have jobs, with the statistics of their pairs.
    loaded
        The representations of the jobs of a measure whose rows are not read in parts.
    kinds
        The kinds of jobs of a measure, by the shapes of both sides.
    skipped
        One sentence for each measure that skips some representations.
    """

    def __init__(
        self,
        reps: Sequence[Representation],
        measures: Sequence[Measure],
        pairs: Pairs,
        *,
        permutations: Permutations = "auto",
        seed: Any = 0,
        blocks: np.ndarray | None = None,
    ) -> None:
        if permutations != "auto":
            option = either(python="permutations", shell="--permutations")
            _validate.check_at_least(option, permutations, 0)
        self.reps, self.pairs, self.seed = reps, pairs, seed
        self._auto, self._bare = permutations == "auto", Statistics()
        if blocks is not None:  # those of one representation apply to all of them
            labels = np.asarray(blocks, dtype=np.int64).tobytes()
            self._bare = Statistics(blocks=hashlib.sha256(labels).hexdigest())
        # The hash of a job is that of a JSON object of all inputs of its score,
        # wherever it is computed. It has the names too, since they are part of the row.
        self._sides = [json.dumps([rep.name, rep.sha256]) for rep in reps]
        self._shapes = [(rep.n, rep.d) for rep in reps]
        self.statistics: dict[Measure, Statistics] = {}
        self.loaded: dict[Measure, list[int]] = {}
        self.kinds: dict[Measure, dict[tuple[Any, ...], _Kind]] = {}
        self.skipped: list[str] = []
        for measure in measures:
            fitting = self._fitting(measure)
            if not fitting:
                raise InvalidInput(
                    f"{measure.name} compares {measure.domain}, but no representation "
                    f"is of that kind. Remove the measure, or add such representations"
                    f"{_how(measure)}."
                )
            if others := [rep.name for i, rep in enumerate(reps) if i not in fitting]:
                self.skipped.append(
                    f"{measure.name} only compares {measure.domain}; it skips "
                    f"{', '.join(others)}"
                )
            chosen = pairs.ordered(fitting, symmetric=measure.claims().symmetric)
            ends = Counter(itertools.chain.from_iterable(chosen))
            mains, count = [reps[i] for i in sorted(ends)], ends.total() // 2
            wanted = _statistics(measure, mains, count, permutations, self._bare.blocks)
            self.statistics[measure], self.kinds[measure] = wanted, {}
            loaded = ((i, j) for i, j, _, kind in self._cells(measure) if not kind[0])
            self.loaded[measure] = sorted({i for pair in loaded for i in pair})
            if not self.kinds[measure]:
                del self.statistics[measure]
        if not self.statistics:
            raise InvalidInput(
                f"there is no pair to compare: {self.skipped[0]}. Add another "
                f"representation, or choose other measures."
            )

    def of(self, measure: Measure, among: Iterable[int] | None = None) -> Iterator[Job]:
        """The jobs of a measure, all or those between some representations."""
        for i, j, baseline, (_, statistics, rest) in self._cells(measure, among):
            text = f'{{"a": {self._sides[i]}, "b": {self._sides[j]}, {rest}'
            key = hashlib.sha256(text.encode()).hexdigest()[:32]
            yield Job(key, i, j, measure, self.seed, statistics, baseline)

    def loaded_between(self, measure: Measure, among: frozenset[int]) -> list[Job]:
        """The jobs between these representations whose rows are loaded."""
        return [job for job in self.of(measure, among) if not job.statistics.streamed]

    @functools.cached_property
    def jobs(self) -> tuple[Job, ...]:
        return tuple(job for measure in self.statistics for job in self.of(measure))

    def in_memory(self) -> dict[Measure, list[Job]]:
        """The jobs of each measure whose representations are loaded."""
        groups = itertools.groupby(self.jobs, lambda job: job.measure)
        return {
            measure: [job for job in jobs if not job.statistics.streamed]
            for measure, jobs in groups
        }

    def streamed(self) -> list[Job]:
        """The jobs of all measures whose rows are read in parts."""
        kinds = self.kinds.items()
        some = [m for m, found in kinds if any(why for why, _, _ in found.values())]
        return [job for m in some for job in self.of(m) if job.statistics.streamed]

    @functools.cached_property
    def choices(self) -> tuple[str, ...]:
        """One sentence for each reason to read rows in parts."""
        parts: dict[str, list[Job]] = {}
        for job in self.streamed():
            why, _, _ = self._kind(job.measure, job.a, job.b, job.baseline_of)
            parts.setdefault(why, []).append(job)
        return tuple(_choice(why, jobs, self.reps) for why, jobs in parts.items())

    def _fitting(self, measure: Measure) -> set[int]:
        """The representations that a measure compares."""
        return {i for i, rep in enumerate(self.reps) if rep.domain == measure.domain}

    def _cells(
        self, measure: Measure, among: Iterable[int] | None = None
    ) -> Iterator[tuple[int, int, str | None, _Kind]]:
        """The pairs of a measure, then those of its baselines."""
        fitting, symmetric = self._fitting(measure), measure.claims().symmetric
        if among is not None:
            fitting.intersection_update(among)
        chosen = self.pairs.ordered(fitting, symmetric=symmetric)
        mains = ((i, j, None) for i, j in chosen)
        for i, j, baseline in itertools.chain(mains, self.pairs.extra):
            if i in fitting and j in fitting:
                yield i, j, baseline, self._kind(measure, i, j, baseline)

    def _kind(self, measure: Measure, i: int, j: int, baseline: str | None) -> _Kind:
        shape = self._shapes[i], self._shapes[j], baseline is None
        kinds = self.kinds[measure]
        if shape not in kinds:
            a, b = self.reps[i], self.reps[j]
            wanted = self.statistics[measure] if baseline is None else self._bare
            seconds = loaded_seconds(measure, a, b, wanted) if self._auto else 0.0
            why = why_streamed(measure, a, b, seconds)
            if why:
                wanted = replace(self._bare, streamed=True)
            kinds[shape] = why, wanted, _rest_of_hash(measure, wanted, self.seed)
        return kinds[shape]


def loaded_seconds(
    measure: Measure, a: Representation, b: Representation, statistics: Statistics
) -> float:
    """Predicted seconds of a pair whose rows are loaded, by the work of one core."""
    n, each = a.n, measure.null_work(a.n, a.d, b.d)
    score = 2.0 * n * (min(n, a.d) ** 2 + min(n, b.d) ** 2) + each
    work = score + statistics.permutations * each
    if statistics.null == "moments":
        work = score + measure.moments_work(n, a.d) + measure.moments_work(n, b.d)
    if measure.claims().interval is not None:
        work += REMAINDERS * score
    return work / WORK_PER_SECOND


def _choice(why: str, jobs: Sequence[Job], reps: Sequence[Representation]) -> str:
    """Which rows are read in parts, and what loading them would take."""
    job = max(jobs, key=lambda job: max(reps[job.a].d, reps[job.b].d))
    a, b = reps[job.a], reps[job.b]
    measures = ", ".join(dict.fromkeys(job.measure.label for job in jobs))
    pairs = counted(len({frozenset((job.a, job.b)) for job in jobs}), "pair")
    budget, needed = _config.current().memory_budget, Memory(a.n, max(a.d, b.d)).pair
    reason = f"loading both sides needs {in_bytes(needed)}, and the budget is "
    reason += f"{in_bytes(budget)} (SIMILITUDE_MEMORY_BUDGET)"
    if why == "time":
        seconds = loaded_seconds(job.measure, a, b, Statistics(permutations=19))
        reason = (
            f"with null and interval, a pair would take about {seconds / 60:.0f} "
            f"minutes or more; "
            + either(python="permutations=", shell="--permutations")
        )
        reason += " loads them"
    return f"{measures}: {pairs} read in parts, without null and interval: {reason}."


def in_bytes(count: int) -> str:
    """A size in one unit."""
    return f"{count / 2**30:.1f} GiB" if count >= 2**29 else f"{count / 2**20:.0f} MiB"


def _statistics(
    measure: Measure,
    reps: Sequence[Representation],
    pairs: int,
    permutations: Permutations,
    blocks: str | None,
) -> Statistics:
    """The statistics of each pair, by the predicted work of all pairs."""
    claims = measure.claims()
    if not claims.paired or claims.sampled or not reps:
        return Statistics(blocks=blocks)
    if permutations != "auto":
        null: Any = "permutations" if permutations else None
        return Statistics(permutations, null, blocks)
    n, widths = reps[0].n, sorted(rep.d for rep in reps)
    each = pairs * measure.null_work(n, widths[-1], widths[-2])
    counts = PERMUTATIONS[measure.cost]
    count = next((b for b in counts if b * each <= MOST_WORK), counts[-1])
    # The moments are over all orders; blocks and classes allow only some of them.
    whole = blocks is None and classes_removed(reps[0]) is None
    valid = whole and n >= LEAST_ROWS_OF_MOMENTS
    if measure.offers("null_moments") and valid:
        if moments_are_affordable(measure, n, widths, count * each):
            drawn = count if count * each <= MOST_WORK else 0
            return Statistics(drawn, "moments")
    return Statistics(count, "permutations" if count else None, blocks)


def moments_are_affordable(
    measure: Measure, n: int, widths: Sequence[int], permuting: float
) -> bool:
    """Whether moments cost at most the work `permuting`, or about a second."""
    by_moments = sum(measure.moments_work(n, d) for d in widths)
    return by_moments <= max(permuting, MOST_WORK / 10)


def _rest_of_hash(measure: Measure, statistics: Statistics, seed: Any) -> str:
    """What the hashes of some jobs of a measure share, as the end of a JSON object."""
    document = {"measure": measure.identity(), "statistics": statistics.to_json()}
    return json.dumps(document | {"seed": seed}, sort_keys=True)[1:]


def _how(measure: Measure) -> str:
    """How to add representations that this measure compares."""
    if measure.domain != "outputs":
        return ""
    python = ": Outputs(labels=...), or load(outputs='folder/')"
    return either(python=python, shell=" with --outputs PATH")
