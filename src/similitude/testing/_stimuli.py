"""Checks of the scores of single stimuli."""

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import InvalidInput, Undefined
from ..measures import Measure
from ._agreement import CLOSE, agree
from ._battery import Draw, comparable, convert, reorder, row_count
from ._hard import OUTPUTS, POINTS
from ._libraries import LIBRARIES, installed
from ._transforms import transformed
from ._values import SAME, defined_draws, gap, prepared, score


def check_per_stimulus(measure: Measure) -> None:
    """Scores of stimuli give the score as claimed, and follow the order of the rows.

    They are symmetric if the score is, and have the invariances of the score.
    """
    claim, offered = measure.claims().per_stimulus, measure.offers("per_stimulus")
    assert offered == (claim is not None), (
        f"per_stimulus is {'' if offered else 'not '}offered, but claimed as {claim!r}"
    )
    if claim is None:
        return
    for draw in _defined_draws(measure):
        for library in (np, *installed(LIBRARIES)):
            x, y = convert(draw.x, library), convert(draw.y, library)
            scores, where = _scores(measure, x, y), f"{draw.name}, {library.__name__}"
            _check_array(scores, row_count(draw.x), where)
            if claim == "mean":
                expected = score(measure, draw.x, draw.y)
                agree(np.mean(scores), expected, f"{where}, mean over stimuli")
        _check_order(measure, draw)
        _check_same_scores(measure, draw)
        if claim == "influence":
            _check_influence(measure, draw)
    _check_hard_cases(measure)


def _defined_draws(measure: Measure) -> Iterator[Draw]:
    """The first draw, and other shapes for which scores of stimuli are defined."""
    for k, draw in enumerate(defined_draws(measure, battery=1)):
        with contextlib.suppress(*([Undefined] if k else [])):
            _scores(measure, draw.x, draw.y)
            yield draw


def _scores(measure: Measure, x: Any, y: Any) -> np.ndarray:
    return measure.per_stimulus(prepared(measure, x), prepared(measure, y))


def _check_array(scores: Any, n: int, where: str) -> None:
    assert isinstance(scores, np.ndarray), f"{where}: {type(scores)}, not numpy"
    assert scores.shape == (n,), f"{where}: shape {scores.shape} for {n} stimuli"
    assert scores.dtype == np.float64, f"{where}: the scores are {scores.dtype}"
    assert np.all(np.isfinite(scores)), f"{where}: a score is not finite"


def _check_order(measure: Measure, draw: Draw) -> None:
    """If the stimuli are reordered, so are their scores."""
    order = np.random.default_rng(0).permutation(row_count(draw.x))
    moved = _scores(measure, reorder(draw.x, order), reorder(draw.y, order))
    expected = _scores(measure, draw.x, draw.y)[order]
    _agree_all(moved, expected, f"{draw.name}, reordered stimuli", CLOSE)


def _check_same_scores(measure: Measure, draw: Draw) -> None:
    """Exchanged and transformed representations have the same scores, if claimed."""
    claims, expected = measure.claims(), _scores(measure, draw.x, draw.y)
    if claims.symmetric:
        exchanged = _scores(measure, draw.y, draw.x)
        _agree_all(exchanged, expected, f"{draw.name}, exchanging x and y", SAME)
    for side, groups in (("x", claims.invariant_x), ("y", claims.invariant_y)):
        for group in groups:
            pair = {"x": draw.x, "y": draw.y}
            rng = np.random.default_rng(7)
            pair[side] = transformed(group, pair[side], rng)
            where = f"{draw.name}, {group} of {side}"
            _agree_all(_scores(measure, **pair), expected, where, SAME)


def _check_influence(measure: Measure, draw: Draw) -> None:
    """The score minus the score without a stimulus, for the first and the last."""
    scores, n = _scores(measure, draw.x, draw.y), row_count(draw.x)
    whole = score(measure, draw.x, draw.y)
    for i in (0, n - 1):
        rest = np.delete(np.arange(n), i)
        without = score(measure, reorder(draw.x, rest), reorder(draw.y, rest))
        agree(scores[i], whole - without, f"{draw.name}, without stimulus {i}")


def _check_hard_cases(measure: Measure) -> None:
    """Finite scores, or an error with a reason."""
    points = measure.domain == "points"
    cases = POINTS if points else OUTPUTS
    for name, case in cases.items():
        x, y = comparable(measure, *case()) if points else case()
        try:
            scores = _scores(measure, x, y)
        except (Undefined, InvalidInput) as error:
            assert len(str(error)) > 30, f"{name}: {error} does not give a reason"
        else:
            _check_array(scores, len(scores), name)


def _agree_all(
    got: np.ndarray, expected: np.ndarray, what: str, tolerance: float
) -> None:
    worst = max(gap(a, b) for a, b in zip(got, expected, strict=True))
    assert worst <= tolerance, f"{what}: scores of stimuli differ by {worst:.3g}"
