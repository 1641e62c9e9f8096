"""However a score is computed, it is the same score."""

import importlib
import importlib.util
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _array
from ..errors import InvalidInput
from ..measures import Measure
from ._battery import convert, draws, reorder, row_count
from ._values import gap, prepared, score

CLOSE = 1e-10  # the same mathematics in another order of summation
LIBRARIES = ("torch", "array_api_strict")


def check_two_steps(measure: Measure) -> None:
    """Calling is preparing both and comparing: bit for bit, and twice the same."""
    for draw in draws(measure.domain):
        p, q = prepared(measure, draw.x), prepared(measure, draw.y)
        rng = 0 if measure.claims().stochastic else None
        for _ in range(2):
            called = float(measure(draw.x, draw.y, rng=rng))
            np.testing.assert_array_equal(float(measure.compare(p, q)), called)


def check_seed(measure: Measure) -> None:
    """A draw asks for `rng`, and nothing else does."""
    draw = draws(measure.domain)[0]
    if not measure.claims().stochastic:
        a, b = float(measure(draw.x, draw.y)), float(measure(draw.x, draw.y, rng=1))
        np.testing.assert_array_equal(a, b)
        return
    try:
        measure(draw.x, draw.y)
    except InvalidInput:
        return
    raise AssertionError("stochastic, but it does not ask for rng")


def check_inputs_kept(measure: Measure) -> None:
    """The arguments are as they were."""
    draw = draws(measure.domain)[0]
    order = np.arange(row_count(draw.x))
    x, y = reorder(draw.x, order), reorder(draw.y, order)  # copies
    score(measure, x, y)
    for mine, original in ((x, draw.x), (y, draw.y)):
        if measure.domain == "points":
            np.testing.assert_array_equal(mine, original)
        else:
            np.testing.assert_array_equal(mine.labels, original.labels)


def check_all_pairs(measure: Measure) -> None:
    """`compare_all` is `compare` on every pair."""
    for draw in draws(measure.domain):
        ps = [prepared(measure, x) for x in (draw.x, draw.y, draw.z)]
        together = measure.compare_all(ps)
        assert together.shape == (3, 3), f"compare_all of 3 gives {together.shape}"
        one_by_one = [[float(measure.compare(p, q)) for q in ps] for p in ps]
        # Angles near 0 come from cosines near 1 and lose half of the digits.
        np.testing.assert_allclose(together, one_by_one, rtol=CLOSE, atol=1e-7)
        off = ~np.eye(3, dtype=bool)
        np.testing.assert_allclose(
            together[off], np.asarray(one_by_one)[off], rtol=CLOSE, atol=CLOSE
        )


def check_permute(measure: Measure) -> None:
    """`permute` gives what preparing the reordered rows would."""
    if not measure.offers("permute"):
        return
    for i, draw in enumerate(draws(measure.domain)):
        order = np.random.default_rng(i).permutation(row_count(draw.y))
        p, q = prepared(measure, draw.x), prepared(measure, draw.y)
        reused = float(measure.compare(p, measure.permute(q, order)))
        anew = measure.compare(p, prepared(measure, reorder(draw.y, order)))
        np.testing.assert_allclose(reused, float(anew), rtol=CLOSE, atol=CLOSE)
        for library in installed(LIBRARIES) if i == 0 else ():
            p, q = (prepared(measure, convert(v, library)) for v in (draw.x, draw.y))
            got = float(measure.compare(p, measure.permute(q, order)))
            np.testing.assert_allclose(got, reused, rtol=CLOSE, atol=CLOSE)


def check_details(measure: Measure) -> None:
    """`details` is a dictionary of JSON values."""
    import json

    draw = draws(measure.domain)[0]
    found = measure.details(prepared(measure, draw.x), prepared(measure, draw.y))
    assert json.loads(json.dumps(found)) == found, f"details are not JSON: {found}"


