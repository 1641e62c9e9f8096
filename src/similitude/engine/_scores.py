"""Scores: each representation is prepared once, each pair is compared once."""

import itertools
import math
import time
from collections import deque
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from .._base import _parallel
from ..measures import Measure
from ..representation import Representation
from . import _tiles
from ._memory import Memory
from ._plan import Job
from ._prepared import Failure, Outcome, Prepared, failure, prepare
from ._resources import Open, alone, is_of_machine
from ._rows import as_json

# Pairs per task of a worker. Sending a single cheap pair costs more than comparing it.
CHUNK_SIZE = {"cheap": 32, "moderate": 4, "heavy": 1}
CHUNK_BYTES = 2**18  # of a prepared representation; larger ones are sent pair by pair


def compare(measure: Measure, p: Any, q: Any, *, barcodes: bool = False) -> Outcome:
    """Compare one pair. An error of the measure becomes an outcome."""
    for side in (p, q):
        if isinstance(side, Failure):
            return side.outcome
    start = time.perf_counter()
    try:
        score = float(measure.compare(p, q))
    except Exception as error:
        return failure(error).outcome
    found = _outcome(measure, p, q, score, _since(start))
    if not barcodes or found.status != "ok":
        return found
    try:
        bars = measure.barcodes(p, q)
        arrays = {name: np.asarray(array, dtype=float) for name, array in bars.items()}
        return replace(found, barcodes=arrays)
    except Exception as error:
        return failure(error).outcome


def _outcome(measure: Measure, p: Any, q: Any, score: float, seconds: float) -> Outcome:
    """The outcome of a score, with its details; NaN is a failure."""
    if math.isnan(score):
        return Outcome("failed", reason=f"{measure.name} returned NaN.")
    try:
        details = measure.details(p, q) if measure.offers("details") else {}
        return Outcome("ok", score, None, as_json(details), seconds)
    except Exception as error:
        return failure(error).outcome


def score_jobs(
    ready: Prepared,
    jobs: Sequence[Job],
    done: Container[str] = frozenset(),
    barcodes: Container[str] = frozenset(),
    at_random: _tiles.Condition = _tiles.never,
) -> Iterator[tuple[Job, Outcome | Open]]:
    """Yield the outcome of every job of one measure that is not in `done`.

    `done` may grow while other processes work on the same jobs. `at_random` then
    returns True, and jobs are taken in a random order.

    If the prepared representations exceed the memory budget, or their product would
    take long, the work is divided into tiles. Outcomes of the jobs in `barcodes` have
    their barcodes, unless all pairs are one product. On resume, a product with missing
    jobs is computed as a whole, so its scores are bit-identical to those of an
    uninterrupted run. The last tile stays prepared, for the statistics.

    If memory, files or a worker process run out, the remaining pairs of the tile are
    computed one at a time, once, with a quarter of the budget. A job for which this
    happens again is `Open`.
    """
    measure = ready.measure
    size, memory, each = score_tile(ready, jobs)
    shape, workers = (memory.n, memory.d), memory.workers(each)
    for chosen in _tiles.in_turn(ready.tiles(jobs, size), at_random):
        left = {job.hash: job for job in chosen if job.hash not in done}
        if not left:
            continue
        which = sorted({i for job in chosen for i in (job.a, job.b)})
        one_product = _tiles.in_one_product(
            measure, len(chosen), len(which), shape, each
        )
        if not one_product:
            which = sorted({i for job in left.values() for i in (job.a, job.b)})
        order = _tiles.in_turn(list(left.values()), at_random)
        try:
            prepared = ready.get(which)
            table = _all_pairs(measure, prepared) if one_product else None
            if table is None:
                pairs = (job for job in order if job.hash not in done)
                found = _pair_by_pair(measure, prepared, pairs, barcodes, workers)
            else:
                found = _from_table(table, measure, prepared, list(left.values()))
            for job, outcome in found:
                del left[job.hash]
                yield job, outcome
            continue
        except Exception as error:
            if not is_of_machine(error):
                raise
        prepared = table = found = None  # type: ignore[assignment]  # free the memory
        for job in left.values():
            if job.hash not in done:
                ready.release_all()
                sides = ready.reps[job.a], ready.reps[job.b]
                work = partial(_score, measure, ready.seed, *sides)
                yield job, alone(partial(work, barcodes=job.hash in barcodes))


