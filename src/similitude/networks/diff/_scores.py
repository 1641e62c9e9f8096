"""Scores of all layers, before against after, with their baselines."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy

from ..._base._seed import Rng
from ...engine._compare import compare
from ...engine._results import Results
from ...engine._rows import Row
from ...errors import InvalidInput
from ...inputs import Outputs
from ...measures import COORDINATES, DIFF, DIFF_OUTPUTS, MEASURES, Measure
from ...representation import Representation
from ._limits import LIKE
from ._pairing import Pair

Twins = Mapping[str, Mapping[str, Representation]]


def scored(
    pairs: Sequence[Pair],
    extra: Sequence[Measure],
    twins: Twins,
    rng: Rng,
    progress: Any,
) -> tuple[Results, list[Mapping[str, Row]]]:
    """The results, and the rows of each pair by the label of the measure.

    Twins are keyed by the name of the baseline and by the layer before.
    """
    domains = {pair.before.domain for pair in pairs}
    known = [MEASURES[name] for name in (*DIFF, *DIFF_OUTPUTS)]
    chosen = dict.fromkeys([*COORDINATES, *known, *extra])
    order = [(pair.before.name, pair.after.name) for pair in pairs]
    reps = {rep.name: rep for pair in pairs for rep in (pair.before, pair.after)}
    found = compare(
        list(reps.values()),
        [measure for measure in chosen if measure.domain in domains],
        keep=lambda a, b: (a.name, b.name) in order or (b.name, a.name) in order,
        baselines={name: _of_pairs(name, own, pairs) for name, own in twins.items()},
        permutations=0,
        rng=rng,
        progress=progress,
    )
    rows: dict[tuple[str, str], dict[str, Row]] = {names: {} for names in order}
    for row in found.rows:  # asymmetric measures: from before to after
        if (row.a, row.b) in rows:
            rows[row.a, row.b][row.label] = row
    for row in found.rows:
        if (row.b, row.a) in rows:
            rows[row.b, row.a].setdefault(row.label, row)
    return found, [rows[names] for names in order]


def _of_pairs(
    name: str, own: Mapping[str, Representation], pairs: Sequence[Pair]
) -> dict[str, Representation]:
    """The twins of the layers before; a baseline has the same twins after."""
    sides = ("before",) if name.startswith(LIKE) else ("before", "after")
    return {
        getattr(pair, side).name: own[str(pair.before.layer)]
        for pair in pairs
        for side in sides
        if str(pair.before.layer) in own
    }


def predictions(rep: Representation) -> Representation:
    """The probabilities of a layer of logits."""
    values = scipy.special.log_softmax(rep.load().astype(np.float64), axis=1)
    name = f"{rep.layer} (outputs)"
    return replace(rep, name=f"{rep.model}/{name}", layer=name, values=Outputs(values))


def with_outputs(
    pairs: Sequence[Pair], layer: str | None, twins: Twins
) -> tuple[list[Pair], dict[str, dict[str, Representation]]]:
    """Pairs and twins, followed by the predictions of a layer of logits."""
    every = {name: dict(own) for name, own in twins.items()}
    if layer is None:
        return [*pairs], every
    pair = next((p for p in pairs if p.before.layer == layer), None)
    if pair is None:
        names = ", ".join(str(p.before.layer) for p in pairs)
        raise InvalidInput(f"outputs: {layer!r} is not a compared layer: {names}.")
    if pair.before.d != pair.after.d:
        raise InvalidInput(f"outputs: the sides of {layer!r} differ in their classes.")
    logits = Pair(predictions(pair.before), predictions(pair.after), pair.how)
    for own in every.values():
        if layer in own and own[layer].d == pair.before.d:
            own[str(logits.before.layer)] = predictions(own[layer])
    return [*pairs, logits], every
