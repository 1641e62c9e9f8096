"""The plan of a comparison: all jobs, chosen without reading any values."""

import hashlib
import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .. import _config, _validate
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
class Plan:
    """All jobs, and sentences about them.

    `skipped` has one for each measure that skips some representations, `choices` one
    for each reason to read rows in parts.
    """

    jobs: tuple[Job, ...]
    skipped: tuple[str, ...]
    choices: tuple[str, ...] = ()

    def by_measure(self) -> dict[Measure, list[Job]]:
        groups: dict[Measure, list[Job]] = {}
        for job in self.jobs:
            groups.setdefault(job.measure, []).append(job)
        return groups

    def in_memory(self) -> dict[Measure, list[Job]]:
        """The jobs of each measure whose representations are loaded."""
        return {
            measure: [job for job in jobs if not job.statistics.streamed]
            for measure, jobs in self.by_measure().items()
        }

    def streamed(self) -> list[Job]:
        """The jobs of all measures whose rows are read in parts."""
        return [job for job in self.jobs if job.statistics.streamed]


@dataclass(frozen=True)
class Pairs:
    """The pairs to compare: all pairs of `count`, or all pairs with `reference`.

    `extra` lists (a, b, baseline) for the pairs that are compared only as baselines.
    """

    count: int
    reference: int | None = None
    extra: tuple[tuple[int, int, str], ...] = ()
    only: frozenset[tuple[int, int]] | None = None  # (i, j) with i < j; None: all

    def ordered(self, *, symmetric: bool) -> list[tuple[int, int]]:
        """All ordered pairs; for a symmetric measure, each pair in one order only."""
        if self.reference is None:
            halves = list(itertools.combinations(range(self.count), 2))
        else:
            others = [i for i in range(self.count) if i != self.reference]
            halves = [(self.reference, i) for i in others]
        if self.only is not None:
            halves = [pair for pair in halves if tuple(sorted(pair)) in self.only]
        if symmetric:
            return halves
        return [pair for i, j in halves for pair in ((i, j), (j, i))]


def plan(
    reps: Sequence[Representation],
    measures: Sequence[Measure],
    pairs: Pairs,
    *,
    permutations: Permutations = "auto",
    seed: Any = 0,
    blocks: np.ndarray | None = None,
) -> Plan:
    """The jobs of a comparison.

    A measure only compares representations of its domain and skips all others. If no
    representation has its domain, an error is raised.
    """
    if permutations != "auto":
        option = either(python="permutations", shell="--permutations")
        _validate.check_at_least(option, permutations, 0)
    jobs, skipped = [], []
    chosen_parts: dict[str, list[Job]] = {}
    # The blocks of one representation apply to the rows of all of them.
    labels = None if blocks is None else np.asarray(blocks, dtype=np.int64).tobytes()
    block_hash = None if labels is None else hashlib.sha256(labels).hexdigest()
    # The hash of a job is that of a JSON object of all inputs of its score, wherever it
    # is computed. It has the names too, since they are part of the row.
    sides = [json.dumps([rep.name, rep.sha256]) for rep in reps]
    shapes = [(rep.n, rep.d) for rep in reps]
    for measure in measures:
        claims = measure.claims()
        fitting = {i for i, rep in enumerate(reps) if rep.domain == measure.domain}
        if not fitting:
            raise InvalidInput(
                f"{measure.name} compares {measure.domain}, but no representation is "
                f"of that kind. Remove the measure, or add such representations"
                f"{_how(measure)}."
            )
        if others := [rep.name for i, rep in enumerate(reps) if i not in fitting]:
            skipped.append(
                f"{measure.name} only compares {measure.domain}; it skips "
                f"{', '.join(others)}"
            )
        chosen = [
            (i, j)
            for i, j in pairs.ordered(symmetric=claims.symmetric)
            if i in fitting and j in fitting
        ]
        members = sorted({i for pair in chosen for i in pair})
        statistics = _statistics(
            measure, [reps[i] for i in members], len(chosen), permutations, block_hash
        )
        extra = [(i, j, r) for i, j, r in pairs.extra if i in fitting and j in fitting]
        # By shape: why rows are read in parts, the statistics, and the rest of a hash.
        found: dict[tuple[Any, ...], tuple[str, Statistics, str]] = {}
        for i, j, baseline in [*((i, j, None) for i, j in chosen), *extra]:
            shape = (*shapes[i], *shapes[j], baseline is None)
            if shape not in found:
                wanted = Statistics(blocks=block_hash)
                wanted = statistics if baseline is None else wanted
                seconds = loaded_seconds(measure, reps[i], reps[j], wanted)
                auto = permutations == "auto"
                why = why_streamed(measure, reps[i], reps[j], seconds if auto else 0.0)
                if why:
                    wanted = Statistics(blocks=block_hash, streamed=True)
                found[shape] = why, wanted, _rest_of_hash(measure, wanted, seed)
            why, wanted, rest = found[shape]
            text = f'{{"a": {sides[i]}, "b": {sides[j]}, {rest}'
            key = hashlib.sha256(text.encode()).hexdigest()[:32]
            jobs.append(Job(key, i, j, measure, seed, wanted, baseline))
            if why:
                chosen_parts.setdefault(why, []).append(jobs[-1])
    if not jobs:
        raise InvalidInput(
            f"there is no pair to compare: {skipped[0]}. Add another representation, "
            f"or choose other measures."
        )
    choices = (_choice(why, found, reps) for why, found in chosen_parts.items())
    return Plan(tuple(jobs), tuple(skipped), tuple(choices))


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
    pairs = {frozenset((job.a, job.b)) for job in jobs}
    budget, needed = _config.current().memory_budget, Memory(a.n, max(a.d, b.d)).pair
    reason = f"loading both sides needs {_size(needed)}, and the budget is "
    reason += f"{_size(budget)} (SIMILITUDE_MEMORY_BUDGET)"
    if why == "time":
        seconds = loaded_seconds(job.measure, a, b, Statistics(permutations=19))
        reason = (
            f"with null and interval, a pair would take about {seconds / 60:.0f} "
            f"minutes or more; "
            + either(python="permutations=", shell="--permutations")
        )
        reason += " loads them"
    count = "1 pair" if len(pairs) == 1 else f"{len(pairs):,} pairs"
    return f"{measures}: {count} read in parts, without null and interval: {reason}."


def _size(count: int) -> str:
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
    document = {"measure": measure.to_json(), "statistics": statistics.to_json()}
    return json.dumps(document | {"seed": seed}, sort_keys=True)[1:]


def _how(measure: Measure) -> str:
    """How to add representations that this measure compares."""
    if measure.domain != "outputs":
        return ""
    python = ": Outputs(labels=...), or load(outputs='folder/')"
    return either(python=python, shell=" with --outputs PATH")
