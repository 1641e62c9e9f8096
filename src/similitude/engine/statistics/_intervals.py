"""Jackknife intervals for all pairs of a tile."""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ... import stats
from ..._base import _parallel
from ...errors import SimilitudeError
from ...measures import Measure
from ...representation import Representation
from .._memory import Memory
from .._plan import Job
from .._prepared import Failure, Prepared, prepare
from .._scores import scores_of
from .._tiles import in_one_product
from ._resampling import GROUPING, Resampling

Found = list[tuple[Job, dict[str, Any]]]


def intervals(
    ready: Prepared, scored: Sequence[tuple[Job, float]], resampling: Resampling
) -> Found:
    """The interval fields of each job, or the reason why there is no interval."""
    measure, reps = ready.measure, ready.reps
    try:
        parts = stats.groups(
            resampling.n, resampling.stream(GROUPING), resampling.blocks
        )
    except SimilitudeError as error:
        return [(job, _no_interval(str(error))) for job, _ in scored]
    sizes = np.array([len(part) for part in parts])
    squares = _squares(parts, resampling.blocks)
    pairs = [(job.a, job.b) for job, _ in scored]
    facts = {i: ready.facts(_facts, i) for i in _members(pairs)}
    sides = [{"x": facts[a][0], "y": facts[b][0]} for a, b in pairs]
    group_sizes = stats.GroupSizes(sizes, squares)
    shares = [min(facts[a][1], facts[b][1]) for a, b in pairs]
    reasons = [
        stats.too_few(measure, group_sizes, **side, share=share, fitted=facts[a][2])
        for side, share, (a, _) in zip(sides, shares, pairs, strict=True)
    ]
    wanted = [k for k, reason in enumerate(reasons) if reason is None]
    found = [_no_interval(reason or "") for reason in reasons]
    if wanted:
        chosen = [pairs[k] for k in wanted]
        one, two = _left_out(ready, chosen, parts, resampling.seed)
        for column, k in enumerate(wanted):
            left = stats.JackknifeScores(
                scored[k][1], one[:, column], two[:, column], group_sizes
            )
            a, b = pairs[k]
            few = stats.few_rows(
                measure, *(reps[a].load, reps[b].load), shares[k], resampling.blocks
            )
            found[k] = _interval(measure, left, few, **sides[k])
    return [(job, fields) for (job, _), fields in zip(scored, found, strict=True)]


def _squares(parts: Sequence[np.ndarray], blocks: np.ndarray | None) -> np.ndarray:
    """For each group, the sum of the squared sizes of its blocks."""
    if blocks is None:
        return np.array([len(part) for part in parts])
    counts = [np.unique(blocks[part], return_counts=True)[1] for part in parts]
    return np.array([int(np.sum(count**2)) for count in counts])


def _facts(measure: Measure, x: Any) -> tuple[float, ...]:
    """Directions, and the shares of rows that carry the score and a fit."""
    shares = (stats.effective_share, stats.fitted_share)
    return stats.directions(measure, x), *(_share(each, measure, x) for each in shares)


def _share(share: Callable[[Measure, Any], float], measure: Measure, x: Any) -> float:
    try:
        return share(measure, x)
    except SimilitudeError:
        return 1.0  # the score itself gives the reason


def _left_out(
    ready: Prepared,
    pairs: Sequence[tuple[int, int]],
    parts: Sequence[np.ndarray],
    seed: np.random.SeedSequence,
) -> tuple[np.ndarray, np.ndarray]:
    """Scores, groups x pairs: without each group, and without two adjacent groups."""
    couples = [np.concatenate(parts[i : i + 2]) for i in range(0, len(parts) - 1, 2)]
    table, end = _at_once(ready, pairs, parts), len(parts)
    # One dominant row can leave only rounding errors in the single pass. So these pairs
    # are computed again from the remaining rows.
    lost = np.flatnonzero(np.isnan(table).any(axis=0))
    if lost.size:
        again = [pairs[k] for k in lost.tolist()]
        work = partial(_one_by_one, ready.measure, ready.reps, seed, pairs=again)
        table[:end, lost], table[end:, lost] = work(parts), work(couples)
    return table[:end], table[end:]


