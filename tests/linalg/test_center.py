"""Centering and scaling of rows: exact values, limits, and what is refused."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import similitude as sim
from similitude._base import _array
from similitude._base._validate import Points, points, sum_of_squares
from similitude._linalg import _center

RNG = np.random.default_rng(4)


def column(*values: float, dtype: str = "float64") -> Points:
    return points(np.asarray(values, dtype=dtype)[:, None])


@pytest.mark.parametrize("scale", [_center.balanced, _center.balanced_columns])
def test_squares_within_the_limits_are_left_alone(scale: Any) -> None:
    x = points(RNG.normal(size=(5, 2)))
    for square in (1e-18, 1.0, 1e18):
        inside = replace(x, square=square)
        assert scale(inside) is inside
    for square in (0.999e-18, 1.001e18):
        assert scale(replace(x, square=square)).values is not x.values


@pytest.mark.parametrize(
    ("dtype", "value", "exponent"),
    [
        ("float64", 3e-12, -38),  # 3e-12 = 0.82 x 2^-38
        ("float64", 2.0**1023, 1020),
        ("float64", 5e-324, -1020),
        ("float32", 2.0**127, 120),
        ("float32", 1e-45, -120),
    ],
)
def test_balanced_divides_by_a_power_of_two_that_is_finite(
    dtype: str, value: float, exponent: int
) -> None:
    x = replace(column(value, -value / 2, dtype=dtype), unit=4.0)
    found = _center.balanced(x)
    assert found.values.dtype == dtype
    np.testing.assert_array_equal(found.values, np.ldexp(x.values, -exponent))
    assert found.unit == 4.0 * 2.0**exponent
    assert found.square == sum_of_squares(found.values)


def test_balanced_columns_scales_each_column_if_one_is_tiny() -> None:
    x = np.array([[3.0, 0.9e-100, 0.0], [-1.0, 0.5e-100, 0.0]])
    found = _center.balanced_columns(points(x))
    peaks = np.abs(found.values).max(axis=0)
    assert (peaks[:2] >= 0.5).all()
    assert (peaks[:2] < 1).all()
    np.testing.assert_array_equal(found.values[:, 0], x[:, 0] / 4)
    np.testing.assert_array_equal(found.values[:, 2], 0.0)
    assert found.square == sum_of_squares(found.values)
    for smallest in (0.0, 1e-100, 1.1e-100):
        usual = points(np.array([[3.0, smallest], [-1.0, -smallest]]))
        assert _center.balanced_columns(usual) is usual


def test_balanced_columns_keeps_the_factor_finite() -> None:
    x = points(np.array([[3.0, 5e-324, 2.0**1023]] * 2))
    found = _center.balanced_columns(x)
    expected = np.ldexp(x.values, -np.array([2, -1020, 1020]))
    np.testing.assert_array_equal(found.values, expected)


def test_balanced_columns_has_other_limits_without_float64(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Devices without float64 are not at hand, so the dtype is planted."""
    monkeypatch.setattr(_array, "wide_dtype", lambda x: np.float32)
    monkeypatch.setattr(_array, "widen", lambda x: x)
    usual = points(np.array([[1.0, 1.1e-30]] * 2, dtype="float32"))
    assert _center.balanced_columns(usual) is usual
    x = points(np.array([[1.5, 0.9e-30, 1e-45, 2.0**127]] * 2, dtype="float32"))
    found = _center.balanced_columns(x)
    exponents = np.array([1, -99, -120, 120])
    np.testing.assert_array_equal(found.values, np.ldexp(x.values, -exponents))


def test_check_squares_refuses_only_squares_beyond_float64() -> None:
    for fine in (column(1.0, 2.0), column(1e30, 2e30, dtype="float32")):
        assert _center.check_squares(fine, "sigma") is fine
    with pytest.raises(sim.Undefined, match=r"\(sigma\). Divide"):
        _center.check_squares(column(1e200, 1.0), "sigma")


def test_in_unit_multiplies_or_says_that_the_product_overflows() -> None:
    assert float(_center.in_unit(np.float64(3.0), 0.25)) == 0.75
    with pytest.raises(sim.Undefined, match=r"distance is 1e\+300 x 2\^100, which"):
        _center.in_unit(np.float64(1e300), 2.0**100)


