"""Checks that all execution paths give the same score: steps, tables, permutations."""

import itertools
import json

import numpy as np

from .._base._seed import as_seed
from ..errors import InvalidInput, Undefined
from ..measures import Measure
from ._agreement import CLOSE, agree
from ._battery import convert, draws, draws_for, reorder, row_count
from ._libraries import LIBRARIES, installed, library_of
from ._values import called, defined_draws, prepared, score


def check_two_steps(measure: Measure) -> None:
    """A call equals `prepare` and `compare` to the last bit, and is repeatable."""
    for draw in draws_for(measure):
        p, q = prepared(measure, draw.x), prepared(measure, draw.y)
        steps = float(measure.compare(p, q))
        for problem in ("a call differs from prepare and compare", "two calls differ"):
            agree(called(measure, draw.x, draw.y), steps, problem, tolerance=0.0)


def check_seed(measure: Measure) -> None:
    """A stochastic measure requires a seed, uses it, and shares it on both sides."""
    draw = draws_for(measure)[0]
    scores = [float(measure(draw.x, draw.y, rng=seed)) for seed in range(5)]
    try:
        without_seed = float(measure(draw.x, draw.y))
    except InvalidInput:
        assert measure.claims().stochastic, (
            "it requires rng, but does not claim to be stochastic"
        )
        assert len(set(scores)) > 1 or _details_vary(measure), (
            "it requires rng, but no seed changes the score"
        )
        _check_both_sides_draw_the_same(measure)
        return
    for seed, value in enumerate(scores):
        problem = f"rng={seed} changes a score that needs no rng"
        agree(value, without_seed, problem, tolerance=0.0)


def _details_vary(measure: Measure) -> bool:
    """Whether different seeds give different details, even with equal scores."""
    draw, texts = draws_for(measure)[0], set()
    for seed in range(5):
        p, q = (measure.prepare(v, as_seed(seed)) for v in (draw.x, draw.y))
        texts.add(json.dumps(measure.details(p, q), default=str))
    return len(texts) > 1


def _check_both_sides_draw_the_same(measure: Measure) -> None:
    """Two copies of x side by side are nearer to x than y is."""
    if measure.domain != "points":
        return
    for draw in draws("points"):
        copy = score(measure, draw.x, np.hstack([draw.x, draw.x]))
        other = score(measure, draw.x, draw.y)
        nearer = (
            copy >= other if measure.claims().kind == "similarity" else copy <= other
        )
        assert nearer, f"{draw.name}: x and y seem to draw different rows"


def check_all_pairs(measure: Measure) -> None:
    """`compare_all` equals `compare` of each pair, for 1 and 4 representations."""
    for draw in defined_draws(measure, battery=1):
        ps = [prepared(measure, x) for x in (draw.x, draw.y, draw.z, draw.y)]
        for count in (1, 4):
            together = measure.compare_all(ps[:count])
            assert tuple(together.shape) == (count, count), (
                f"compare_all of {count} gives shape {tuple(together.shape)}"
            )
            for i, p in enumerate(ps[:count]):
                for j, q in enumerate(ps[:count]):
                    # Angles near 0 come from cosines near 1 and lose half their digits.
                    equal = i % 2 == j % 2 == 1 or i == j
                    tolerance = 1e-7 if equal else CLOSE
                    where = f"{draw.name}, pair {i}, {j} of {count}"
                    agree(together[i, j], measure.compare(p, q), where, tolerance)
    draw = draws_for(measure)[0]
    for library in installed(LIBRARIES):
        ps = [prepared(measure, convert(x, library)) for x in (draw.x, draw.y)]
        name, got = library.__name__, measure.compare_all(ps)
        assert library_of(got) == name, f"compare_all: {name} in, {type(got)} out"
        agree(got[0, 1], measure.compare(*ps), f"compare_all in {name}")


