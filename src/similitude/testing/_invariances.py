"""Claimed invariances hold, and everything that does not follow from them fails."""

import numpy as np

from ..measures import Measure, closure
from ._battery import draws
from ._transforms import TRANSFORMS
from ._values import DIFFERENT, SAME, gap, prepared


def check_invariances(measure: Measure) -> None:
    """Per argument, each family of transformations against what is claimed."""
    claims = measure.claims()
    if measure.domain != "points":
        claimed = claims.invariant_x | claims.invariant_y
        assert not claimed, f"{claimed} are for points, not for {measure.domain}"
        return
    problems = []
    prepared_draws = [
        (prepared(measure, draw.x), prepared(measure, draw.y))
        for draw in draws("points")
    ]
    before = [float(measure.compare(p, q)) for p, q in prepared_draws]
    for side, atoms in (("x", claims.invariant_x), ("y", claims.invariant_y)):
        follows = closure(atoms)
        for atom, transform in TRANSFORMS.items():
            moved = 0.0
            for i, draw in enumerate(draws("points")):
                rng = np.random.default_rng([7, i])
                p, q = prepared_draws[i]
                if side == "x":
                    p = prepared(measure, transform(draw.x, rng))
                else:
                    q = prepared(measure, transform(draw.y, rng))
                moved = max(moved, gap(before[i], float(measure.compare(p, q))))
            if atom in follows and moved > SAME:
                problems.append(
                    f"claims {atom} of {side}, which moves it by {moved:.3g}"
                )
            if atom not in follows and moved <= DIFFERENT:
                problems.append(
                    f"does not claim {atom} of {side}, but it moves by {moved:.3g} only"
                )
    assert not problems, "; ".join(problems)
