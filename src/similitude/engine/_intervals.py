"""Intervals: the scores of all pairs of a tile, with each group of rows left out."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from .. import _parallel, stats
from ..errors import SimilitudeError
from ..measures import Measure
from ..representation import Representation
from ._plan import Job
from ._scores import Failure, prepare, scores_of
from ._settings import GROUPING, Settings

Found = list[tuple[Job, dict[str, Any]]]


def intervals(
    measure: Measure,
    reps: Sequence[Representation],
    scored: Sequence[tuple[Job, float]],
    settings: Settings,
) -> Found:
    """The fields of each job's interval, or why it has none."""
    try:
        parts = stats.groups(settings.n, settings.stream(GROUPING), settings.blocks)
    except SimilitudeError as error:
        return [(job, _without_one(str(error))) for job, _ in scored]
    pairs = [(job.a, job.b) for job, _ in scored]
    work = partial(_one_by_one, measure, reps, parts, settings.seed)
    left_out = _at_once(measure, reps, pairs, parts, settings.seed)
    if left_out is None:
        left_out = work(pairs)
    elif (lost := np.flatnonzero(np.isnan(left_out).any(axis=0))).size:
        # Beside a row that outweighs all others the rest is rounding; without it not.
        left_out[:, lost] = work([pairs[k] for k in lost])
    sizes = [len(part) for part in parts]
    one = partial(
        _interval, sizes, stats.covered(measure) or "score", measure.claims().range
    )
    rows = settings.n if settings.blocks is None else len(set(settings.blocks.tolist()))
    found: Found = []
    for k, (job, score) in enumerate(scored):
        doubt = stats.too_few(measure, score, rows=rows, columns=reps[job.a].d)
        fields = one(score, left_out[:, k]) if doubt is None else _without_one(doubt)
        found.append((job, fields))
    return found


def _at_once(
    measure: Measure,
    reps: Sequence[Representation],
    pairs: Sequence[tuple[int, int]],
    parts: Sequence[np.ndarray],
    seed: np.random.SeedSequence,
) -> np.ndarray | None:
    """Groups x pairs in one pass, where the measure can; None where it cannot."""
    if not measure.offers("leave_out"):
        return None
    which, order = _in(pairs), np.concatenate(parts)
    prepared = [prepare(measure, seed, reps[i], order) for i in which]
    if any(isinstance(p, Failure) for p in prepared):
        return None
    try:
        with _parallel.one_thread():
            table = measure.leave_out(prepared, [len(part) for part in parts])
    except Exception:
        return None  # one by one, those that can be left out are
    place = {i: k for k, i in enumerate(which)}
    first, second = ([place[pair[side]] for pair in pairs] for side in (0, 1))
    return table[:, first, second]


def _one_by_one(
    measure: Measure,
    reps: Sequence[Representation],
    parts: Sequence[np.ndarray],
    seed: np.random.SeedSequence,
    pairs: Sequence[tuple[int, int]],
) -> np.ndarray:
    """Groups x pairs, everything prepared anew for every group."""
    everyone = np.arange(sum(len(part) for part in parts))
    remaining = [np.setdiff1d(everyone, part) for part in parts]
    work = partial(_without, measure, seed, reps, pairs)
    return np.array(list(_parallel.imap(work, remaining)))


def _without(
    measure: Measure,
    seed: np.random.SeedSequence,
    reps: Sequence[Representation],
    pairs: Sequence[tuple[int, int]],
    rows: np.ndarray,
) -> list[float]:
    """The scores of all pairs on these rows only; NaN where there is none."""
    ps = {i: prepare(measure, seed, reps[i], rows) for i in _in(pairs)}
    return scores_of(measure, ps, pairs)


def _in(pairs: Sequence[tuple[int, int]]) -> list[int]:
    return sorted({i for pair in pairs for i in pair})


def _without_one(reason: str) -> dict[str, Any]:
    return {"details": {"interval": reason}}


def _interval(
    sizes: Sequence[int],
    centre: Any,
    limits: tuple[float, float],
    score: float,
    left_out: np.ndarray,
) -> dict[str, Any]:
    try:
        found = stats.interval(score, left_out, sizes=sizes, centre=centre)
    except SimilitudeError as error:
        return _without_one(str(error))
    # Beyond its range a score cannot be, so the interval ends there.
    low, high = np.clip([found.low, found.high], *limits).tolist()
    return {"low": low, "high": high, "interval_method": found.method}
