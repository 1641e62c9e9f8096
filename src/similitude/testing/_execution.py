"""However a score is computed, it is the same score."""

import itertools
import json
from typing import Any

import numpy as np

from .._seed import as_seed
from ..errors import InvalidInput, Undefined
from ..measures import Measure
from ._battery import convert, draws, fields, mapped, reorder, row_count
from ._libraries import LIBRARIES, installed, library_of
from ._values import defined_draws, gap, prepared, score

CLOSE = 1e-10  # the same mathematics in another order of summation


def called(measure: Measure, x: Any, y: Any) -> Any:
    """The score through the front door."""
    return measure(x, y, rng=0 if measure.claims().stochastic else None)


def agree(got: Any, expected: Any, what: str, tolerance: float = CLOSE) -> None:
    a, b = float(got), float(expected)
    assert gap(a, b) <= tolerance, f"{what}: {a!r} instead of {b!r}"


def check_inputs_kept(measure: Measure) -> None:
    """The arguments are as they were, whatever their library."""
    draw = draws(measure.domain)[0]
    for library in (np, *installed(LIBRARIES)):
        x, y = convert(draw.x, library), convert(draw.y, library)
        called(measure, x, y)
        for mine, original in ((x, draw.x), (y, draw.y)):
            for name, values in fields(mine).items():
                same = np.asarray(values) == fields(original)[name]
                assert np.all(same), (
                    f"{library.__name__}: it changes its input ({name})"
                )


def check_two_steps(measure: Measure) -> None:
    """Calling is preparing both and comparing: bit for bit, and twice the same."""
    for draw in draws(measure.domain):
        p, q = prepared(measure, draw.x), prepared(measure, draw.y)
        steps = float(measure.compare(p, q))
        for attempt in ("calling is not prepare and compare", "two calls differ"):
            agree(called(measure, draw.x, draw.y), steps, attempt, tolerance=0.0)


def check_seed(measure: Measure) -> None:
    """Where a draw is made a seed is asked for, used, and shared by both sides."""
    draw = draws(measure.domain)[0]
    scores = [float(measure(draw.x, draw.y, rng=seed)) for seed in range(5)]
    try:
        alone = float(measure(draw.x, draw.y))
    except InvalidInput:
        assert measure.claims().stochastic, "it asks for rng, but claims not to draw"
        assert len(set(scores)) > 1 or _details_vary(measure), (
            "it asks for rng, but no seed changes the score"
        )
        _check_both_sides_draw_alike(measure)
        return
    for seed, value in enumerate(scores):  # nothing was drawn, so nothing may change
        agree(value, alone, f"rng={seed} changes what needs no rng", tolerance=0.0)


def _details_vary(measure: Measure) -> bool:
    """Whether seeds lead to other choices, though they may not show in the score."""
    draw, told = draws(measure.domain)[0], set()
    for seed in range(5):
        p, q = (measure.prepare(v, as_seed(seed)) for v in (draw.x, draw.y))
        told.add(json.dumps(measure.details(p, q), default=str))
    return len(told) > 1


def _check_both_sides_draw_alike(measure: Measure) -> None:
    """A copy of x that is twice as wide is nearer to x than y is."""
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
    """`compare_all` is `compare` on every pair, for any number of representations."""
    for draw in defined_draws(measure, battery=1):
        ps = [prepared(measure, x) for x in (draw.x, draw.y, draw.z, draw.y)]
        for count in (1, 4):
            together = measure.compare_all(ps[:count])
            assert tuple(together.shape) == (count, count), (
                f"compare_all of {count} gives shape {tuple(together.shape)}"
            )
            for i, p in enumerate(ps[:count]):
                for j, q in enumerate(ps[:count]):
                    # Angles near 0 come from cosines near 1 and lose half the digits.
                    equal = i % 2 == j % 2 == 1 or i == j
                    tolerance = 1e-7 if equal else CLOSE
                    where = f"{draw.name}, pair {i}, {j} of {count}"
                    agree(together[i, j], measure.compare(p, q), where, tolerance)
    draw = draws(measure.domain)[0]
    for library in installed(LIBRARIES):
        ps = [prepared(measure, convert(x, library)) for x in (draw.x, draw.y)]
        name, got = library.__name__, measure.compare_all(ps)
        assert library_of(got) == name, f"compare_all: {name} in, {type(got)} out"
        agree(got[0, 1], measure.compare(*ps), f"compare_all in {name}")


