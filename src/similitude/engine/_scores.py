"""Scores: every representation prepared once, every pair compared once."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np

from .. import _config, _parallel
from ..errors import SimilitudeError, Undefined
from ..measures import Measure
from ..representation import Representation, take_rows
from ._plan import Job
from ._rows import Status

# Items that travel to a worker together: a cheap comparison is not worth the journey.
TOGETHER = {"cheap": 32, "moderate": 4, "heavy": 1}


@dataclass(frozen=True)
class Outcome:
    """What became of one job."""

    status: Status
    score: float | None = None
    reason: str | None = None
    details: dict[str, Any] | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Failure:
    """What stands in for a prepared representation that could not be prepared."""

    outcome: Outcome


def failure(error: Exception) -> Failure:
    if isinstance(error, Undefined):
        return Failure(Outcome("undefined", reason=str(error)))
    if isinstance(error, SimilitudeError):
        return Failure(Outcome("failed", reason=str(error)))
    return Failure(Outcome("failed", reason=f"{type(error).__name__}: {error}"))


def prepare(
    measure: Measure,
    seed: np.random.SeedSequence | None,
    rep: Representation,
    rows: np.ndarray | None = None,
) -> Any:
    """What the measure prepares of these rows, or the `Failure`."""
    try:
        values = rep.load()
        values = values if rows is None else take_rows(values, rows)
        return measure.prepare(values, seed)
    except Exception as error:
        return failure(error)


def compare(measure: Measure, p: Any, q: Any) -> Outcome:
    """One comparison; an exception becomes an outcome, so that others go on."""
    for side in (p, q):
        if isinstance(side, Failure):
            return side.outcome
    start = time.perf_counter()
    try:
        score = float(measure.compare(p, q))
        details = measure.details(p, q)
    except Exception as error:
        return failure(error).outcome
    return Outcome("ok", score, None, details, time.perf_counter() - start)


def score_jobs(
    measure: Measure,
    reps: Sequence[Representation],
    jobs: Sequence[Job],
    seed: np.random.SeedSequence | None,
) -> Iterator[tuple[Job, Outcome]]:
    """The outcome of every job of one measure, as they are found.

    Representations that do not fit into the memory budget together, once prepared, are
    taken in tiles. How the work is divided depends on the plan and on the budget, never
    on the number of workers or on what was done before, so that tables are the same to
    the last bit.
    """
    needed = sorted({i for job in jobs for i in (job.a, job.b)})
    size = _tile(measure, reps[needed[0]], seed)
    tiles = [needed[i : i + size] for i in range(0, len(needed), size)]
    for number, first in enumerate(tiles):
        held = _prepared(measure, reps, first, seed)
        for second in tiles[number:]:
            both = held
            if second is not first:
                both = held | _prepared(measure, reps, second, seed)
            left, right = set(first), set(second)
            chosen = [
                job
                for job in jobs
                if (job.a in left and job.b in right)
                or (job.b in left and job.a in right)
            ]
            yield from _tile_scores(measure, both, chosen)


def _prepared(
    measure: Measure,
    reps: Sequence[Representation],
    which: Sequence[int],
    seed: np.random.SeedSequence | None,
) -> dict[int, Any]:
    work = partial(prepare, measure, seed)
    return dict(zip(which, _parallel.imap(work, [reps[i] for i in which]), strict=True))


def _tile_scores(
    measure: Measure, prepared: dict[int, Any], jobs: Sequence[Job]
) -> Iterator[tuple[Job, Outcome]]:
    sound = [i for i, p in prepared.items() if not isinstance(p, Failure)]
    dense = len(jobs) * 4 >= len(prepared) * (len(prepared) - 1)
    if measure.offers("compare_all") and dense and len(sound) > 2:
        table = _all_pairs(measure, [prepared[i] for i in sound])
        if table is not None:
            place = {i: k for k, i in enumerate(sound)}
            yield from _from_table(measure, prepared, jobs, (place, *table))
            return
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


def _all_pairs(measure: Measure, ps: Sequence[Any]) -> tuple[np.ndarray, float] | None:
    """All scores as one product, and the seconds per pair; None if any is undefined."""
    start = time.perf_counter()
    try:
        with _parallel.one_thread():
            table = np.asarray(measure.compare_all(ps), dtype=float)
    except Exception:
        return None  # pair by pair says which, and why
    return table, (time.perf_counter() - start) / (len(ps) * (len(ps) - 1) / 2)


def _from_table(
    measure: Measure,
    prepared: dict[int, Any],
    jobs: Sequence[Job],
    table: tuple[dict[int, int], np.ndarray, float],
) -> Iterator[tuple[Job, Outcome]]:
    place, scores, seconds = table
    for job in jobs:
        p, q = prepared[job.a], prepared[job.b]
        if isinstance(p, Failure) or isinstance(q, Failure):
            yield job, compare(measure, p, q)
            continue
        score = float(scores[place[job.a], place[job.b]])
        yield job, Outcome("ok", score, None, measure.details(p, q), seconds)


def _tile(
    measure: Measure, rep: Representation, seed: np.random.SeedSequence | None
) -> int:
    """How many prepared representations to hold: two tiles within the budget."""
    bytes_each = max(1, _bytes(prepare(measure, seed, rep)))
    return max(2, _config.current().memory_budget // (2 * bytes_each))


def _bytes(value: Any) -> int:
    """Of the arrays in a prepared representation."""
    if hasattr(value, "nbytes"):
        return int(value.nbytes)
    if is_dataclass(value) and not isinstance(value, type):
        return sum(_bytes(getattr(value, f.name)) for f in fields(value))
    if isinstance(value, dict):
        return sum(map(_bytes, value.values()))
    return sum(map(_bytes, value)) if isinstance(value, list | tuple) else 0
