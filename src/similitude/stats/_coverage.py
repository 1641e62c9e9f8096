"""Confidence intervals, for measures whose coverage has been verified."""

from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import Undefined
from ..measures import Coverage, Measure
from ._correlation_interval import (
    GroupSizes,
    JackknifeScores,
    shifted_interval,
    sum_pairs,
)
from ._few_rows import EVEN, FEW_ROWS, FewRows
from ._jackknife import Interval
from ._proportion_interval import share_interval

__all__ = [
    "covered",
    "directions",
    "effective_share",
    "fitted_share",
    "interval_of",
    "too_few",
]

_BLOCKS_NOTE = (
    "rows of one block are similar, which changes the score; the interval is for the "
    'score without that bias ("corrected").'
)


def covered(measure: Measure) -> bool:
    """Whether the coverage of intervals is verified for this measure and options."""
    return measure.claims().interval is not None


def directions(measure: Measure, x: Any) -> float:
    """The effective number of directions of x, by which chance raises the score."""
    return _declared(measure).directions(x)


def effective_share(measure: Measure, x: Any) -> float:
    """The effective share of the rows of x that carry the score; 1 for normal rows."""
    return _declared(measure).effective_share(x)


def fitted_share(measure: Measure, x: Any) -> float:
    """The effective share of the rows of x that carry a fit; 1 for normal rows."""
    return _declared(measure).fitted_share(x)


def too_few(
    measure: Measure,
    group_sizes: GroupSizes,
    *,
    x: float,
    y: float,
    share: float = 1.0,
    fitted: float = 1.0,
) -> str | None:
    """The reason why there are too few rows for an interval, or None.

    `x` and `y` are the `directions` of the two sides, `share` is the smaller one of
    their `effective_share`, and `fitted` is the `fitted_share` of x.
    """
    coverage = _declared(measure)
    shared = coverage.shared(x, y)
    needed = coverage.rows_needed(
        shared, in_blocks=group_sizes.in_blocks, even=share >= FEW_ROWS
    )
    rows = group_sizes.effective_rows
    carrying = rows * min(fitted, 1.0)
    if rows >= needed - 1e-9 and carrying < coverage.rows_each * shared - 1e-9:
        return (
            f"an interval needs {coverage.rows_each} rows for each column of x; few "
            f"rows carry these columns, so all {rows:.0f} are worth {carrying:.0f}."
        )
    if rows >= needed - 1e-9:
        return None
    if group_sizes.in_blocks:
        return (
            f"an interval needs blocks equivalent to {needed} independent rows here; "
            f"these are equivalent to {rows:.3g}."
        )
    return f"an interval needs {needed} rows here; there are {rows:g}."


def interval_of(
    measure: Measure,
    scores: JackknifeScores,
    *,
    x: float,
    y: float,
    few: FewRows = EVEN,
) -> Interval:
    """The confidence interval of a score; `x` and `y` are the sides' `directions`.

    `few` says how far the score may move because few rows carry it (`few_rows`).
    The interval is clipped to the range of the scale on which it is computed. An
    unbiased score may be below 0.

    Raises
    ------
    Undefined
        If no interval with verified coverage exists; the message gives the reason.
    """
    coverage = _declared(measure)
    if reason := too_few(measure, scores.group_sizes, x=x, y=y, share=few.share):
        raise Undefined(reason)
    if coverage.scale == "share":
        return share_interval(scores)
    shared = coverage.shared(x, y)
    found = shifted_interval(
        _on_scale(coverage, scores, shared),
        coverage.shift(scores.group_sizes.effective_rows, shared),
        few=few,
    )
    if found.high - found.low >= coverage.widest:
        raise Undefined(
            f"the interval would be {found.high - found.low:.2f} wide and say nothing "
            f"about the score; {found.widened or 'use more stimuli.'}"
        )
    method, center, note = found.method, found.corrected, coverage.note
    if coverage.note:
        method += ", bias-corrected"
    elif scores.group_sizes.in_blocks:
        method, note = method + ", corrected for blocks", _BLOCKS_NOTE
    else:
        center = None
    low, high = (min(max(v, -1.0), 1.0) for v in (found.low, found.high))
    low, high = coverage.back(low, high)
    if center is not None:
        center = coverage.back(*[min(max(center, -1.0), 1.0)] * 2)[0]
    inside = scores.score if center is None else center
    return replace(
        found,
        low=min(low, inside),  # rounding may move an end across a score near 1
        high=max(high, inside),
        method=method,
        note=note,
        corrected=center,
    )


def _declared(measure: Measure) -> Coverage:
    coverage = measure.claims().interval
    if coverage is None:
        raise Undefined(f"{measure.label} has no interval with verified coverage.")
    return coverage


def _on_scale(
    coverage: Coverage, scores: JackknifeScores, shared: float
) -> JackknifeScores:
    """All scores, transformed to the scale of the interval."""
    sizes = scores.group_sizes.sizes
    n = float(np.sum(sizes))
    rest = n - sum_pairs(sizes[: 2 * len(scores.without_two)])
    return replace(
        scores,
        score=float(coverage.on_scale(scores.score, n, shared)),
        without_one=coverage.on_scale(scores.without_one, n - sizes, shared),
        without_two=coverage.on_scale(scores.without_two, rest, shared),
    )
