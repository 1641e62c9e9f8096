"""The tasks of workers: parts of a plan that take about a second or more."""

from collections.abc import Iterator

from ...measures import Measure
from .._plan import Job
from .._run import Run
from .._scores import score_tile
from .._tiles import by_tiles
from ..out_of_core._scores import streamed_parts
from ._share import has_products

# Multiplications of one task, about a second of one core. A task costs about a
# millisecond of a scheduler.
TASK_WORK = 2e10
MOST_MEMBERS = {"cheap": 16, "moderate": 4, "heavy": 1}  # representations per block
# With many representations, blocks of a task are larger than for a second of work: each
# task reads its blocks, and rows are saved pair by pair. They must fit into memory.
BLOCKS, LARGEST = 32, 16


def missing(run: Run) -> Iterator[list[Job]]:
    """The jobs that are not complete, in parts of about a second or more."""
    parts = streamed_parts(run.question.reps, run.share.all_streamed)
    if len(parts) < BLOCKS:  # too few for many workers
        parts = by_tiles(run.share.all_streamed, 2)
    for measure in run.share.jobs:
        parts += _parts(run, measure)
    for part in parts:
        left = [job for job in part if not run.known.is_complete(job.hash)]
        if rest := [job for job in left if job.hash not in run.known.open]:
            yield rest


def _parts(run: Run, measure: Measure) -> list[list[Job]]:
    jobs = run.share.jobs[measure]
    if not jobs:
        return []
    if has_products(measure):
        return run.share.tiles(measure)
    reps = run.question.reps
    n, widest = reps[0].n, max(rep.d for rep in reps)
    scores = 1 + max(job.statistics.permutations for job in jobs)
    members = int((TASK_WORK / (scores * measure.null_work(n, widest, widest))) ** 0.5)
    ready = run.share.ready[measure]
    size = min(members, MOST_MEMBERS[measure.cost])
    size = max(size, min(len(ready.members) // BLOCKS, LARGEST))
    tile, memory, _ = score_tile(ready, jobs)
    if memory.by_sums and tile < len(ready.members):
        size = LARGEST  # a smaller block can be in two tiles, which take turns
    # Representations of larger blocks would be read again for each row of pairs.
    return by_tiles(jobs, max(1, min(size, tile)))
