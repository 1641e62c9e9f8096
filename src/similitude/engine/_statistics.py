"""Statistics of scores that are there: nulls and intervals, tile by tile."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .. import _parallel, advice, stats
from ..errors import SimilitudeError
from ..measures import Measure
from ..representation import Representation
from ._plan import Job
from ._scores import Failure, compare, prepare

TILE = 16  # representations whose pairs get their statistics together
# Streams of one seed: what permutes and what groups must not depend on each other.
PERMUTING, GROUPING = 1, 2


@dataclass(frozen=True)
class Settings:
    """What all pairs share: the seed, the number of rows, and the blocks."""

    seed: np.random.SeedSequence
    n: int
    blocks: np.ndarray | None

    def stream(self, key: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.seed.entropy, spawn_key=(key,))


def statistics(
    measure: Measure,
    reps: Sequence[Representation],
    scored: Sequence[tuple[Job, float]],
    settings: Settings,
    done: Set[str] = frozenset(),
) -> Iterator[tuple[Job, dict[str, Any]]]:
    """Fields of a row for every scored job that is not done, in tiles.

    Orders and groups are the same for all pairs: a maximum over layers, or a
    difference of two scores, can then be calibrated from what is kept. A tile of which
    something is missing is made as it would have been, for the same last bits.
    """
    needed = sorted({i for job, _ in scored for i in (job.a, job.b)})
    tiles = [needed[i : i + TILE] for i in range(0, len(needed), TILE)]
    for number, first in enumerate(tiles):
        for second in tiles[number:]:
            left, right = set(first), set(second)
            chosen = [
                (job, score)
                for job, score in scored
                if (job.a in left and job.b in right)
                or (job.b in left and job.a in right)
            ]
            if any(job.hash not in done for job, _ in chosen):
                found = _tile(measure, reps, chosen, settings)
                yield from (each for each in found if each[0].hash not in done)


def _tile(
    measure: Measure,
    reps: Sequence[Representation],
    scored: Sequence[tuple[Job, float]],
    settings: Settings,
) -> Iterator[tuple[Job, dict[str, Any]]]:
    found: list[dict[str, Any]] = [{} for _ in scored]
    if stats.covered(measure) is not None:
        for fields, interval in zip(
            found, _intervals(measure, reps, scored, settings), strict=True
        ):
            fields |= interval
    count = scored[0][0].permutations
    if count and measure.claims().paired:
        for fields, null in zip(
            found, _nulls(measure, reps, scored, settings), strict=True
        ):
            fields |= null
        for fields, biased in zip(found, _biased(measure, reps, scored), strict=True):
            fields["details"] = fields.get("details", {}) | biased
    yield from zip((job for job, _ in scored), found, strict=True)


def _nulls(
    measure: Measure,
    reps: Sequence[Representation],
    scored: Sequence[tuple[Job, float]],
    settings: Settings,
) -> list[dict[str, Any]]:
    count = scored[0][0].permutations
    try:
        stream = settings.stream(PERMUTING)
        orders = stats.orders(settings.n, count, stream, settings.blocks)
    except SimilitudeError as error:
        return [{"details": {"null": str(error)}} for _ in scored]
    needed = sorted({i for job, _ in scored for i in (job.a, job.b)})
    ps = {i: prepare(measure, settings.seed, reps[i]) for i in needed}
    selves = {i: compare(measure, p, p).score for i, p in ps.items()}
    items = [
        (ps[job.a], ps[job.b], reps[job.b], score, _mean(selves[job.a], selves[job.b]))
        for job, score in scored
    ]
    work = partial(_null, measure, orders, settings.seed)
    return list(_parallel.imap(work, items))


def _null(
    measure: Measure,
    orders: np.ndarray,
    seed: np.random.SeedSequence,
    item: tuple[Any, Any, Representation, float, float | None],
) -> dict[str, Any]:
    p, q, rep, score, self_score = item
    try:
        y = None if measure.offers("permute") else rep.load()
        scores = stats.null_scores(measure, p, q, orders, y=y, seed=seed)
        moments = None
        if measure.offers("null_moments") and rep.blocks is None:
            moments = measure.null_moments(p, q)
        null = stats.null(
            measure, score, scores, self_score=self_score, moments=moments
        )
    except SimilitudeError as error:
        return {"details": {"null": str(error)}}
    return {
        "null_mean": null.mean,
        "null_sd": null.sd,
        "null_q95": null.q95,
        "p": null.p,
        "p_method": null.p_method,
        "calibrated": null.calibrated,
        "permutations": null.permutations,
    }


def _biased(
    measure: Measure,
    reps: Sequence[Representation],
    scored: Sequence[tuple[Job, float]],
) -> list[dict[str, Any]]:
    """What the biased estimator would have read, for those who know that number."""
    twin = advice.biased_twin(measure)
    if twin is None:
        return [{} for _ in scored]
    needed = sorted({i for job, _ in scored for i in (job.a, job.b)})
    ps = {i: prepare(twin, None, reps[i]) for i in needed}
    read = [compare(twin, ps[job.a], ps[job.b]).score for job, _ in scored]
    return [{} if score is None else {"biased": score} for score in read]


def _mean(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else (a + b) / 2


def _intervals(
    measure: Measure,
    reps: Sequence[Representation],
    scored: Sequence[tuple[Job, float]],
    settings: Settings,
) -> list[dict[str, Any]]:
    try:
        parts = stats.groups(settings.n, settings.stream(GROUPING), settings.blocks)
    except SimilitudeError as error:
        return [{"details": {"interval": str(error)}} for _ in scored]
    everyone = np.arange(settings.n)
    pairs = [(job.a, job.b) for job, _ in scored]
    work = partial(_without, measure, settings.seed, reps, pairs)
    remaining = [np.setdiff1d(everyone, part) for part in parts]
    left_out = np.array(list(_parallel.imap(work, remaining)))
    sizes = [len(part) for part in parts]
    return [
        _interval(measure, score, left_out[:, k], sizes)
        for k, (_, score) in enumerate(scored)
    ]


def _without(
    measure: Measure,
    seed: np.random.SeedSequence,
    reps: Sequence[Representation],
    pairs: Sequence[tuple[int, int]],
    rows: np.ndarray,
) -> list[float]:
    """The scores of all pairs on these rows only; NaN where there is none."""
    ps = {
        i: prepare(measure, seed, reps[i], rows)
        for i in sorted({i for pair in pairs for i in pair})
    }
    sound = [i for i, p in ps.items() if not isinstance(p, Failure)]
    dense = len(pairs) * 4 >= len(ps) * (len(ps) - 1)
    if measure.offers("compare_all") and dense and len(sound) == len(ps) > 2:
        try:
            table = np.asarray(measure.compare_all([ps[i] for i in sound]), dtype=float)
        except Exception:
            table = None
        if table is not None:
            place = {i: k for k, i in enumerate(sound)}
            return [float(table[place[i], place[j]]) for i, j in pairs]
    scores = [compare(measure, ps[i], ps[j]).score for i, j in pairs]
    return [np.nan if score is None else score for score in scores]


def _interval(
    measure: Measure, score: float, left_out: np.ndarray, sizes: Sequence[int]
) -> dict[str, Any]:
    try:
        centre = stats.covered(measure) or "score"
        found = stats.interval(score, left_out, sizes=sizes, centre=centre)
    except SimilitudeError as error:
        return {"details": {"interval": str(error)}}
    low, high = measure.claims().range
    # Beyond its range a score cannot be, so the interval ends there.
    return {
        "low": max(low, found.low),
        "high": min(high, found.high),
        "interval_method": found.method,
    }