def check_leave_out(measure: Measure) -> None:
    """`leave_out` equals preparing the remaining rows.

    It may return NaN if few rows remain, except on the first draw.
    """
    if not measure.offers("leave_out"):
        return
    for k, draw in enumerate(defined_draws(measure, battery=1)):
        n = row_count(draw.y)
        # Not in the order of rows, and unequal; one leaves few rows.
        a, b = np.arange(n // 4)[::-1], np.arange(n // 4, n)[::-1]
        groups = [a, b[:-1], b[-1:]]
        for library in (np, *installed(LIBRARIES)):
            sides = (convert(draw.x, library), convert(draw.y, library))
            got = measure.leave_out(
                [prepared(measure, v) for v in sides], groups, 1 - np.eye(3)
            )
            assert np.shape(got) == (3, 2, 2), f"leave_out: shape {np.shape(got)}"
            for g, group in enumerate(groups):
                rest = np.delete(np.arange(n), group)
                kept = [reorder(v, rest) for v in (draw.x, draw.y)]
                where = f"{draw.name}, without group {g}, {library.__name__}"
                if k > 0 and g == 1 and np.isnan(got[g]).any():
                    continue
                agree(got[g, 0, 1], score(measure, *kept), where)
                agree(got[g, 1, 0], score(measure, *kept[::-1]), where)


def check_permute(measure: Measure) -> None:
    """`permute` equals preparing the reordered rows, and does not change q."""
    if not measure.offers("permute"):
        return
    for draw in defined_draws(measure, battery=1):
        order = np.random.default_rng(0).permutation(row_count(draw.y))
        expected = score(measure, draw.x, reorder(draw.y, order))
        for library in (np, *installed(LIBRARIES)):
            x, y = convert(draw.x, library), convert(draw.y, library)
            p, q = prepared(measure, x), prepared(measure, y)
            before = float(measure.compare(p, q))
            where = f"{draw.name}, {library.__name__}"
            agree(measure.compare(p, measure.permute(q, order)), expected, where)
            after = measure.compare(p, q)
            agree(after, before, f"{where}: permute changes q", tolerance=0.0)


def check_null(measure: Measure) -> None:
    """`null` equals `permute` and `compare` for each order."""
    if not measure.offers("permute"):
        assert not measure.offers("null"), "it offers null, but not permute"
        return
    for draw in defined_draws(measure, battery=1):
        n = row_count(draw.y)
        orders = np.stack([np.random.default_rng(i).permutation(n) for i in range(3)])
        for library in (np, *installed(LIBRARIES)):
            p, q = (prepared(measure, convert(v, library)) for v in (draw.x, draw.y))
            scores, where = measure.null(p, q, orders), f"{draw.name}, null"
            assert library_of(scores) == library.__name__, f"{where}: {type(scores)}"
            assert tuple(scores.shape) == (3,), f"{where}: shape {scores.shape}"
            for i, order in enumerate(orders):
                expected = measure.compare(p, measure.permute(q, order))
                agree(scores[i], expected, f"{where}, {library.__name__}")


def check_null_moments(measure: Measure) -> None:
    """`null_moments` equals the moments over all 720 orders of six stimuli."""
    if not measure.offers("null_moments"):
        return
    orders = np.asarray(list(itertools.permutations(range(6))))
    for draw in draws_for(measure):
        few = (reorder(v, np.arange(6)) for v in (draw.x, draw.y))
        try:
            p, q = (prepared(measure, v) for v in few)
        except Undefined:  # it may need more than six rows
            continue
        scores = np.asarray([float(s) for s in measure.null(p, q, orders)])
        rest = scores - np.mean(scores)
        deviation = np.sqrt(np.mean(rest**2))
        mean, variance, skewness = measure.null_moments(p, q)
        agree(mean, np.mean(scores), f"{draw.name}, mean over all orders")
        agree(variance, deviation**2, f"{draw.name}, variance over all orders")
        expected = np.mean(rest**3) / deviation**3
        agree(skewness, expected, f"{draw.name}, skewness over all orders")
