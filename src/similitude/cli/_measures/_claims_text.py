"""Claims of measures as text, for tables."""

import math
import sys
from collections.abc import Iterable

from ...measures import Measure
from ...transformations import MODEL_EQUIVALENCE, Group


def by_family(measures: Iterable[Measure]) -> dict[str, list[Measure]]:
    """Group measures by the titles of their families, in alphabetical order."""
    found: dict[str, list[Measure]] = {}
    for measure in sorted(measures, key=lambda m: (m.family, m.name)):
        package = sys.modules.get(f"similitude.measures.{measure.family}")
        title = (package and package.__doc__) or "Other measures."
        found.setdefault(title.removesuffix("."), []).append(measure)
    return found


def invariances(measure: Measure) -> str:
    """The invariances of both arguments."""
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