def check_leave_out(measure: Measure) -> None:
    """`leave_out` gives what preparing the remaining rows would.

    Where few rows remain of other shapes than the plain one, it may decline: NaN.
    """
    if not measure.offers("leave_out"):
        return
    for k, draw in enumerate(defined_draws(measure, battery=1)):
        n = row_count(draw.y)
        sizes = (n // 4, n - n // 4 - 1, 1)  # unequal, and one that leaves few rows
        for library in (np, *installed(LIBRARIES)):
            sides = (convert(draw.x, library), convert(draw.y, library))
            got = measure.leave_out([prepared(measure, v) for v in sides], sizes)
            assert np.shape(got) == (3, 2, 2), f"leave_out: shape {np.shape(got)}"
            for g, end in enumerate(np.cumsum(sizes)):
                rest = np.delete(np.arange(n), np.s_[end - sizes[g] : end])
                kept = [reorder(v, rest) for v in (draw.x, draw.y)]
                where = f"{draw.name}, without group {g}, {library.__name__}"
                if k > 0 and g == 1 and np.isnan(got[g]).any():
                    continue
                agree(got[g, 0, 1], score(measure, *kept), where)
                agree(got[g, 1, 0], score(measure, *kept[::-1]), where)


def check_permute(measure: Measure) -> None:
    """`permute` gives what preparing the reordered rows would, and leaves q alone."""
    if not measure.offers("permute"):
        return
    for draw in defined_draws(measure, battery=1):
        order = np.random.default_rng(0).permutation(row_count(draw.y))
        anew = score(measure, draw.x, reorder(draw.y, order))
        for library in (np, *installed(LIBRARIES)):
            x, y = convert(draw.x, library), convert(draw.y, library)
            p, q = prepared(measure, x), prepared(measure, y)
            before = float(measure.compare(p, q))
            where = f"{draw.name}, {library.__name__}"
            agree(measure.compare(p, measure.permute(q, order)), anew, where)
            after = measure.compare(p, q)
            agree(after, before, f"{where}: permute changes q", tolerance=0.0)


def check_null(measure: Measure) -> None:
    """`null` is `permute` and `compare`, order by order."""
    if not measure.offers("permute"):
        assert not measure.offers("null"), "null is offered, and permute is not"
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
    """`null_moments` are those of all 720 orders of six stimuli."""
    if not measure.offers("null_moments"):
        return
    orders = np.asarray(list(itertools.permutations(range(6))))
    for draw in draws(measure.domain):
        few = (reorder(v, np.arange(6)) for v in (draw.x, draw.y))
        try:
            p, q = (prepared(measure, v) for v in few)
        except Undefined:  # it may need more than six
            continue
        scores = np.asarray([float(s) for s in measure.null(p, q, orders)])
        rest = scores - np.mean(scores)
        deviation = np.sqrt(np.mean(rest**2))
        mean, variance, skewness = measure.null_moments(p, q)
        agree(mean, np.mean(scores), f"{draw.name}, mean over all orders")
        agree(variance, deviation**2, f"{draw.name}, variance over all orders")
        expected = np.mean(rest**3) / deviation**3
        agree(skewness, expected, f"{draw.name}, skewness over all orders")


def check_details(measure: Measure) -> None:
    """`details` is a dictionary of JSON values, for every library."""
    draw = draws(measure.domain)[0]
    for library in (np, *installed(LIBRARIES)):
        p, q = (prepared(measure, convert(v, library)) for v in (draw.x, draw.y))
        for key, value in measure.details(p, q).items():
            try:
                json.dumps(value, allow_nan=False)
            except (TypeError, ValueError) as error:
                raise AssertionError(
                    f"details[{key!r}] is not JSON: {error}"
                ) from error


def check_libraries(measure: Measure) -> None:
    """Every array library gives the number that numpy gives, in its own array."""
    for draw in defined_draws(measure, battery=1):
        for x, y in ((draw.x, draw.y), (draw.y, draw.x)):
            expected = called(measure, x, y)
            assert expected.dtype == np.float64, f"numpy in, {expected.dtype} out"
            for library in installed(LIBRARIES):
                got = called(measure, convert(x, library), convert(y, library))
                name = library.__name__
                assert library_of(got) == name, f"{name} in, {type(got)} out"
                assert got.ndim == 0, f"{name}: the score has shape {got.shape}"
                assert got.dtype == library.float64, f"{name}: the score is {got.dtype}"
                agree(got, expected, f"{draw.name}, {name}")


def check_dtypes(measure: Measure) -> None:
    """Half, single and integer inputs give the score of the numbers they hold."""
    if measure.domain == "outputs":
        _check_output_dtypes(measure)
        return
    if measure.domain == "softmax":
        _check_model_dtypes(measure)
        return
    # Steep spectra do not survive in half precision: a shape that has none.
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(50, 3))
    x, y = (shared @ rng.normal(size=(3, d)) + rng.normal(size=(50, d)) for d in (6, 8))
    cases = [(x.astype(t), y.astype(t), 1e-5) for t in ("float16", "float32")]
    cases += [(x.astype("float32"), y, 1e-5), (x, y.astype("float32"), 1e-5)]
    cases += [(np.rint(9 * x).astype("int32"), np.rint(9 * y).astype("int64"), CLOSE)]
    for a, b, tolerance in cases:
        try:
            expected = called(measure, a.astype("float64"), b.astype("float64"))
        except Undefined:  # a bandwidth that is given may be too narrow for integers
            continue
        for library in (np, *installed(("torch",))):
            got = called(measure, library.asarray(a), library.asarray(b))
            where = f"{library.__name__}, {a.dtype} and {b.dtype}"
            assert got.dtype == library.float64, f"{where} in, {got.dtype} out"
            agree(got, expected, where, tolerance)
    for torch in installed(("torch",)):
        a, b = (torch.asarray(v).to(torch.bfloat16) for v in (x, y))
        expected = called(measure, a.double(), b.double())
        agree(called(measure, a, b), expected, "bfloat16", tolerance=1e-5)


