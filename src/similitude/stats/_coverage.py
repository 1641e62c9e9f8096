"""Which intervals may be printed: those whose coverage has been shown."""

from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import Undefined
from ..measures import Coverage, Measure
from ._jackknife import Interval
from ._share import share_interval
from ._shifted import LeftOut, Worth, merged, shifted_interval

__all__ = ["covered", "directions", "interval_of", "too_few"]


def covered(measure: Measure) -> bool:
    """Whether intervals of this measure, with these options, may be printed."""
    return measure.claims().interval is not None


def directions(measure: Measure, x: Any) -> float:
    """How many directions of x there are for chance to use."""
    return _declared(measure).directions(x)


def too_few(measure: Measure, worth: Worth, *, x: float, y: float) -> str | None:
    """Why the interval has not been shown to cover, or None.

    `x` and `y` are the `directions` of the two sides.
    """
    coverage = _declared(measure)
    many = coverage.shared(x, y)
    needed = coverage.rows_needed(many, in_blocks=worth.in_blocks)
    if worth.rows >= needed - 1e-9:
        return None
    if worth.in_blocks:
        return (
            f"an interval needs blocks that are worth {needed} independent rows here; "
            f"these are worth {worth.rows:.3g}."
        )
    return f"an interval needs {needed} rows here; there are {worth.rows:g}."


def interval_of(measure: Measure, left: LeftOut, *, x: float, y: float) -> Interval:
    """The interval that may be printed; `x` and `y` are the sides' `directions`.

    It ends where the scale does on which it is computed: an unbiased score may be
    below 0.

    Raises
    ------
    Undefined
        With the reason, where none may be.
    """
    coverage = _declared(measure)
    if doubt := too_few(measure, left.worth, x=x, y=y):
        raise Undefined(doubt)
    if coverage.scale == "share":
        return share_interval(left)
    many = coverage.shared(x, y)
    found = shifted_interval(
        _on_scale(coverage, left, many), coverage.shift(left.worth.rows, many)
    )
    method = found.method
    if coverage.note:
        method += ", bias-corrected"
    elif left.worth.in_blocks:
        method += ", corrected for blocks"
    low, high = (min(max(v, -1.0), 1.0) for v in (found.low, found.high))
    low, high = coverage.back(low, high)
    return replace(found, low=low, high=high, method=method, note=coverage.note)


def _declared(measure: Measure) -> Coverage:
    coverage = measure.claims().interval
    if coverage is None:
        raise Undefined(f"no interval of {measure.label} has been shown to cover.")
    return coverage


def _on_scale(coverage: Coverage, left: LeftOut, many: float) -> LeftOut:
    """Every score on the scale of the interval."""
    sizes = left.worth.sizes
    n = float(np.sum(sizes))
    rest = n - merged(sizes[: 2 * len(left.two)])
    return replace(
        left,
        score=float(coverage.on_scale(left.score, n, many)),
        one=coverage.on_scale(left.one, n - sizes, many),
        two=coverage.on_scale(left.two, rest, many),
    )
