"""Which layer after the change corresponds to which layer before it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from ...engine._compare import compare
from ...errors import InvalidInput, did_you_mean
from ...measures import DIFF
from ...representation import Representation

_ORDER = 1e-6  # decides only between layers that are equally similar


@dataclass(frozen=True)
class Pair:
    """Two layers, matched by "name", "map", "values", the best "match", or "only"."""

    before: Representation
    after: Representation
    how: str

    @property
    def label(self) -> str:
        a, b = str(self.before.layer), str(self.after.layer)
        return a if a == b else f"{a} > {b}"


def paired(
    before: Sequence[Representation],
    after: Sequence[Representation],
    chosen: Mapping[str, str],
    by_values: Mapping[str, str],
) -> list[Pair]:
    """Pairs in the order of `before`: by map, values, name, or the best match."""
    left = {str(rep.layer): rep for rep in before}
    right = {str(rep.layer): rep for rep in after}
    found: dict[str, Pair] = {}
    taken = set()
    for a, b in chosen.items():
        a, b = _known(a, left, "before"), _known(b, right, "after")
        found[a] = Pair(left[a], right[b], "map")
        taken.add(b)
    for a, b in by_values.items():
        if a in left and a not in found and b in right and b not in taken:
            found[a] = Pair(left[a], right[b], "values")
    taken |= {str(pair.after.layer) for pair in found.values()}
    for name, rep in left.items():
        if name not in found and name in right and name not in taken:
            found[name] = Pair(rep, right[name], "name")
            taken.add(name)
    rest = [rep for name, rep in left.items() if name not in found]
    others = [rep for name, rep in right.items() if name not in taken]
    if len(left) == len(right) == len(rest) == 1:
        found |= {str(rest[0].layer): Pair(rest[0], others[0], "only")}
    else:
        found |= _best(rest, others)
    if not found:
        raise InvalidInput("no layer before corresponds to a layer after; give a map.")
    return [found[name] for name in left if name in found]


def _known(name: str, layers: Mapping[str, Representation], side: str) -> str:
    """The layer with this name, or the only one whose last parts are this name."""
    ends = [layer for layer in layers if layer.endswith(f".{name}")]
    if name in layers or len(ends) == 1:
        return name if name in layers else ends[0]
    raise InvalidInput(
        f"map: there is no layer {name!r} {side}.{did_you_mean(name, layers)} The "
        f"layers are {', '.join(layers)}."
    )


def _best(
    before: Sequence[Representation], after: Sequence[Representation]
) -> dict[str, Pair]:
    """Distinct layers after with the largest sum of scores, calibrated by chance."""
    before = [rep for rep in before if rep.domain == "points"]
    after = [rep for rep in after if rep.domain == "points"]
    if not before or not after:
        return {}
    scores = compare(
        [*before, *after], DIFF[0], keep=lambda a, b: a.model != b.model, progress=None
    )
    closeness = np.full((len(before), len(after)), -1e6)
    places = [{rep.name: i for i, rep in enumerate(side)} for side in (before, after)]
    for row in scores.rows:
        if row.score is not None:
            i, j = places[0][row.a], places[1][row.b]
            known = row.score if row.calibrated is None else row.calibrated
            # Layers with equal values, as after a removed layer, keep their order.
            apart = abs(i / len(before) - j / len(after))
            closeness[i, j] = known - _ORDER * apart
    rows, columns = scipy.optimize.linear_sum_assignment(closeness, maximize=True)
    return {
        str(before[i].layer): Pair(before[i], after[j], "match")
        for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
        if closeness[i, j] > -1e6
    }
