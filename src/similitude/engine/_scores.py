"""Scores: every representation prepared once, every pair compared once."""

import math
import time
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .. import _config, _parallel
from ..measures import Measure
from ._plan import Job
from ._prepared import Failure, Outcome, Prepared, failure
from ._tiles import by_tiles, in_one_product, tile_size

# Items that travel to a worker together: a cheap comparison is not worth the journey.
TOGETHER = {"cheap": 32, "moderate": 4, "heavy": 1}


def compare(measure: Measure, p: Any, q: Any) -> Outcome:
    """One comparison; an exception becomes an outcome, so that others go on."""
    for side in (p, q):
        if isinstance(side, Failure):
            return side.outcome
    start = time.perf_counter()
    try:
        score = float(measure.compare(p, q))
    except Exception as error:
        return failure(error).outcome
    return _outcome(measure, p, q, score, time.perf_counter() - start)


def _outcome(measure: Measure, p: Any, q: Any, score: float, seconds: float) -> Outcome:
    """A score with its details, if it is one."""
    if math.isnan(score):
        return Outcome("failed", reason=f"{measure.name} gave NaN, which is no score.")
    try:
        details = measure.details(p, q) if measure.offers("details") else {}
        return Outcome("ok", score, None, _as_json(details), seconds)
    except Exception as error:
        return failure(error).outcome


def _as_json(value: Any) -> Any:
    """What a line can keep: numbers and arrays of numpy as Python's, NaN as None."""
    if isinstance(value, dict):
        return {str(key): _as_json(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(v) for v in value]
    if isinstance(value, np.ndarray | np.generic):
        return _as_json(value.tolist())
    if isinstance(value, float) and math.isnan(value):
        return None
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def score_jobs(
    ready: Prepared, jobs: Sequence[Job], done: Container[str] = frozenset()
) -> Iterator[tuple[Job, Outcome]]:
    """The outcome of every job of one measure that is not done, as they are found.

    Representations that do not fit into the memory budget together, once prepared, or
    whose products would take long, are taken in tiles. A product of which something is
    missing is made as it was the first time, so that it comes back to the last bit.
    """
    measure, reps = ready.measure, ready.reps
    count = len({i for job in jobs for i in (job.a, job.b)})
    first = jobs[0].a
    shape = (reps[first].n, max(reps[i].d for job in jobs for i in (job.a, job.b)))
    # Of one that cannot be prepared nothing is known; others are as large as its rows.
    each = ready.weigh(first) or 8 * shape[0] * shape[1]
    for chosen in by_tiles(jobs, tile_size(measure, count, shape, each)):
        missing = [job for job in chosen if job.hash not in done]
        if not missing:
            continue
        which = sorted({i for job in chosen for i in (job.a, job.b)})
        whole = in_one_product(measure, len(chosen), len(which), shape, each)
        if not whole:
            which = sorted({i for job in missing for i in (job.a, job.b)})
        prepared = ready.of(which)
        table = _all_pairs(measure, prepared) if whole else None
        if table is None:
            yield from _pair_by_pair(measure, prepared, missing)
        else:
            yield from _out_of(table, measure, prepared, missing)
    ready.let_go()


def scores_of(
    measure: Measure, prepared: dict[int, Any], pairs: Sequence[tuple[int, int]]
) -> list[float]:
    """Scores only, of these pairs; NaN where there is none."""
    count = len(prepared)
    dense = measure.offers("compare_all") and len(pairs) * 4 >= count * (count - 1)
    table = _all_pairs(measure, prepared) if dense else None
    if table is not None:
        return [table.score(*pair) for pair in pairs]
    scores = [compare(measure, prepared[i], prepared[j]).score for i, j in pairs]
    return [np.nan if score is None else score for score in scores]


def _out_of(
    table: "_Table", measure: Measure, prepared: dict[int, Any], jobs: Sequence[Job]
) -> Iterator[tuple[Job, Outcome]]:
    for job in jobs:
        p, q = prepared[job.a], prepared[job.b]
        score = table.score(job.a, job.b)
        if math.isnan(score):
            yield job, compare(measure, p, q)  # which says why
        else:
            yield job, _outcome(measure, p, q, score, table.seconds)


def _pair_by_pair(
    measure: Measure, prepared: dict[int, Any], jobs: Sequence[Job]
) -> Iterator[tuple[Job, Outcome]]:
    together = TOGETHER[measure.cost]
    chunks = [jobs[i : i + together] for i in range(0, len(jobs), together)]
    if _config.current().workers == 1:
        chunks = [[job] for job in jobs]  # each is kept as soon as it is there
    items = [[(prepared[j.a], prepared[j.b]) for j in chunk] for chunk in chunks]
    outcomes = _parallel.imap(partial(_compare_chunk, measure), items)
    for chunk, found in zip(chunks, outcomes, strict=True):
        yield from zip(chunk, found, strict=True)


def _compare_chunk(measure: Measure, sides: Sequence[tuple[Any, Any]]) -> list[Outcome]:
    return [compare(measure, p, q) for p, q in sides]


@dataclass(frozen=True)
class _Table:
    """All scores of those that could be prepared, and the seconds for each pair."""

    place: dict[int, int]
    scores: np.ndarray
    seconds: float

    def score(self, a: int, b: int) -> float:
        if a not in self.place or b not in self.place:
            return np.nan
        return float(self.scores[self.place[a], self.place[b]])


def _all_pairs(measure: Measure, prepared: dict[int, Any]) -> _Table | None:
    """All scores as one product, of those that could be prepared; None if it fails."""
    sound = [i for i, p in prepared.items() if not isinstance(p, Failure)]
    if len(sound) < 3:
        return None
    start = time.perf_counter()
    try:
        with _parallel.one_thread():
            scores = measure.compare_all([prepared[i] for i in sound])
            table = np.asarray(scores, dtype=float)
    except Exception:
        return None  # pair by pair says which, and why
    seconds = (time.perf_counter() - start) / (len(sound) * (len(sound) - 1) / 2)
    return _Table({i: k for k, i in enumerate(sound)}, table, seconds)
