"""Predictions before a run: the time of each measure, and pairs above the budget.

Times are from trials with few rows and representations.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from .._base import _config
from ..errors import SimilitudeError, either
from ..measures import Measure
from ..representation import Representation
from ._memory import Memory
from ._plan import Job, Plan, Statistics, in_bytes, loaded_seconds
from ._prepared import Prepared
from ._resources import Open
from ._scores import score_jobs
from ._tiles import members_of
from .out_of_core._fits import batches
from .statistics import Resampling, statistics

TRIAL_ROWS = 2000  # of a trial, and half as many to see how time grows with the rows
TRIAL_PERMUTATIONS = 100
FAR = 16  # times the rows of a trial; beyond, a larger trial is worth a second
QUICK = 1.0  # seconds of all trials of a measure
WRITING = 1e-3  # seconds of each pair, to write and to complete its row
# Squared rows times pairs. With less, a trial could take longer than the run.
WORTH = 1e8
LONG = 60.0  # seconds; a shorter prediction is not printed
_SEED = np.random.SeedSequence(0)


def predictions(
    planned: Plan, labels: Mapping[Measure, str], resampling: Resampling
) -> tuple[str, ...]:
    """Measures of which a pair can exceed the budget, and times of over a minute."""
    lines, found = _too_large(planned, labels), {}
    for measure, jobs in planned.in_memory().items():
        if jobs and _is_worth_a_trial(measure, jobs, planned, resampling.n):
            seconds = _of_measure(measure, jobs, planned, resampling)
            found[labels[measure]] = seconds / _config.current().workers
    if sum(found.values()) < LONG:
        return lines
    each = sorted(found.items(), key=lambda item: -item[1])
    text = ", ".join(f"{name} {in_words(s)}" for name, s in each if s >= LONG / 10)
    return (*lines, f"predicted time, from a trial with few rows: {text}.")


def _too_large(planned: Plan, labels: Mapping[Measure, str]) -> tuple[str, ...]:
    """A line with the measures of which a loaded pair can need more than the budget."""
    budget, needed = _config.current().memory_budget, {}
    for measure, members in planned.loaded.items():
        shapes = [(planned.reps[i].n, planned.reps[i].d) for i in members]
        needed[labels[measure]] = max((Memory(*s).pair for s in shapes), default=0)
    large = [label for label, size in needed.items() if size > budget]
    if not large:
        return ()
    rows = either(python="rows=", shell="--rows")
    return (
        f"{', '.join(large)}: a pair can need up to {in_bytes(max(needed.values()))}, "
        f"more than the budget of {in_bytes(budget)} (SIMILITUDE_MEMORY_BUDGET), since "
        f"all rows are loaded. {rows} compares fewer of them.",
    )


def _is_worth_a_trial(
    measure: Measure, jobs: Sequence[Job], planned: Plan, n: int
) -> bool:
    """Whether all jobs could take a minute: many rows, or many permutations."""
    a, b = planned.reps[jobs[0].a], planned.reps[jobs[0].b]
    each = loaded_seconds(measure, a, b, jobs[0].statistics)
    return len(jobs) * n**2 >= WORTH or len(jobs) * each >= LONG / 2


def _of_measure(
    measure: Measure, jobs: Sequence[Job], planned: Plan, resampling: Resampling
) -> float:
    """Seconds of all jobs with all rows.

    If they are short, one trial is enough. Half of the rows may be too few for a score.
    Trials grow while they are short: fixed costs would hide how time grows with n.
    """
    n, half = resampling.n, max(1, min(resampling.n, TRIAL_ROWS) // 2)
    start = time.process_time()
    first = _with_few_rows(measure, jobs, planned, half)
    found = first * (n / half) ** 2
    if found >= LONG / 4 or not first:
        last = _with_few_rows(measure, jobs, planned, 2 * half)
        while n > FAR * half and time.process_time() - start < QUICK:
            half, first = 2 * half, last
            last = _with_few_rows(measure, jobs, planned, 2 * half)
        found = _extrapolated((first, last), half, n)
    return found + WRITING * len(jobs)


def _with_few_rows(
    measure: Measure, jobs: Sequence[Job], planned: Plan, rows: int
) -> float:
    """Seconds of all jobs: each representation once, and each pair.

    Two and four representations show the share of each, as pairs share much work.
    """
    from scipy.optimize import nnls

    counts, seconds = [], []
    for count in sorted({min(3, len(jobs)), 1}):
        among = frozenset(members_of(jobs[:count]))
        chosen = planned.loaded_between(measure, among)
        counts.append((len(among), len(chosen)))
        seconds.append(_trial(measure, planned.reps, chosen, rows, TRIAL_PERMUTATIONS))
    each, _ = nnls(np.array(counts, dtype=float), np.array(seconds))
    found = float(each @ (len(planned.loaded[measure]), len(jobs)))
    wanted = jobs[0].statistics
    if wanted.null == "permutations" and wanted.permutations > TRIAL_PERMUTATIONS:
        without = _trial(measure, planned.reps, jobs[:1], rows, 0)
        null = max(0.0, seconds[0] / counts[0][1] - without)
        found += len(jobs) * null * (wanted.permutations / TRIAL_PERMUTATIONS - 1)
    return found


def _trial(
    measure: Measure,
    reps: Sequence[Representation],
    jobs: Sequence[Job],
    rows: int,
    most: int,
) -> float:
    """Seconds of these jobs with few rows, and at most this number of permutations."""
    members = members_of(jobs)
    place = {i: k for k, i in enumerate(members)}
    jobs = [
        replace(job, a=place[job.a], b=place[job.b], statistics=_with(job, most))
        for job in jobs
    ]
    ready = Prepared(measure, [_first_rows(reps[i], rows) for i in members], _SEED)
    ready.members = list(place.values())
    start = time.process_time()
    try:
        with _config.config(workers=1):
            scored = [
                (job, found.score)
                for job, found in score_jobs(ready, jobs)
                if not isinstance(found, Open) and found.score is not None
            ]
            for _ in statistics(ready, scored, Resampling(_SEED, rows, None)):
                pass
    except (SimilitudeError, ArithmeticError, ValueError, MemoryError):
        return 0.0  # the run gives the reason
    return time.process_time() - start if scored else 0.0


def _first_rows(rep: Representation, rows: int) -> Representation:
    """These rows of points are not verified: only the time is of interest."""
    if rep.domain != "points":
        return rep.take(np.arange(rows))
    values = np.array(next(batches(rep, rows)))
    return Representation(rep.name, values)


def _with(job: Job, most: int) -> Statistics:
    """The statistics of a job, with at most this number of permutations."""
    drawn = min(most, job.statistics.permutations)
    by_permutations = job.statistics.null == "permutations"
    null = None if by_permutations and not drawn else job.statistics.null
    return replace(job.statistics, permutations=drawn, null=null)


def _extrapolated(seconds: tuple[float, float], rows: int, n: int) -> float:
    """Seconds for n rows from trials with `rows` and twice as many.

    a n + b n^2 through both trials, or c n^3 if they grow so.
    """
    (first, last), each = seconds, n / rows
    if last > 6 * first:
        return last * (each / 2) ** 3
    square = max(0.0, last / 2 - first)
    linear = max(0.0, last / 2 - 2 * square)
    return linear * each + square * each**2


def in_words(seconds: float) -> str:
    """A duration in one unit."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
