"""Scores of pairs that are computed from sums, for all measures at once."""

import time
from collections.abc import Container, Iterator, Sequence
from functools import partial

from ..._base import _config
from ...measures import Sums
from ...representation import Representation
from .._plan import Job
from .._prepared import Outcome, failure
from .._resources import Open, alone, is_of_machine
from .._tiles import by_tiles
from ._fits import ROWS
from ._pass import sums_of_pairs


def streamed_parts(
    reps: Sequence[Representation], jobs: Sequence[Job]
) -> list[list[Job]]:
    """The jobs of all measures, in parts whose sums fit into half of the budget.

    One pass over the rows gives the sums of all pairs of a part.
    """
    members = {i for job in jobs for i in (job.a, job.b)}
    width = max((reps[i].d for i in members), default=1)
    half = _config.current().memory_budget // 2
    each = 8 * width * (width + 3 * ROWS)  # its square, and its rows
    count = 2
    while count < len(members) and (
        (count + 1) * each + 4 * width**2 * (count + 1) * count <= half
    ):
        count += 1
    return by_tiles(jobs, count if count == len(members) else max(1, count // 2))


def streamed_scores(
    reps: Sequence[Representation], jobs: Sequence[Job], done: Container[str]
) -> Iterator[tuple[Job, Outcome | Open]]:
    """Yield the outcome of every job that is not in `done`, by passes over the rows.

    If memory or files run out, each pair has its own pass. If they run out again, its
    jobs are `Open`.
    """
    for part in streamed_parts(reps, jobs):
        left = {job.hash: job for job in part if job.hash not in done}
        if not left:
            continue
        try:
            for job, outcome in _from_one_pass(reps, list(left.values())):
                del left[job.hash]
                yield job, outcome
            continue
        except Exception as error:
            if not is_of_machine(error):
                raise
        for pair in by_tiles(list(left.values()), 1):
            found = alone(partial(_from_own_pass, reps, pair))
            if isinstance(found, Open):
                yield from ((job, found) for job in pair)
            else:
                yield from found


def _from_one_pass(
    reps: Sequence[Representation], jobs: Sequence[Job]
) -> Iterator[tuple[Job, Outcome]]:
    pairs = sorted({(min(job.a, job.b), max(job.a, job.b)) for job in jobs})
    start = time.perf_counter()
    members = {i: reps[i] for pair in pairs for i in pair}
    sums = sums_of_pairs(members, pairs)
    seconds = max(0.0, time.perf_counter() - start) / len(jobs)
    for job in jobs:
        pair = min(job.a, job.b), max(job.a, job.b)
        ordered = sums[pair] if pair == (job.a, job.b) else sums[pair].swapped()
        yield job, _outcome(job, ordered, seconds)


def _from_own_pass(
    reps: Sequence[Representation], jobs: Sequence[Job]
) -> list[tuple[Job, Outcome]]:
    return list(_from_one_pass(reps, jobs))


def _outcome(job: Job, sums: Sums, seconds: float) -> Outcome:
    details = {"streamed": True, "null": "the rows were read in parts"}
    try:
        score = float(job.measure.compare_sums(sums))
    except Exception as error:
        return failure(error).outcome
    return Outcome("ok", score, None, details, seconds)
