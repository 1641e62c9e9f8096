"""Scores: every representation prepared once, every pair compared once."""

import math
import time
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .. import _config, _parallel
from ..errors import MissingExtra, SimilitudeError, Undefined
from ..measures import Measure
from ..representation import Representation, take_rows
from ._plan import Job
from ._rows import Status
from ._tiles import by_tiles, bytes_of, in_one_product, tile_size

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


def check_extras(measures: Iterable[Measure], reps: Sequence[Representation]) -> None:
    """What a measure needs is installed; known before anything is written."""
    for measure in measures:
        fitting = [rep for rep in reps if rep.domain == measure.domain]
        if measure.extra is None or not fitting:
            continue
        try:
            measure.prepare(fitting[0].load(), None)
        except MissingExtra:
            raise
        except Exception:
            continue  # its rows will say


def score_jobs(
    measure: Measure,
    reps: Sequence[Representation],
    jobs: Sequence[Job],
    seed: np.random.SeedSequence | None,
    done: Container[str] = frozenset(),
) -> Iterator[tuple[Job, Outcome]]:
    """The outcome of every job of one measure that is not done, as they are found.

    Representations that do not fit into the memory budget together, once prepared, or
    whose products would take long, are taken in tiles. A product of which something is
    missing is made as it was the first time, so that it comes back to the last bit.
    """
    count = len({i for job in jobs for i in (job.a, job.b)})
    first = reps[jobs[0].a]
    shape = (first.n, max(reps[i].d for job in jobs for i in (job.a, job.b)))
    # Of one that cannot be prepared nothing is known; others are as large as its rows.
    each = bytes_of(prepare(measure, seed, first)) or 8 * shape[0] * shape[1]
    held: dict[int, Any] = {}
    for chosen in by_tiles(jobs, tile_size(measure, count, shape, each)):
        missing = [job for job in chosen if job.hash not in done]
        if not missing:
            continue
        which = sorted({i for job in chosen for i in (job.a, job.b)})
        whole = in_one_product(measure, len(chosen), len(which), shape, each)
        if not whole:
            which = sorted({i for job in missing for i in (job.a, job.b)})
        held = {i: held[i] for i in which if i in held}  # the others go first
        held |= _prepared(measure, reps, [i for i in which if i not in held], seed)
        prepared = {i: held[i] for i in which}
        table = _all_pairs(measure, prepared) if whole else None
        if table is None:
            yield from _pair_by_pair(measure, prepared, missing)
        else:
            yield from _out_of(table, measure, prepared, missing)


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


def _prepared(
    measure: Measure,
    reps: Sequence[Representation],
    which: Sequence[int],
    seed: np.random.SeedSequence | None,
) -> dict[int, Any]:
    work = partial(prepare, measure, seed)
    return dict(zip(which, _parallel.imap(work, [reps[i] for i in which]), strict=True))


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
