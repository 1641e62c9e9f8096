"""Predicted time of each measure, from a trial with few rows."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .. import _config, stats
from ..errors import SimilitudeError
from ..measures import Measure
from ..representation import Representation
from ._plan import Job, Plan
from ._prepared import Failure, prepare
from ._scores import compare
from .out_of_core._fits import batches
from .statistics import Resampling, statistics_of_pair

TRIAL_ROWS = 1000  # of a trial, and twice as many to see how time grows with the rows
# Squared rows times pairs. With less, a trial could take longer than the run.
WORTH = 1e8
LONG = 60.0  # seconds; a shorter prediction is not printed


def predictions(
    planned: Plan, labels: Mapping[Measure, str], resampling: Resampling
) -> tuple[str, ...]:
    """A line with the predicted time of each measure that takes over a minute."""
    found = {}
    for measure, jobs in planned.in_memory().items():
        if jobs and len(jobs) * resampling.n**2 >= WORTH:
            seconds = _of_measure(measure, jobs, planned, resampling)
            found[labels[measure]] = seconds / _config.current().workers
    if sum(found.values()) < LONG:
        return ()
    each = sorted(found.items(), key=lambda item: -item[1])
    text = ", ".join(f"{name} {in_words(s)}" for name, s in each if s >= LONG / 10)
    return (f"predicted time, from a trial with few rows: {text}.",)


def _of_measure(
    measure: Measure, jobs: Sequence[Job], planned: Plan, resampling: Resampling
) -> float:
    """Seconds of all jobs: each representation once, and each pair."""
    job = next((job for job in jobs if job.baseline_of is None), jobs[0])
    wanted = (min(resampling.n, size) for size in (TRIAL_ROWS, 2 * TRIAL_ROWS))
    sizes = list(dict.fromkeys(wanted))
    sides = [planned.reps[i] for i in (job.a, job.b)]
    trials = [_trial(measure, sides, job, size) for size in sizes]
    counts = (len(planned.loaded[measure]), len(jobs))
    return sum(
        count * _extrapolated([trial[k] for trial in trials], sizes, resampling.n)
        for k, count in enumerate(counts)
    )


def _trial(
    measure: Measure, sides: Sequence[Representation], job: Job, rows: int
) -> tuple[float, float]:
    """Seconds to prepare one side, and to compare both with statistics."""
    few = [_first_rows(rep, rows) for rep in sides]
    seed = np.random.SeedSequence(0)
    try:
        first, p = _timed(lambda: prepare(measure, seed, few[0]))
        q = prepare(measure, seed, few[1])
        second, outcome = _timed(lambda: compare(measure, p, q))
        if isinstance(p, Failure) or outcome.score is None:
            return first, second
        wanted = replace(job, hash="a trial", a=0, b=1), outcome.score
        third = 0.0
        if job.statistics.null is not None or stats.covered(measure):
            resampling = Resampling(seed, rows, None)
            third, _ = _timed(
                lambda: statistics_of_pair(measure, few, *wanted, resampling)
            )
    except (SimilitudeError, ArithmeticError, ValueError, MemoryError):
        return 0.0, 0.0  # the run gives the reason
    return first, second + third


def _first_rows(rep: Representation, rows: int) -> Representation:
    """These rows of points are not verified: only the time is of interest."""
    if rep.domain != "points":
        return rep.take(np.arange(rows))
    values = np.array(next(batches(rep, rows)))
    return Representation(rep.name, values)


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def _extrapolated(seconds: Sequence[float], rows: Sequence[int], n: int) -> float:
    """Seconds for n rows: a n + b n^2 through both trials, or c n^3 if they grow so."""
    last = seconds[-1]
    if len(seconds) < 2 or rows[0] * 2 != rows[1]:
        return last * n / rows[-1]
    first, each = seconds[0], n / rows[0]
    if last > 6 * first:
        return float(last * (n / rows[1]) ** 3)
    square = max(0.0, last / 2 - first)
    linear = max(0.0, last / 2 - 2 * square)
    return float(linear * each + square * each**2)


def in_words(seconds: float) -> str:
    """A duration in one unit."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
