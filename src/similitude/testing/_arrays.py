"""Checks of inputs and outputs: libraries, dtypes, unchanged inputs, details."""

import json
from typing import Any

import numpy as np

from ..errors import Undefined
from ..measures import Measure
from ._agreement import CLOSE, agree
from ._battery import comparable, convert, draws, draws_for, fields, mapped
from ._libraries import LIBRARIES, installed, library_of
from ._values import called, defined_draws, prepared


def check_inputs_kept(measure: Measure) -> None:
    """A call does not change its arguments, in any library."""
    draw = draws_for(measure)[0]
    for library in (np, *installed(LIBRARIES)):
        x, y = convert(draw.x, library), convert(draw.y, library)
        called(measure, x, y)
        for used, original in ((x, draw.x), (y, draw.y)):
            for name, values in fields(used).items():
                same = np.asarray(values) == fields(original)[name]
                assert np.all(same), (
                    f"{library.__name__}: the call changes its input ({name})"
                )


def check_details(measure: Measure) -> None:
    """`details` returns JSON values, for every library."""
    draw = draws_for(measure)[0]
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
    """Every array library gives the score of numpy, as its own array type."""
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
    """Half, single and integer inputs give the score of their values in float64."""
    if measure.domain == "outputs":
        _check_output_dtypes(measure)
        return
    if measure.domain == "softmax":
        _check_model_dtypes(measure)
        return
    # Half precision loses steep spectra, so this data has a flat spectrum.
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(50, 3))
    x, y = (shared @ rng.normal(size=(3, d)) + rng.normal(size=(50, d)) for d in (6, 8))
    x, y = comparable(measure, x, y)
    cases = [(x.astype(t), y.astype(t), 1e-5) for t in ("float16", "float32")]
    cases += [(x.astype("float32"), y, 1e-5), (x, y.astype("float32"), 1e-5)]
    cases += [(np.rint(9 * x).astype("int32"), np.rint(9 * y).astype("int64"), CLOSE)]
    for a, b, tolerance in cases:
        try:
            expected = called(measure, a.astype("float64"), b.astype("float64"))
        except Undefined:  # a fixed bandwidth may be too narrow for integers
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
    """Embeddings and unembeddings may have different dtypes."""
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