def check_libraries(measure: Measure) -> None:
    """Every array library gives the number that numpy gives, in its own array."""
    rng = 0 if measure.claims().stochastic else None
    for draw in draws(measure.domain)[:2]:
        expected = measure(draw.x, draw.y, rng=rng)
        assert expected.dtype == np.float64, f"numpy in, {expected.dtype} out"
        for library in installed(LIBRARIES):
            x, y = convert(draw.x, library), convert(draw.y, library)
            got = measure(x, y, rng=rng)
            name = library.__name__
            assert _array.library(got) == name, f"{name} in, {type(got)} out"
            assert got.ndim == 0, f"{name}: the score has shape {got.shape}"
            assert got.dtype == library.float64, f"{name}: the score is {got.dtype}"
            np.testing.assert_allclose(
                float(got), float(expected), rtol=CLOSE, atol=CLOSE, err_msg=name
            )


def check_gradients(measure: Measure) -> None:
    """Autograd agrees with finite differences, or there is no gradient at all."""
    if measure.domain != "points":
        return
    rng = 0 if measure.claims().stochastic else None
    for torch in installed(("torch",)):
        for i, draw in enumerate(draws("points")[:2]):
            for side in (0, 1):
                pair = [torch.asarray(draw.x), torch.asarray(draw.y)]
                pair[side] = pair[side].clone().requires_grad_(True)  # noqa: FBT003
                got = measure(pair[0], pair[1], rng=rng)
                if not measure.claims().differentiable:
                    assert not got.requires_grad, (
                        "claims no gradient, but one flows: it may be half of the truth"
                    )
                    continue
                assert got.requires_grad, "claims a gradient, but none flows"
                got.backward()
                along = np.random.default_rng(i).normal(size=pair[side].shape)
                along *= 1e-3  # stays inside the smallest directions of the battery
                slope = float(np.sum(pair[side].grad.numpy() * along))
                expected = _finite_difference(measure, (draw.x, draw.y), side, along)
                np.testing.assert_allclose(slope, expected, rtol=1e-4, atol=1e-8)


def _finite_difference(
    measure: Measure, pair: tuple[Any, Any], side: int, along: np.ndarray
) -> float:
    """Central difference of fourth order."""

    def at(step: float) -> float:
        moved = list(pair)
        moved[side] = moved[side] + step * along
        return score(measure, *moved)

    h = 1e-3
    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)


def check_dtypes(measure: Measure) -> None:
    """Half, single and integer inputs give the score of the numbers they hold."""
    if measure.domain != "points":
        return
    draw = draws("points")[0]
    # Steep spectra do not survive in half precision: leave the directions that do.
    x, y = draw.x - draw.x.mean(axis=0), draw.y - draw.y.mean(axis=0)
    x, y = x + 0.3 * np.roll(x, 1, axis=1), y + 0.3 * np.roll(y, 1, axis=1)
    noise = np.random.default_rng(0)
    x, y = x + 0.3 * noise.normal(size=x.shape), y + 0.3 * noise.normal(size=y.shape)
    cases = [
        (x.astype(dtype), y.astype(dtype), 1e-5) for dtype in ("float16", "float32")
    ]
    cases.append(
        (np.rint(9 * x).astype("int32"), np.rint(9 * y).astype("int64"), CLOSE)
    )
    for a, b, tolerance in cases:
        expected = score(measure, a.astype("float64"), b.astype("float64"))
        rng = 0 if measure.claims().stochastic else None
        got = measure(a, b, rng=rng)
        assert got.dtype == np.float64, f"{a.dtype} in, {got.dtype} out"
        assert gap(float(got), expected) <= tolerance, (
            f"{a.dtype}: {float(got)!r} instead of {expected!r}"
        )
    for torch in installed(("torch",)):
        a, b = (torch.asarray(v).to(torch.bfloat16) for v in (x, y))
        expected = score(measure, a.double(), b.double())
        assert gap(score(measure, a, b), expected) <= 1e-5, "bfloat16 differs"


def installed(names: tuple[str, ...]) -> Iterator[Any]:
    """Those of the named modules that can be imported here."""
    for name in names:
        if importlib.util.find_spec(name) is not None:
            yield importlib.import_module(name)
