"""Validation of arrays: accepted inputs, rejected inputs, and error messages."""

import array_api_strict
import numpy as np
import pytest
import torch

import similitude as sim
from similitude._base._validate import check_at_least, pair, points

X = np.arange(12.0).reshape(4, 3)


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("float64", "float64"),
        ("float32", "float32"),
        ("float16", "float32"),
        ("int8", "float64"),
        ("uint64", "float64"),
        ("bool", "float64"),
    ],
)
def test_dtype_after_validation(given: str, stored: str) -> None:
    x = points(X.astype(given)).values
    assert x.dtype == stored
    np.testing.assert_array_equal(x, X.astype(given))


def test_bfloat16_becomes_float32() -> None:
    assert points(torch.ones(2, 2, dtype=torch.bfloat16)).values.dtype == torch.float32


def test_validating_points_again_returns_the_same_object() -> None:
    x = points(X)
    assert points(x) is x
    assert (x.n, x.d) == (4, 3)


def test_lists_and_data_frames_are_converted_to_numpy() -> None:
    polars = pytest.importorskip("polars")
    np.testing.assert_array_equal(points(X.tolist()).values, X)
    frame = polars.DataFrame(X)
    np.testing.assert_array_equal(points(frame).values, X)


def test_views_memory_orders_and_read_only_arrays_are_accepted() -> None:
    expected = sim.cka(X, X**2)
    np.testing.assert_allclose(sim.cka(np.asfortranarray(X), X**2), expected)
    np.testing.assert_allclose(sim.cka(np.repeat(X, 2, axis=0)[::2], X**2), expected)
    readonly = X.copy()
    readonly.flags.writeable = False
    np.testing.assert_allclose(sim.cka(readonly, X**2), expected)


def test_finite_values_whose_sum_overflows_are_accepted() -> None:
    x = np.asarray(
        [[1e308, 1.0], [1e308, 2.0], [-1e308, 3.0], [1e308, 5.0], [1.0, 2.0]]
    )
    points(x)
    assert np.isfinite(sim.cka(x, x[::-1]))


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.where(X == 5, np.nan, X), r"x: row 1, column 2 is nan \(1 of 12 values"),
        (np.where(X > 9, np.inf, X), r"x: row 3, column 1 is inf \(2 of 12 values"),
        (X[0], r"x must be 2-d.*got shape \(3,\)"),
        (X[None], r"x must be 2-d.*pool"),
        (X[:0], "x is empty"),
        (X[:, :0], "x is empty"),
        (X.astype(complex), "real numbers; its dtype is complex128"),
        (X.astype(str), "real numbers"),
        (X.astype(np.longdouble), "real numbers"),
        ([[1, 2], [3]], "x cannot be read as a table"),
        (object(), "got object"),
        (np.ma.masked_greater(X, 5), "masked"),
    ],
)
def test_invalid_arrays_are_rejected_with_a_message(x: object, message: str) -> None:
    with pytest.raises(sim.InvalidInput, match=message):
        points(x)


def test_pairs_must_have_equal_rows_and_library_and_be_finite() -> None:
    with pytest.raises(sim.InvalidInput, match="x has 4 rows and y has 3"):
        pair(X, X[:3])
    with pytest.raises(sim.InvalidInput, match="x is a array_api_strict array and y"):
        pair(array_api_strict.asarray(X), torch.asarray(X))
    with pytest.raises(sim.InvalidInput, match="y: row 1"):
        pair(X, np.where(X == 5, np.nan, X))


def test_errors_are_subclasses_of_builtin_exceptions() -> None:
    assert issubclass(sim.InvalidInput, ValueError)
    assert issubclass(sim.Undefined, ArithmeticError)
    assert issubclass(sim.MissingExtra, ImportError)
    for error in (sim.InvalidInput, sim.Undefined, sim.MissingExtra):
        assert issubclass(error, sim.SimilitudeError)
    message = str(sim.MissingExtra("Soft matching", "ot"))
    assert message == "Soft matching needs the extra ot: pip install 'pot>=0.9.4'"


@pytest.mark.parametrize("value", [2**63, 10**400, 10**5000], ids=["63", "400", "5000"])
def test_whole_numbers_that_no_array_can_count_are_refused(value: int) -> None:
    check_at_least("draws", 2**63 - 1, 0)
    with pytest.raises(sim.InvalidInput, match="draws is too large: it must be below"):
        check_at_least("draws", value, 0)
    x = np.random.default_rng(0).normal(size=(2, 20, 3))
    with pytest.raises(sim.InvalidInput, match="permutations is too large"):
        sim.compare({"a": x[0], "b": x[1]}, "procrustes", permutations=value)


@pytest.mark.parametrize(("bits", "dtype"), [("u8", "f8"), ("u4", "f4")])
def test_a_signaling_nan_is_one_error_without_a_warning(bits: str, dtype: str) -> None:
    """Damaged files contain them; any use of one sets the flag of an invalid value."""
    x = np.ones((9, 4), dtype)
    x.view(bits)[6, 1] = np.array(np.inf, dtype).view(bits) + 1
    with pytest.raises(sim.InvalidInput, match="row 6, column 1 is nan"):
        points(x)
