"""Claimed invariances hold, and everything that does not follow from them fails."""

import numpy as np

from ..measures import Measure
from ..transformations import Group, closure
from ._transforms import transformed
from ._values import DIFFERENT, SAME, defined_draws, gap, prepared


def check_invariances(measure: Measure) -> None:
    """Per argument, each group of transformations against what is claimed."""
    claims = measure.claims()
    if measure.domain == "outputs":
        claimed = claims.invariant_x | claims.invariant_y
        assert not claimed, f"{claimed} are for points, not for {measure.domain}"
        return
    probe = _Probe(measure)
    problems = []
    for side, groups in (("x", claims.invariant_x), ("y", claims.invariant_y)):
        follows = closure(groups)
        for group in Group:
            moved, where = probe.largest_move(
                group, side, stop_early=group not in follows
            )
            if group in follows and moved > SAME:
                problems.append(
                    f"claims {group} of {side}, which moves it by {moved:.3g} ({where})"
                )
            if group not in follows and moved <= DIFFERENT:
                problems.append(
                    f"does not claim {group} of {side}, but it moves by {moved:.3g} "
                    f"only"
                )
    assert not problems, "; ".join(problems)


class _Probe:
    """Scores of all draws, ready to be compared with those of a transformed side."""

    def __init__(self, measure: Measure) -> None:
        self.measure = measure
        self.draws = list(defined_draws(measure))
        self.sides = [
            (prepared(measure, d.x), prepared(measure, d.y)) for d in self.draws
        ]
        self.before = [float(measure.compare(p, q)) for p, q in self.sides]

    def largest_move(
        self, group: Group, side: str, *, stop_early: bool
    ) -> tuple[float, str]:
        """How far a transformation moves the score at most, and on which draw."""
        largest, where = 0.0, ""
        for i, draw in enumerate(self.draws):
            rng = np.random.default_rng([7, i])
            p, q = self.sides[i]
            if side == "x":
                p = prepared(self.measure, transformed(group, draw.x, rng))
            else:
                q = prepared(self.measure, transformed(group, draw.y, rng))
            moved = gap(self.before[i], float(self.measure.compare(p, q)))
            if moved > largest:
                largest, where = moved, draw.name
            if stop_early and largest > DIFFERENT:
                break
        return largest, where
