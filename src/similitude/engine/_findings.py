"""Facts about scores that the terminal, the report and notebooks put into words."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .._base._printable import printable
from ..measures import stored_measure
from ._rows import Row
from ._run_record import RepresentationRecord
from .question._baselines import PARTS

_NOT_ONE = (None, "none")  # the output of the layer was 2-d already


@dataclass(frozen=True)
class LayerFact:
    """The mean score of one layer over pairs of models, and its mean baseline.

    `gain` is how much more similar the pairs are than their baseline.
    """

    layer: str
    rows: tuple[Row, ...]
    score: float
    baseline: str | None = None
    base: float | None = None
    gain: float | None = None


def sign_of(row: Row) -> float:
    """1 if a larger score is more similar, otherwise -1."""
    return 1.0 if row.kind == "similarity" else -1.0


def claimed_range(rows: Sequence[Row], label: str) -> tuple[float, float]:
    """The range that the measure claims; infinite if the measure is unknown here."""
    row = next(row for row in rows if row.label == label)
    measure = stored_measure(row.measure, row.options)
    return (-math.inf, math.inf) if measure is None else measure.claims().range


def models_and_layers(rows: Sequence[Row]) -> dict[str, tuple[str | None, str | None]]:
    """The model and the layer of each representation."""
    found: dict[str, tuple[str | None, str | None]] = {}
    for row in rows:
        found[row.a] = (row.a_model, row.a_layer)
        found[row.b] = (row.b_model, row.b_layer)
    return found


def between_models(rows: Sequence[Row]) -> list[Row]:
    """The rows of pairs of different models; all rows if there are none."""
    found = [row for row in rows if row.a_model is None or row.a_model != row.b_model]
    return found or list(rows)


def comparable(rows: Sequence[Row]) -> list[Row]:
    """The rows of equal layers of different models; all `between_models` without any.

    Unlike layers and layers of one model answer another question, and would dominate
    the mean of all pairs.
    """
    apart = between_models(rows)
    return [row for row in apart if _one_layer(row)] or apart


def layer_facts(rows: Sequence[Row]) -> list[LayerFact]:
    """One fact per layer that models share, of rows of one measure.

    The layer with the largest gain over its baseline is first; without a baseline, the
    least similar layer is first. Empty if models share fewer than two layers.
    """
    by_layer: dict[str, list[Row]] = {}
    for row in comparable(rows):
        if row.score is not None and _one_layer(row):
            by_layer.setdefault(str(row.a_layer), []).append(row)
    if len(by_layer) < 2:
        return []
    facts = [_fact(layer, found) for layer, found in by_layer.items()]
    sign = sign_of(rows[0])
    if any(fact.gain is None for fact in facts):
        return sorted(facts, key=lambda fact: sign * fact.score)
    return sorted(facts, key=lambda fact: -(fact.gain or 0.0))


def reducers_of(reps: Sequence[RepresentationRecord]) -> dict[str, str]:
    """The reducer of each representation that has one, by name."""
    found = {rep.name: rep.meta.get("reducer") for rep in reps}
    return {name: printable(str(r)) for name, r in found.items() if r not in _NOT_ONE}


def mixed_reducers(rows: Sequence[Row], reducers: Mapping[str, str]) -> str | None:
    """A note about pairs whose sides have different reducers."""
    pairs = dict.fromkeys((row.a, row.b) for row in rows)
    mixed = [
        (a, b)
        for a, b in pairs
        if a in reducers and b in reducers and reducers[a] != reducers[b]
    ]
    if not mixed:
        return None
    a, b = mixed[0]
    count = "1 pair has" if len(mixed) == 1 else f"{len(mixed):,} pairs have"
    return (
        f"reducer: {count} different reducers, such as {a} ({reducers[a]}) and {b} "
        f"({reducers[b]}). A reducer changes scores as much as training does; extract "
        f"both sides with the same one."
    )


@dataclass(frozen=True)
class StepFact:
    """How one layer of one run approaches its last checkpoint.

    `path` has each step with its score against the last one; `half` is the first step
    at which at least half of the change is done.
    """

    name: str
    path: tuple[tuple[float, float], ...]
    half: float


def step_facts(
    rows: Sequence[Row], reps: Sequence[RepresentationRecord]
) -> list[StepFact]:
    """One fact per run and layer with three or more steps, the largest change first.

    `rows` are rows of one measure.
    """
    steps = {r.name: r.step for r in reps if isinstance(r.step, int | float)}
    groups: dict[str, list[RepresentationRecord]] = {}
    for rep in reps:
        if rep.name in steps:
            name = " ".join(filter(None, (rep.model, rep.layer))) or "run"
            groups.setdefault(name, []).append(rep)
    scores = {frozenset((row.a, row.b)): row.score for row in rows}
    found = []
    for name, group in groups.items():
        last = max(group, key=lambda rep: steps[rep.name])
        path = [
            (float(steps[rep.name]), score)
            for rep in sorted(group, key=lambda rep: steps[rep.name])
            if rep is not last
            and (score := scores.get(frozenset((rep.name, last.name)))) is not None
        ]
        if len(path) > 1:
            change = path[-1][1] - path[0][1]
            start = path[0][1]
            half = (s for s, score in path if 2 * abs(score - start) >= abs(change))
            found.append(StepFact(name, tuple(path), next(half)))
    return sorted(found, key=lambda f: -abs(f.path[-1][1] - f.path[0][1]))


def _fact(layer: str, rows: Sequence[Row]) -> LayerFact:
    score = float(np.mean([row.score for row in rows if row.score is not None]))
    named = dict.fromkeys(n for row in rows for n in row.baselines if n not in PARTS)
    for name in named:
        found = [row for row in rows if name in row.baselines]
        if len(found) == len(rows):  # otherwise the two means are of different pairs
            base = float(np.mean([row.baselines[name] for row in rows]))
            gain = sign_of(rows[0]) * (score - base)
            return LayerFact(layer, tuple(rows), score, name, base, gain)
    return LayerFact(layer, tuple(rows), score)


def _one_layer(row: Row) -> bool:
    apart = row.a_model is None or row.a_model != row.b_model
    return apart and row.a_layer is not None and row.a_layer == row.b_layer
