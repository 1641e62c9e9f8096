"""Limits of the gate: given as numbers, or measured on repeats or other models."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...engine._rows import Row
from ...errors import InvalidInput
from ...measures import COORDINATES, DIFF, DIFF_OUTPUTS, MEASURES, Measure
from ..extraction._layers._patterns import matches
from ._gate import Verdict, verdict, without_partner

if TYPE_CHECKING:
    from ._record import Change

SIDES = ("before", "after")
REPEATS = "repeats"
LIKE = "allow like: "  # before the names of models that measure limits


def fixed_limits(
    changes: Sequence["Change"], limits: Mapping[Measure, float]
) -> list[Verdict]:
    """One verdict per limit and layer."""
    found = []
    for measure, limit in limits.items():
        rows = [(c, c.rows[measure.label]) for c in changes if measure.label in c.rows]
        if not rows:
            raise InvalidInput(
                f"allow: {measure.label} has no score; it is for {measure.domain}, and "
                f"there are none. For classifiers, name the layer of logits by outputs."
            )
        found += [verdict(c.pair.label, row, measure, limit) for c, row in rows]
    return found


def measured_limits(changes: Sequence["Change"], like: Any) -> list[Verdict]:
    """Limits of each layer: what repeats of the model do, or what other models do."""
    found = []
    if like == REPEATS:
        measure = COORDINATES[0]
        for c in changes:
            if c.floor is not None:
                row, limit = c.rows[measure.label], c.threshold * c.floor
                found.append(verdict(c.pair.label, row, measure, limit, REPEATS))
        return found
    named = "the given models" if isinstance(like, Mapping) else str(like)
    for c in changes:
        measure = MEASURES[DIFF[0] if c.floor is not None else DIFF_OUTPUTS[0]]
        row = c.rows[measure.label]
        largest = _largest_change(row, measure)
        if largest is None:
            raise InvalidInput(
                f"allow_like: {named} has no layer {c.pair.before.layer!r}, or no "
                f"score of it with {measure.label}."
            )
        found.append(verdict(c.pair.label, row, measure, largest, named))
    return found


def missing_layers(
    alone: Mapping[str, Sequence[str]], allowed: Sequence[str]
) -> list[Verdict]:
    """One failure per layer without a partner, unless a pattern allows it."""
    return [
        without_partner(name, side, SIDES[side == SIDES[0]])
        for side, names in alone.items()
        for name in names
        if not any(matches(pattern, name) for pattern in allowed)
    ]


def _largest_change(row: Row, measure: Measure) -> float | None:
    scores = [v for name, v in row.baselines.items() if name.startswith(LIKE)]
    worst = min if measure.claims().kind == "similarity" else max
    return worst(scores, default=None)