def test_centered_with_means_returns_both() -> None:
    x = RNG.normal(size=(7, 3)) + np.array([0.0, 1.0, 50.0])
    rows, means = _center.centered_with_means(points(x))
    np.testing.assert_allclose(means, x.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(rows, x - x.mean(axis=0), atol=1e-13)
    again = _center.centered_again(np.array([[1.0, 5.0], [3.0, 5.0]]))
    np.testing.assert_array_equal(again, [[-1.0, 0.0], [1.0, 0.0]])


def test_means_of_large_offsets_are_removed_in_a_second_pass() -> None:
    x = RNG.normal(size=(1000, 2)) + 1e6
    np.testing.assert_allclose(_center.center(points(x)).mean(axis=0), 0, atol=1e-13)
    np.testing.assert_allclose(
        _center.center_each(points(x)).mean(axis=0), 0, atol=1e-13
    )


def test_center_each_makes_a_second_pass_for_one_column_far_from_zero() -> None:
    """The other column varies so much that `center` makes one pass."""
    far = 1e6 + 1e-3 * RNG.normal(size=1000)
    x = points(np.stack([1e9 * RNG.normal(size=1000), far], axis=1))
    assert abs(_center.center(x)[:, 1].mean()) > 1e-12
    assert abs(_center.center_each(x)[:, 1].mean()) < 1e-17


@pytest.mark.parametrize("value", [0.0, 0.1, -1e8 / 3, 1e200])
def test_constant_rows_are_refused(value: float) -> None:
    with pytest.raises(sim.Undefined, match="all 4 rows are equal up to rounding"):
        _center.center(points(np.full((4, 2), value)))


def test_check_varies_allows_four_rounding_errors() -> None:
    eps, x = np.finfo(float).eps, points(np.array([[2.0, 3.0], [2.0, 3.0]]))
    rows = np.array([[8 * eps, 0.0], [0.0, 12 * eps]])
    with pytest.raises(sim.Undefined, match="all 2 rows"):
        _center.check_varies(x, rows)
    rows[0, 0] += eps
    _center.check_varies(x, rows)


def test_check_noise_compares_the_rounding_with_the_limit() -> None:
    x = replace(column(1.0, 2.0), eps=1e-3)
    _center.check_noise(x, 121.0)  # 121 x 0.001 / sqrt(12) = 0.03493
    with pytest.raises(sim.Undefined, match=r" 0\.001 / .* = 3\.5 % of the answer"):
        _center.check_noise(x, 122.0)
    _center.check_noise(x, 10.0, most=1e-3 * 10.0 / 12**0.5)


@pytest.mark.parametrize("scale", [1.0, 1e200])
def test_check_stored_spread_compares_offset_and_spread(scale: float) -> None:
    x = scale * (1000.0 + np.resize([1.0, -1.0], 50)[:, None])
    rows = x - x.mean(axis=0)
    _center.check_stored_spread(points(x), rows)
    coarse = replace(points(x), eps=2e-4)
    with pytest.raises(sim.Undefined, match=r"the values are 1e\+03 times their"):
        _center.check_stored_spread(coarse, rows)
    fine = replace(points(x), eps=1e-5)
    _center.check_stored_spread(fine, rows)


def test_check_stored_spread_ignores_columns_that_do_not_vary() -> None:
    large = 2.0**52
    x = points(np.array([[1.0, large], [-1.0, 0.0]]))
    rows = np.array([[1.0, 1.0], [-1.0, 0.0]])  # 1 = eps x large: only rounding
    _center.check_stored_spread(x, rows)
    with pytest.raises(sim.Undefined, match="times their spread"):
        _center.check_stored_spread(x, rows * [1.0, 1.001])


def test_spread_that_cannot_be_squared_is_refused() -> None:
    x = np.array([[1e-170], [-1e-170]])
    with pytest.raises(sim.Undefined, match=r"too small to be squared.*1\.4e-170"):
        _center.check_stored_spread(points(x), x)


def test_column_norms_of_any_scale() -> None:
    x = np.array([[3.0, 3e-200, 3e200, 0.0], [4.0, 4e-200, 4e200, 0.0], [0.0] * 4])
    found = _center.column_norms(x)
    np.testing.assert_allclose(found, [5.0, 5e-200, 5e200, 0.0], rtol=1e-14)


def test_center_refuses_a_spread_that_was_stored_too_coarsely() -> None:
    x = points(1000.0 + np.resize([1.0, -1.0], 50)[:, None])
    np.testing.assert_array_equal(np.abs(_center.center(x)), 1.0)
    with pytest.raises(sim.Undefined, match=r"the values are 1e\+03 times their"):
        _center.center(replace(x, eps=2e-4))