def _check_output_dtypes(measure: Measure) -> None:
    draw = draws("outputs")[0]

    def single(v: np.ndarray) -> np.ndarray:
        return v.astype("float32" if v.dtype.kind == "f" else "int32")

    x, y = mapped(draw.x, single), mapped(draw.y, single)
    got = called(measure, x, y)
    assert got.dtype == np.float64, f"float32 in, {got.dtype} out"
    agree(got, called(measure, draw.x, draw.y), "float32 and int32", tolerance=1e-5)


def _check_model_dtypes(measure: Measure) -> None:
    """Embeddings and unembeddings each in their own dtype: the numbers they hold."""
    draw = draws("softmax")[0]

    def model(x: Any, library: Any, dtypes: tuple[str, str], scale: float) -> Any:
        f, g = (
            np.rint(scale * v).astype(t) if "int" in t else v.astype(t)
            for v, t in zip((x.embeddings, x.unembeddings), dtypes, strict=True)
        )
        return type(x)(library.asarray(f), library.asarray(g))

    for dtypes, tolerance in (
        (("float32", "float32"), 1e-5),
        (("float16", "float16"), 1e-5),
        (("float32", "float64"), 1e-5),
        (("float64", "float32"), 1e-5),
        (("int32", "int64"), CLOSE),
    ):
        x, y = (model(v, np, dtypes, 3.0) for v in (draw.x, draw.y))
        wide = [mapped(v, lambda a: a.astype("float64")) for v in (x, y)]
        expected = called(measure, *wide)
        for library in (np, *installed(("torch",))):
            got = called(
                measure, *(model(v, library, dtypes, 3.0) for v in (draw.x, draw.y))
            )
            where = f"{library.__name__}, {dtypes[0]} and {dtypes[1]}"
            assert got.dtype == library.float64, f"{where} in, {got.dtype} out"
            agree(got, expected, where, tolerance)
