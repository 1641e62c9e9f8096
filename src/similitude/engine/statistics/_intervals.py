"""Intervals: the scores of all pairs of a tile, with each group of rows left out."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ... import _parallel, stats
from ...errors import SimilitudeError
from ...measures import Measure
from ...representation import Representation
from .._plan import Job
from .._prepared import Failure, prepare
from .._scores import scores_of
from ._resampling import GROUPING, Resampling

Found = list[tuple[Job, dict[str, Any]]]


def intervals(
    measure: Measure,
    reps: Sequence[Representation],
    scored: Sequence[tuple[Job, float]],
    resampling: Resampling,
) -> Found:
    """The fields of each job's interval, or why it has none."""
    try:
        parts = stats.groups(
            resampling.n, resampling.stream(GROUPING), resampling.blocks
        )
    except SimilitudeError as error:
        return [(job, _without_one(str(error))) for job, _ in scored]
    sizes = np.array([len(part) for part in parts])
    squares = _squares(parts, resampling.blocks)
    every = [(job.a, job.b) for job, _ in scored]
    spread = _directions(measure, reps, _in(every))
    sides = [{"x": spread[a], "y": spread[b]} for a, b in every]
    group_sizes = stats.GroupSizes(sizes, squares)
    doubts = [stats.too_few(measure, group_sizes, **side) for side in sides]
    wanted = [k for k, doubt in enumerate(doubts) if doubt is None]
    found = [_without_one(doubt or "") for doubt in doubts]
    if wanted:
        one, two = _left_out(
            measure, reps, [every[k] for k in wanted], parts, resampling.seed
        )
        for column, k in enumerate(wanted):
            left = stats.JackknifeScores(
                scored[k][1], one[:, column], two[:, column], group_sizes
            )
            found[k] = _interval(measure, left, **sides[k])
    return [(job, fields) for (job, _), fields in zip(scored, found, strict=True)]


def _squares(parts: Sequence[np.ndarray], blocks: np.ndarray | None) -> np.ndarray:
    """Of each group the sum of the squared sizes of its blocks."""
    if blocks is None:
        return np.array([len(part) for part in parts])
    counts = [np.unique(blocks[part], return_counts=True)[1] for part in parts]
    return np.array([int(np.sum(count**2)) for count in counts])


def _directions(
    measure: Measure, reps: Sequence[Representation], which: Sequence[int]
) -> dict[int, float]:
    return {i: stats.directions(measure, reps[i].load()) for i in which}


def _left_out(
    measure: Measure,
    reps: Sequence[Representation],
    pairs: Sequence[tuple[int, int]],
    parts: Sequence[np.ndarray],
    seed: np.random.SeedSequence,
) -> tuple[np.ndarray, np.ndarray]:
    """Groups x pairs: without each group, and without two neighboring ones."""
    couples = [np.concatenate(parts[i : i + 2]) for i in range(0, len(parts) - 1, 2)]
    singles = parts[len(parts) - len(parts) % 2 :]  # an odd one, of which none is asked
    work = partial(_one_by_one, measure, reps, seed)
    tables = _at_once(measure, reps, pairs, [parts, [*couples, *singles]], seed)
    if tables is None:
        one, two = work(parts, pairs), work(couples, pairs)
    else:
        one, two = tables[0], tables[1][: len(couples)]
        lost = np.flatnonzero(np.isnan(np.concatenate([one, two])).any(axis=0))
        if lost.size:
            # Beside a row that outweighs all others the rest is rounding; without it
            # not.
            again = [pairs[k] for k in lost.tolist()]
            one[:, lost], two[:, lost] = work(parts, again), work(couples, again)
    return one, two


def _at_once(
    measure: Measure,
    reps: Sequence[Representation],
    pairs: Sequence[tuple[int, int]],
    divisions: Sequence[Sequence[np.ndarray]],
    seed: np.random.SeedSequence,
) -> list[np.ndarray] | None:
    """Groups x pairs in one pass, for each division of the same order of rows.

    None where the measure cannot.
    """
    if not measure.offers("leave_out"):
        return None
    which, order = _in(pairs), np.concatenate(divisions[0])
    prepared = [prepare(measure, seed, reps[i], order) for i in which]
    if any(isinstance(p, Failure) for p in prepared):
        return None
    try:
        with _parallel.one_thread():
            tables = [
                measure.leave_out(prepared, [len(part) for part in parts])
                for parts in divisions
            ]
    except Exception:
        return None  # one by one, those that can be left out are
    place = {i: k for k, i in enumerate(which)}
    first, second = ([place[pair[side]] for pair in pairs] for side in (0, 1))
    return [table[:, first, second] for table in tables]


def _one_by_one(
    measure: Measure,
    reps: Sequence[Representation],
    seed: np.random.SeedSequence,
    parts: Sequence[np.ndarray],
    pairs: Sequence[tuple[int, int]],
) -> np.ndarray:
    """Groups x pairs, everything prepared anew for every group."""
    everyone = np.arange(reps[pairs[0][0]].n)
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
    measure: Measure, left: stats.JackknifeScores, *, x: float, y: float
) -> dict[str, Any]:
    try:
        found = stats.interval_of(measure, left, x=x, y=y)
    except SimilitudeError as error:
        return _without_one(str(error))
    return {
        "low": found.low,
        "high": found.high,
        "interval_method": found.method,
        "interval_note": found.note,
    }
