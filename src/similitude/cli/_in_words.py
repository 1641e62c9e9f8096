"""Claims in words, for tables."""

import math

from ..measures import Measure
from ..transformations import MODEL_EQUIVALENCE, Group


def invariances(measure: Measure) -> str:
    """Of both arguments."""
    if measure.domain == "outputs":
        return "(compares outputs)"
    claims = measure.claims()
    x, y = words(claims.invariant_x), words(claims.invariant_y)
    invariant = x if x == y else f"x: {x}; y: {y}"
    if measure.domain == "softmax":
        invariant = invariant.replace(words(MODEL_EQUIVALENCE), "model equivalence")
    return invariant


def words(groups: frozenset[Group]) -> str:
    return ", ".join(group for group in Group if group in groups) or "nothing"


def interval(low: float, high: float) -> str:
    names = {math.pi: "pi", math.pi / 2: "pi/2", math.inf: "inf", -math.inf: "-inf"}
    return f"[{names.get(low, f'{low:g}')}, {names.get(high, f'{high:g}')}]"