def _at_once(
    ready: Prepared, pairs: Sequence[tuple[int, int]], parts: Sequence[np.ndarray]
) -> np.ndarray:
    """Scores, groups and then couples of adjacent groups x pairs, in one pass.

    NaN if the measure does not support it, or if it fails.
    """
    measure, one, which = ready.measure, 1.0 - np.eye(len(parts)), _members(pairs)
    kept = np.concatenate([one, one[:-1:2] * one[1::2]])
    nothing = np.full((len(kept), len(pairs)), np.nan)
    if not measure.offers("leave_out"):
        return nothing
    ps, memory = ready.get(which), ready.memory(which)
    if any(isinstance(p, Failure) for p in ps.values()):
        return nothing
    shape, each = (memory.n, memory.d), ready.size(which[0])
    try:
        with _parallel.one_thread():
            if in_one_product(measure, len(pairs), len(which), shape, each):
                table = measure.leave_out(list(ps.values()), parts, kept)
                index = {i: k for k, i in enumerate(which)}
                first, second = ([index[p[side]] for p in pairs] for side in (0, 1))
                return table[:, first, second]
            both = ([ps[i] for i in sorted(pair)] for pair in pairs)
            found = [measure.leave_out(sides, parts, kept) for sides in both]
            first, second = ([int(p[s] > p[1 - s]) for p in pairs] for s in (0, 1))
            return np.stack(found, axis=1)[:, range(len(pairs)), first, second]
    except Exception:
        return nothing  # computing one by one gives at least some of the scores


def _one_by_one(
    measure: Measure,
    reps: Sequence[Representation],
    seed: np.random.SeedSequence,
    parts: Sequence[np.ndarray],
    pairs: Sequence[tuple[int, int]],
) -> np.ndarray:
    """Scores, groups x pairs; the remaining rows are prepared anew for every group."""
    all_rows = np.arange(reps[pairs[0][0]].n)
    remaining = [np.setdiff1d(all_rows, part) for part in parts]
    work = partial(_scores_on_rows, measure, seed, reps, pairs)
    members = _members(pairs)
    memory = Memory(len(all_rows), max(reps[i].d for i in members))
    workers = memory.workers(4 * len(members) * memory.n * memory.d)
    return np.array(list(_parallel.imap(work, remaining, workers)))


def _scores_on_rows(
    measure: Measure,
    seed: np.random.SeedSequence,
    reps: Sequence[Representation],
    pairs: Sequence[tuple[int, int]],
    rows: np.ndarray,
) -> list[float]:
    """The scores of all pairs on these rows; NaN if a score is missing."""
    ps = {i: prepare(measure, seed, reps[i], rows) for i in _members(pairs)}
    return scores_of(measure, ps, pairs)


def _members(pairs: Sequence[tuple[int, int]]) -> list[int]:
    return sorted({i for pair in pairs for i in pair})


def _no_interval(reason: str) -> dict[str, Any]:
    return {"details": {"interval": reason}}


def _interval(
    measure: Measure,
    left: stats.JackknifeScores,
    few: stats.FewRows,
    *,
    x: float,
    y: float,
) -> dict[str, Any]:
    try:
        found = stats.interval_of(measure, left, x=x, y=y, few=few)
    except SimilitudeError as error:
        return _no_interval(str(error))
    details = {"interval": found.widened, "corrected": found.corrected}
    return _fields(found) | {
        "details": {k: v for k, v in details.items() if v not in ("", None)}
    }


def sample_interval(measure: Measure, p: Any, q: Any, n: int) -> dict[str, Any]:
    """The interval of a mean over a sample of the n stimuli."""
    scores = measure.per_stimulus(p, q)
    try:
        fields = _fields(stats.sample_interval(scores, n, measure.claims().range))
    except SimilitudeError as error:
        fields = _no_interval(str(error))
    why = {"null": "other pairings of rows need the neighbors of all rows"}
    return fields | {"details": fields.get("details", {}) | why}


def neighbor_interval(
    measure: Measure, p: Any, q: Any, score: float, resampling: Resampling
) -> dict[str, Any]:
    """The interval of a mean over stimuli that are neighbors of each other."""
    coverage, n = measure.claims().interval, resampling.n
    assert coverage is not None
    if resampling.blocks is not None:
        return _no_interval("no interval of neighbors was verified for blocks of rows.")
    if n < coverage.rows:
        return _no_interval(f"an interval needs {coverage.rows} rows; there are {n}.")
    try:
        found = stats.neighbor_interval(score, coverage.without_each(p, q))
    except SimilitudeError as error:
        return _no_interval(str(error))
    return _fields(found)


def _fields(found: stats.Interval) -> dict[str, Any]:
    return {
        "low": found.low,
        "high": found.high,
        "interval_method": sys.intern(found.method),  # one text for many rows
        "interval_note": found.note,
    }
