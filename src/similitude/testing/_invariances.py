"""Check that claimed invariances hold and that all others fail."""

import numpy as np

from ..measures import Measure
from ..transformations import Group, closure
from ._transforms import transformed
from ._values import DIFFERENT, SAME, defined_draws, gap, prepared


def check_invariances(measure: Measure) -> None:
    """For each argument, compare each group of transformations with the claims."""
    claims = measure.claims()
    if measure.domain == "outputs":
        claimed = claims.invariant_x | claims.invariant_y
        assert not claimed, (
            f"{claimed} are invariances of points, not of {measure.domain}"
        )
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
                    f"claims {group} of {side}, which changes the score by {moved:.3g} "
                    f"({where})"
                )
            if group not in follows and moved <= DIFFERENT:
                problems.append(
                    f"does not claim {group} of {side}, which changes it by only "
                    f"{moved:.3g}"
                )
    assert not problems, "; ".join(problems)


class _Probe:
    """Prepared draws and their scores before any transformation."""

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
        """The largest change of the score under a transformation, and its draw."""
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
