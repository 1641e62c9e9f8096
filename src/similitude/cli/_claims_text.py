"""Claims in words, for tables."""

import math

from ..measures import Invariance, Measure
from ..measures._claims import MODEL_EQUIVALENCE


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


def words(atoms: frozenset[Invariance]) -> str:
    return ", ".join(atom.value for atom in Invariance if atom in atoms) or "nothing"


def interval(low: float, high: float) -> str:
    names = {math.pi: "pi", math.pi / 2: "pi/2", math.inf: "inf", -math.inf: "-inf"}
    return f"[{names.get(low, f'{low:g}')}, {names.get(high, f'{high:g}')}]"
