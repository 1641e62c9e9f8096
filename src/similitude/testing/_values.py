"""Claims about values: range, nearness to itself, symmetry, pairing, triangle."""

from typing import Any

import numpy as np

from .._seed import as_seed
from ..errors import Undefined
from ..measures import Measure
from ._battery import draws, reorder, row_count

# Equal means within SAME, different means beyond DIFFERENT; a measure in between is
# neither and fails both ways.
SAME = 1e-8
DIFFERENT = 1e-6


def prepared(measure: Measure, x: Any) -> Any:
    """`x` prepared, with a seed where a draw is made."""
    return measure.prepare(x, as_seed(0) if measure.claims().stochastic else None)


def score(measure: Measure, x: Any, y: Any) -> float:
    """The score as a float. Past the door, where shuffled rows would be refused."""
    return float(measure.compare(prepared(measure, x), prepared(measure, y)))


def gap(a: float, b: float) -> float:
    """The difference of two scores, relative to them where they are large."""
    return abs(a - b) / max(1.0, abs(a), abs(b))


def in_range(measure: Measure, value: float, where: str) -> None:
    low, high = measure.claims().range
    slack = SAME * max(1.0, *(abs(v) for v in (low, high) if np.isfinite(v)))
    assert low - slack <= value <= high + slack, (
        f"{where}: {value!r} is outside the claimed range [{low}, {high}]"
    )


def check_range(measure: Measure) -> None:
    """Scores stay in the claimed range: for relatives, strangers and opposites."""
    for i, draw in enumerate(draws(measure.domain)):
        rng = np.random.default_rng(i)
        pairs = [(draw.x, draw.x), (draw.x, draw.y), (draw.y, draw.z)]
        if measure.domain == "points":
            pairs += [(draw.x, -draw.x), (draw.x, draw.x**3)]
            pairs += [(draw.x, rng.permutation(draw.y))]
            pairs += [tuple(rng.normal(size=(2, 30, 10)))]
        for x, y in pairs:
            try:
                value = score(measure, x, y)
            except Undefined:
                continue
            in_range(measure, value, f"draw {i}")


def check_self(measure: Measure) -> None:
    """Nothing is nearer to a representation than itself; a distance to it is 0."""
    claims = measure.claims()
    for i, draw in enumerate(draws(measure.domain)):
        alone, other = score(measure, draw.x, draw.x), score(measure, draw.x, draw.y)
        if claims.kind == "similarity":
            assert alone >= other - SAME, (
                f"draw {i}: a similarity of {alone} to itself, {other} to another"
            )
            continue
        # An angle from a cosine of 1 that is rounded is off by the root of an eps.
        assert abs(alone) <= 1e-7, f"draw {i}: at {alone} from itself, not at 0"
        assert other >= alone, f"draw {i}: at {alone} from itself, {other} from another"


def check_symmetry(measure: Measure) -> None:
    """Symmetric where claimed, and visibly not where not."""
    gaps = [
        gap(score(measure, draw.x, draw.y), score(measure, draw.y, draw.x))
        for draw in draws(measure.domain)
    ]
    _all_or_some(measure.claims().symmetric, gaps, "exchanging x and y")


def check_pairing(measure: Measure) -> None:
    """Shuffling the rows of y changes a paired score, and leaves an unpaired one."""
    gaps = []
    for i, draw in enumerate(draws(measure.domain)):
        order = np.random.default_rng(i).permutation(row_count(draw.y))
        shuffled = reorder(draw.y, order)
        gaps.append(
            gap(score(measure, draw.x, draw.y), score(measure, draw.x, shuffled))
        )
    _all_or_some(not measure.claims().paired, gaps, "shuffling the rows of y")


def check_triangle(measure: Measure) -> None:
    """The triangle inequality holds where claimed, and is broken where denied."""
    claims = measure.claims()
    if claims.triangle is None:
        return
    assert claims.kind == "distance", (
        f"triangle={claims.triangle} is claimed for a {claims.kind}"
    )
    excess = []
    for draw in draws(measure.domain):
        between = [draw.y, draw.z]
        if measure.domain == "points":  # half of the way, where a square falls short
            between.append((draw.x + draw.z) / 2)
        for middle in between:
            around = score(measure, draw.x, middle) + score(measure, middle, draw.z)
            excess.append(score(measure, draw.x, draw.z) - around)
    if claims.triangle:
        assert max(excess) <= SAME, f"the triangle inequality fails by {max(excess)}"
    else:
        assert max(excess) > DIFFERENT, "triangle=False, but no violation was found"


def _all_or_some(holds: bool, gaps: list[float], what: str) -> None:  # noqa: FBT001
    """Every gap is nothing, or at least one is something."""
    if holds:
        assert max(gaps) <= SAME, f"{what} changes the score by {max(gaps):.3g}"
    else:
        assert max(gaps) > DIFFERENT, (
            f"{what} should change the score, but moves it by {max(gaps):.3g} at most"
        )
