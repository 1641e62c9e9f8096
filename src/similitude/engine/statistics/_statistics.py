"""Nulls and intervals of computed scores, tile by tile."""

import itertools
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..._base import _config
from ...errors import SimilitudeError
from ...measures import Measure
from ...representation import Representation
from .._plan import Job
from .._prepared import Prepared, prepare
from .._resources import Open, alone, is_of_machine
from .._scores import compare, scores_of
from .._tiles import Condition, in_turn, never
from ._intervals import intervals, neighbor_interval, sample_interval
from ._nulls import Item, null_of
from ._resampling import Resampling

Scored = Sequence[tuple[Job, float]]


def statistics(
    ready: Prepared,
    scored: Scored,
    resampling: Resampling,
    done: Container[str] = frozenset(),
    *,
    planned: Sequence[Job] = (),
    at_random: Condition = never,
) -> Iterator[tuple[Job, dict[str, Any] | Open]]:
    """Yield the statistics fields of every scored job that is not in `done`.

    `planned` are all jobs of the measure, by default the scored ones. Tiles are those
    of the plan, so they do not depend on the scores. `done` and `at_random` are as in
    `score_jobs`.

    Intervals and biased scores of a tile are computed in one product. On resume, a tile
    with missing jobs is computed as a whole, so results are bit-identical. The nulls
    follow pair by pair.

    If memory, files or a worker process run out, the remaining pairs of the tile are
    computed one at a time. A job for which this happens again is `Open`.
    """
    score = {job.hash: value for job, value in scored}
    if all(job in done for job in score):
        return
    jobs = planned or [job for job, _ in scored]
    main = [job for job in jobs if job.baseline_of is None]
    tiles = ready.tiles(main, resampling.tile(ready))
    for tile in in_turn(tiles, at_random):
        pairs = {job.hash: (job, score[job.hash]) for job in tile if job.hash in score}
        if all(job in done for job in pairs):
            continue
        of_tile = partial(_of_tile, done=done, at_random=at_random)
        try:
            for job, fields in of_tile(ready, list(pairs.values()), resampling):
                del pairs[job.hash]
                yield job, fields
            continue
        except Exception as error:
            if not is_of_machine(error):
                raise
        for job, value in pairs.values():
            if job.hash in done:
                continue
            ready.release_all()
            sides = ready.reps[job.a], ready.reps[job.b]
            work = partial(
                statistics_of_pair, ready.measure, sides, job, value, resampling
            )
            yield job, alone(work)


def _of_tile(
    ready: Prepared,
    scored: Scored,
    resampling: Resampling,
    *,
    done: Container[str] = frozenset(),
    at_random: Condition = never,
) -> Iterator[tuple[Job, dict[str, Any]]]:
    measure, reps = ready.measure, ready.reps
    jobs, score = [job for job, _ in scored], {job.hash: s for job, s in scored}
    found: dict[str, dict[str, Any]] = {job.hash: {} for job in jobs}
    if measure.claims().sampled:
        for job in jobs:
            p, q = ready.get((job.a, job.b)).values()
            found[job.hash] |= sample_interval(measure, p, q, resampling.n)
    elif resampling.has_interval(measure) and measure.claims().interval_of_neighbors:
        ps = ready.get(sorted({i for job in jobs for i in (job.a, job.b)}))
        for job in jobs:
            sides = ps[job.a], ps[job.b]
            found[job.hash] |= neighbor_interval(
                measure, *sides, score[job.hash], resampling
            )
    elif resampling.has_interval(measure):
        for job, fields in intervals(ready, scored, resampling):
            found[job.hash] |= fields
    if jobs[0].statistics.null is not None:
        for job, fields in _biased(measure, reps, jobs):
            found[job.hash].setdefault("details", {}).update(fields)
    missing = [job for job in jobs if job.hash not in done]
    if not missing:
        return
    left = (job for job in in_turn(missing, at_random) if job.hash not in done)
    nulls = _nulls(ready, missing, score, resampling)
    for job, fields in nulls(left):
        details = found[job.hash].pop("details", {}) | fields.pop("details", {})
        yield job, found[job.hash] | fields | {"details": details}


def statistics_of_pair(
    measure: Measure,
    sides: Sequence[Representation],
    job: Job,
    score: float,
    resampling: Resampling,
) -> dict[str, Any]:
    """The statistics of a pair of representations that nothing else shares."""
    ready = Prepared(measure, sides, resampling.seed)
    ((_, fields),) = _of_tile(ready, [(replace(job, a=0, b=1), score)], resampling)
    return fields


Nulls = Callable[[Iterator[Job]], Iterator[tuple[Job, dict[str, Any]]]]


def _nulls(
    ready: Prepared,
    jobs: Sequence[Job],
    score: dict[str, float],
    resampling: Resampling,
) -> Nulls:
    """A function that yields the nulls of some of these jobs, in a given order."""
    wanted = jobs[0].statistics
    if wanted.null is None:
        return lambda chosen: ((job, {}) for job in chosen)
    try:
        null = null_of(ready.measure, wanted, resampling)
    except SimilitudeError as error:
        reason = str(error)
        return lambda chosen: ((job, {"details": {"null": reason}}) for job in chosen)
    which = sorted({i for job in jobs for i in (job.a, job.b)})
    ps = ready.get(which, null.complete)
    selves = {i: compare(ready.measure, p, p).score for i, p in ps.items()}

    def item(job: Job) -> Item:
        a, b = selves[job.a], selves[job.b]
        mean = None if a is None or b is None else (a + b) / 2
        sides = ps[job.a], ps[job.b], ready.reps[job.b]
        return (*sides, score[job.hash], mean, job.hash)

    def nulls(chosen: Iterator[Job]) -> Iterator[tuple[Job, dict[str, Any]]]:
        # Take few at a time: other processes may finish the others meanwhile.
        workers = _config.current().workers
        size = 1 if workers == 1 else 16 * workers
        while group := list(itertools.islice(chosen, size)):
            items = [item(job) for job in group]
            yield from zip(group, null.each(items), strict=True)
        ready.release()

    return nulls


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
