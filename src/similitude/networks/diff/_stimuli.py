"""The stimuli that moved most, and those whose predicted class changed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ... import stats
from ...measures import COORDINATES, DIFF_OUTPUTS
from ...representation import Representation
from ._pairing import Pair

SHOWN = 5  # stimuli that moved most


@dataclass(frozen=True)
class Moved:
    """The stimuli that moved most in one layer: pairs of an id and its score."""

    layer: str
    measure: str
    stimuli: tuple[tuple[str, float], ...]


def moved(pairs: Sequence[Pair]) -> Moved | None:
    """The stimuli that moved most in the last layer with the same coordinates."""
    alike = [
        p for p in pairs if p.before.domain == "points" and p.before.d == p.after.d
    ]
    if not alike:
        return None
    last, measure = alike[-1], COORDINATES[0]
    scores = stats.per_stimulus(last.before.load(), last.after.load(), measure)
    if not scores.any():
        return None
    order = np.argsort(-scores, kind="stable")[:SHOWN]
    found = zip(_ids(last.before, order), scores[order].tolist(), strict=True)
    return Moved(last.label, measure.label, tuple(found))


def flips(pairs: Sequence[Pair]) -> tuple[str, ...] | None:
    """The ids of the stimuli whose predicted class changed."""
    for pair in pairs:
        if pair.before.domain == "outputs":
            values = pair.before.load(), pair.after.load()
            changed = stats.per_stimulus(*values, DIFF_OUTPUTS[0])
            return _ids(pair.before, np.flatnonzero(changed))
    return None


def _ids(rep: Representation, rows: np.ndarray) -> tuple[str, ...]:
    return tuple(str(row if rep.ids is None else rep.ids[row]) for row in rows)