def _score(
    measure: Measure, seed: Any, a: Representation, b: Representation, *, barcodes: bool
) -> Outcome:
    p, q = prepare(measure, seed, a), prepare(measure, seed, b)
    return compare(measure, p, q, barcodes=barcodes)


def score_tile(ready: Prepared, jobs: Sequence[Job]) -> tuple[int, Memory, int]:
    """The tile size of these jobs; memory and bytes of a prepared representation."""
    members = ready.members or _tiles.members_of(jobs)
    memory = ready.memory(members)
    # If the first one cannot be prepared, its size is 0; assume the size of its rows.
    each = ready.size(members[0]) or 8 * memory.n * memory.d
    return _tiles.tile_size(ready.measure, len(members), memory, each), memory, each


def scores_of(
    measure: Measure, prepared: dict[int, Any], pairs: Sequence[tuple[int, int]]
) -> list[float]:
    """The scores of these pairs, without details; NaN if a score is missing."""
    count = len(prepared)
    dense = measure.offers("compare_all") and len(pairs) * 4 >= count * (count - 1)
    table = _all_pairs(measure, prepared) if dense else None
    if table is not None:
        return [table.score(*pair) for pair in pairs]
    scores = [compare(measure, prepared[i], prepared[j]).score for i, j in pairs]
    return [np.nan if score is None else score for score in scores]


def _from_table(
    table: "_Table", measure: Measure, prepared: dict[int, Any], jobs: Sequence[Job]
) -> Iterator[tuple[Job, Outcome]]:
    for job in jobs:
        p, q = prepared[job.a], prepared[job.b]
        score = table.score(job.a, job.b)
        if math.isnan(score):
            yield job, compare(measure, p, q)  # for the reason
        else:
            yield job, _outcome(measure, p, q, score, table.seconds)


def _pair_by_pair(
    measure: Measure,
    prepared: dict[int, Any],
    jobs: Iterator[Job],
    barcodes: Container[str],
    workers: int,
) -> Iterator[tuple[Job, Outcome]]:
    size = CHUNK_SIZE[measure.cost]
    largest = max(map(_tiles.bytes_of, prepared.values()), default=0)
    if workers == 1 or largest > CHUNK_BYTES:
        size = 1  # each row is saved as soon as it is ready
    sent: deque[list[Job]] = deque()

    def items() -> Iterator[list[tuple[Any, Any, bool]]]:
        while chunk := list(itertools.islice(jobs, size)):
            sent.append(chunk)
            yield [(prepared[j.a], prepared[j.b], j.hash in barcodes) for j in chunk]

    for found in _parallel.imap(partial(_compare_chunk, measure), items(), workers):
        yield from zip(sent.popleft(), found, strict=True)


def _compare_chunk(
    measure: Measure, items: Sequence[tuple[Any, Any, bool]]
) -> list[Outcome]:
    return [compare(measure, p, q, barcodes=keep) for p, q, keep in items]


@dataclass(frozen=True)
class _Table:
    """The scores of all prepared representations, and the seconds per pair."""

    index: dict[int, int]
    scores: np.ndarray
    seconds: float

    def score(self, a: int, b: int) -> float:
        if a not in self.index or b not in self.index:
            return np.nan
        return float(self.scores[self.index[a], self.index[b]])


def _all_pairs(measure: Measure, prepared: dict[int, Any]) -> _Table | None:
    """All scores as one product, without failed preparations; None if it fails."""
    usable = [i for i, p in prepared.items() if not isinstance(p, Failure)]
    if len(usable) < 3:
        return None
    start = time.perf_counter()
    try:
        with _parallel.one_thread():
            scores = measure.compare_all([prepared[i] for i in usable])
            table = np.asarray(scores, dtype=float)
    except Exception:
        return None  # comparing pair by pair shows which pairs fail, and why
    seconds = _since(start) / (len(usable) * (len(usable) - 1) / 2)
    return _Table({i: k for k, i in enumerate(usable)}, table, seconds)


def _since(start: float) -> float:
    """Seconds since `start`; never negative, even if the clock of a machine goes back.

    A row with negative seconds would be damaged.
    """
    return max(0.0, time.perf_counter() - start)
