"""Checks of scores: range, self-similarity, symmetry, pairing, triangle inequality."""

import contextlib
import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._base._seed import as_seed
from ..errors import Undefined
from ..measures import Measure
from ._battery import (
    Draw,
    draws_for,
    fields,
    log_softmax,
    other_shapes,
    reorder,
    row_count,
)

# Scores are equal within SAME, and different beyond DIFFERENT. A difference in between
# fails both kinds of checks.
SAME = 1e-8
DIFFERENT = 1e-6


def prepared(measure: Measure, x: Any) -> Any:
    """Prepare `x`, with a seed if the measure is stochastic.

    The checks use an object many times, and prepare it once, as the engine does.
    """
    return _prepared(measure, _Object(x))


@dataclass(frozen=True, eq=False)
class _Object:
    """An input as a key; another input with equal values is another key."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Object) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


@functools.lru_cache(maxsize=500)  # the inputs of a few measures
def _prepared(measure: Measure, x: _Object) -> Any:
    return measure.prepare(x.value, as_seed(0) if measure.claims().stochastic else None)


def called(measure: Measure, x: Any, y: Any) -> Any:
    """The score by a call, which validates the inputs."""
    return measure(x, y, rng=0 if measure.claims().stochastic else None)


def score(measure: Measure, x: Any, y: Any) -> float:
    """The score as a float, without the input checks of a call."""
    return float(measure.compare(prepared(measure, x), prepared(measure, y)))


def defined_draws(measure: Measure, battery: int = 5) -> Iterator[Draw]:
    """Draws of the battery, and other shapes for which the measure is defined."""
    yield from draws_for(measure)[:battery]
    yield from _defined_shapes(measure)


@functools.lru_cache(maxsize=1)  # all checks of one measure use it
def _defined_shapes(measure: Measure) -> list[Draw]:
    found = []
    for draw in other_shapes(measure.domain):
        with contextlib.suppress(Undefined):
            for x, y in ((draw.x, draw.y), (draw.y, draw.x), (draw.x, draw.z)):
                score(measure, x, y)
            found.append(draw)
    return found


def gap(a: float, b: float) -> float:
    """The difference of two scores, relative to the larger one if it exceeds 1."""
    return abs(a - b) / max(1.0, abs(a), abs(b))


def in_range(measure: Measure, value: float, where: str) -> None:
    low, high = measure.claims().range
    slack = SAME * max([1.0, *(abs(v) for v in (low, high) if np.isfinite(v))])
    assert low - slack <= value <= high + slack, (
        f"{where}: {value!r} is outside the claimed range [{low}, {high}]"
    )


def check_range(measure: Measure) -> None:
    """Scores are in the claimed range, for related, unrelated and opposite inputs."""
    for draw in defined_draws(measure):
        pairs = [(draw.x, draw.x), (draw.x, draw.y), (draw.y, draw.z)]
        if measure.domain == "points":
            shuffled = np.random.default_rng(0).permutation(draw.y)
            pairs += [(draw.x, -draw.x), (draw.x, draw.x**3), (draw.x, shuffled)]
            pairs += [(1e3 * draw.x, draw.y), (draw.x, 1e3 * draw.y)]
        if measure.domain == "softmax":
            pairs += _far_apart(draw)
        for x, y in pairs:
            _in_range_if_defined(measure, x, y, draw.name)
    if measure.domain == "points":
        rng = np.random.default_rng(0)
        for n in (5, 12):  # few rows, where unbiased estimators vary most
            for _ in range(15):
                x, y = rng.normal(size=(2, n, 3))
                _in_range_if_defined(measure, x, y, f"n = {n}")


def _far_apart(draw: Draw) -> list[tuple[Any, Any]]:
    """Models with opposite or certain predictions, other labels or other inputs."""
    f, g = draw.x.embeddings, draw.x.unembeddings
    opposite, sure = replace(draw.x, embeddings=-f), replace(draw.x, embeddings=30 * f)
    renamed = replace(draw.x, unembeddings=np.roll(g, 1, axis=0))
    shuffled = reorder(draw.y, np.random.default_rng(0).permutation(len(f)))
    return [(draw.x, other) for other in (opposite, sure, renamed, shuffled)]


def _in_range_if_defined(measure: Measure, x: Any, y: Any, where: str) -> None:
    try:
        value = score(measure, x, y)
    except Undefined:
        return
    in_range(measure, value, where)


def check_self(measure: Measure) -> None:
    """A representation is nearest to itself, and scores `Claims.self_score`."""
    claims = measure.claims()
    for draw in defined_draws(measure):
        alone, other = score(measure, draw.x, draw.x), score(measure, draw.x, draw.z)
        battery = draw in draws_for(measure)
        if claims.kind == "similarity" and not (claims.symmetric or battery):
            continue  # asymmetric neighbor scores need not be highest
        nearer = alone >= other - SAME
        if claims.kind != "similarity":
            nearer = alone <= other + SAME
        assert nearer, f"{draw.name}: {alone!r} to itself, {other!r} to another"
        # The angle of a rounded cosine of 1 has an error of the root of eps. For a
        # divergence only the battery must give 0: held-out rows of a wide
        # representation cannot be distinguished from the others.
        if claims.kind == "distance" or battery:
            zero = claims.kind == "similarity" or abs(alone) <= 1e-7
            assert zero, f"{draw.name}: the distance to itself is {alone!r}, not 0"
        if claims.kind == "similarity" and claims.self_score is not None:
            same = gap(alone, claims.self_score) <= 1e-7
            assert same, f"{draw.name}: {alone!r} to itself, not {claims.self_score!r}"


def check_symmetry(measure: Measure) -> None:
    """Exchanging x and y keeps the score if symmetry is claimed, else changes it."""
    gaps = []
    for draw in defined_draws(measure):
        for x, y in ((draw.x, draw.y), (draw.x, draw.z)):
            gaps.append(gap(score(measure, x, y), score(measure, y, x)))
    _check_gaps(measure.claims().symmetric, gaps, "exchanging x and y")


def check_pairing(measure: Measure) -> None:
    """Shuffling rows of one side changes paired scores, but not unpaired ones."""
    gaps = []
    for i, draw in enumerate(defined_draws(measure)):
        order = np.random.default_rng(i).permutation(row_count(draw.y))
        before = score(measure, draw.x, draw.y)
        gaps.append(gap(before, score(measure, draw.x, reorder(draw.y, order))))
        gaps.append(gap(before, score(measure, reorder(draw.x, order), draw.y)))
    paired = measure.claims().paired
    _check_gaps(not paired, gaps, "shuffling the rows of one side")
    # For paired measures see `check_refusals`.
    if not paired and measure.domain != "softmax":
        _check_any_number_of_rows(measure)


def _check_any_number_of_rows(measure: Measure) -> None:
    """An unpaired measure accepts different numbers of rows."""
    for draw in draws_for(measure):
        few = reorder(draw.y, np.arange(row_count(draw.y) - 7))
        for x, y in ((draw.x, few), (few, draw.x)):
            try:
                value = float(called(measure, x, y))
            except Exception as error:
                raise AssertionError(
                    f"unpaired, but 60 and 53 rows are refused: {error}"
                ) from error
            in_range(measure, value, f"{draw.name}, 60 and 53 rows")


def check_triangle(measure: Measure) -> None:
    """The triangle inequality holds if claimed, and is violated if denied."""
    claims = measure.claims()
    if claims.triangle is None:
        return
    assert claims.kind == "distance", (
        f"triangle={claims.triangle} is claimed for a {claims.kind}; use None"
    )
    excess = []
    for draw in defined_draws(measure):
        for x, middle, z in _chains(draw, measure.domain):
            around = score(measure, x, middle) + score(measure, middle, z)
            excess.append(score(measure, x, z) - around)
    if claims.triangle:
        assert max(excess) <= SAME, f"the triangle inequality fails by {max(excess)}"
    else:
        assert max(excess) > DIFFERENT, "triangle=False, but no violation was found"


def _chains(draw: Draw, domain: str) -> Iterator[tuple[Any, Any, Any]]:
    """Triples for the triangle inequality, some with two equal steps.

    For equal steps a squared distance is four times that of one step.
    """
    yield draw.x, draw.y, draw.z
    yield draw.x, draw.z, draw.y
    rng = np.random.default_rng(0)
    if domain == "points":
        yield draw.x, (draw.x + draw.z) / 2, draw.z
        for size in (1e-3, 0.1):
            step = size * rng.normal(size=draw.x.shape)
            yield draw.x, draw.x + step, draw.x + 2 * step
        return
    if domain == "softmax":
        step = 0.1 * rng.normal(size=draw.x.embeddings.shape)
        yield tuple(
            replace(draw.x, embeddings=draw.x.embeddings + k * step) for k in range(3)
        )
        return
    logits = draw.x.log_probs
    step = rng.normal(size=logits.shape)
    yield tuple(
        type(draw.x)(log_softmax(logits + k * step), targets=fields(draw.x)["targets"])
        for k in range(3)
    )


def _check_gaps(holds: bool, gaps: list[float], what: str) -> None:  # noqa: FBT001
    """All gaps are within SAME, or at least one is beyond DIFFERENT."""
    if holds:
        assert max(gaps) <= SAME, f"{what} changes the score by {max(gaps):.3g}"
    else:
        assert max(gaps) > DIFFERENT, (
            f"{what} should change the score, but changes it by at most {max(gaps):.3g}"
        )
