"""Nulls and intervals of computed scores, tile by tile."""

from collections.abc import Iterator, Sequence, Set
from typing import Any

import numpy as np

from ... import stats
from ...errors import SimilitudeError
from ...measures import Measure
from ...representation import Representation
from .._plan import Job
from .._prepared import Prepared, prepare
from .._scores import compare, scores_of
from .._tiles import by_tiles
from ._intervals import intervals
from ._nulls import Tick, null_of
from ._resampling import Resampling

Scored = Sequence[tuple[Job, float]]


def has_interval(measure: Measure) -> bool:
    """Whether the measure has an interval, which is computed even without a null."""
    return stats.covered(measure)


def statistics(
    ready: Prepared,
    scored: Scored,
    resampling: Resampling,
    done: Set[str] = frozenset(),
    tick: Tick | None = None,
) -> Iterator[tuple[Job, dict[str, Any]]]:
    """Yield the statistics fields of every scored job that is not in `done`.

    Intervals and biased scores of a tile are computed in one product. On resume, a tile
    with missing jobs is computed as a whole, so results are bit-identical. The nulls
    follow pair by pair. `tick` is called after each long permutation.
    """
    score = {job.hash: value for job, value in scored}
    if score.keys() <= done:
        return
    measure, reps = ready.measure, ready.reps
    size = resampling.tile(ready)
    for jobs in by_tiles([job for job, _ in scored], size):
        if all(job.hash in done for job in jobs):
            continue
        found: dict[str, dict[str, Any]] = {job.hash: {} for job in jobs}
        if stats.covered(measure):
            pairs = [(job, score[job.hash]) for job in jobs]
            for job, fields in intervals(measure, reps, pairs, resampling):
                found[job.hash] |= fields
        if jobs[0].statistics.null is not None:
            for job, fields in _biased(measure, reps, jobs):
                found[job.hash].setdefault("details", {}).update(fields)
        missing = [job for job in jobs if job.hash not in done]
        for job, fields in _with_nulls(ready, missing, score, resampling, tick):
            details = found[job.hash].pop("details", {}) | fields.pop("details", {})
            yield job, found[job.hash] | fields | {"details": details}


def _with_nulls(
    ready: Prepared,
    jobs: Sequence[Job],
    score: dict[str, float],
    resampling: Resampling,
    tick: Tick | None,
) -> Iterator[tuple[Job, dict[str, Any]]]:
    wanted = jobs[0].statistics
    if wanted.null is None:
        yield from ((job, {}) for job in jobs)
        return
    try:
        null = null_of(ready.measure, wanted, resampling)
    except SimilitudeError as error:
        yield from ((job, {"details": {"null": str(error)}}) for job in jobs)
        return
    which = sorted({i for job in jobs for i in (job.a, job.b)})
    ps = ready.get(which, null.complete)
    selves = {i: compare(ready.measure, p, p).score for i, p in ps.items()}
    items = [
        (
            ps[job.a],
            ps[job.b],
            ready.reps[job.b],
            score[job.hash],
            _mean(selves[job.a], selves[job.b]),
        )
        for job in jobs
    ]
    yield from zip(jobs, null.each(items, tick), strict=True)
    ready.release()


def _biased(
    measure: Measure, reps: Sequence[Representation], jobs: Sequence[Job]
) -> Iterator[tuple[Job, dict[str, Any]]]:
    """The score of the biased estimator, for comparison with published numbers."""
    biased = measure.biased_twin()
    if biased is None:
        return
    which = sorted({i for job in jobs for i in (job.a, job.b)})
    ps = {i: prepare(biased, None, reps[i]) for i in which}
    scores = scores_of(biased, ps, [(job.a, job.b) for job in jobs])
    for job, score in zip(jobs, scores, strict=True):
        yield job, {} if np.isnan(score) else {"biased": score}


def _mean(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else (a + b) / 2
