"""Measures of values, column by column, equal their formulas."""

import numpy as np
import pytest

import similitude as sim


def pair(noise: float = 0.1, n: int = 50, d: int = 7) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, d)) + rng.normal(size=d)
    return x, x + noise * rng.normal(size=(n, d))


def test_scores_equal_their_formulas() -> None:
    x, y = pair()
    error = np.sqrt(((x - y) ** 2).sum()) / np.sqrt((x**2).sum())
    np.testing.assert_allclose(sim.relative_error(x, y), error, rtol=1e-14)
    np.testing.assert_allclose(sim.sqnr(x, y), -20 * np.log10(error), rtol=1e-14)
    np.testing.assert_allclose(sim.max_deviation(x, y), abs(x - y).max(), rtol=1e-14)
    cosines = [
        a @ b / np.linalg.norm(a) / np.linalg.norm(b) for a, b in zip(x, y, strict=True)
    ]
    np.testing.assert_allclose(sim.row_cosine(x, y), np.mean(cosines), rtol=1e-14)
    measure = sim.measures.RowCosine()
    details = measure.details(*measure.prepare_both(x, y))
    np.testing.assert_allclose(details["smallest"], np.min(cosines), rtol=1e-14)


def test_scores_of_stimuli_give_the_score() -> None:
    x, y = pair()
    errors = sim.per_stimulus(x, y, "relative_error")
    np.testing.assert_allclose(np.sqrt(np.mean(errors**2)), sim.relative_error(x, y))
    ratios = sim.per_stimulus(x, y, "sqnr")
    np.testing.assert_allclose(ratios, -20 * np.log10(errors), rtol=1e-12)
    largest = sim.per_stimulus(x, y, "max_deviation")
    np.testing.assert_allclose(largest, abs(x - y).max(axis=1), rtol=1e-14)
    x[3] = 0.0
    assert np.isfinite(sim.per_stimulus(x, y, "relative_error")).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_equal_arrays_have_the_best_scores(dtype: str) -> None:
    x = pair()[0].astype(dtype)
    assert sim.relative_error(x, x.copy()) == 0
    assert sim.max_deviation(x, x.copy()) == 0
    np.testing.assert_allclose(sim.row_cosine(x, x.copy()), 1, rtol=1e-14)
    np.testing.assert_allclose(sim.sqnr(x, x.copy()), 313.07, atol=0.01)


def test_bits_of_rounding_are_six_decibels_each() -> None:
    x, _ = pair(n=2000)
    x = x / np.abs(x).max()
    steps = [float(sim.sqnr(x, np.round(x * 2**b) / 2**b)) for b in (7, 8, 9, 10)]
    np.testing.assert_allclose(np.diff(steps), 6.02, atol=0.3)


@pytest.mark.parametrize(
    "name", ["relative_error", "sqnr", "row_cosine", "max_deviation"]
)
def test_two_permuted_columns_and_a_rotation_are_noticed(name: str) -> None:
    """All other families ignore the order of units."""
    x, _ = pair()
    swapped = x[:, [1, 0, *range(2, x.shape[1])]]
    rotated = x @ np.linalg.qr(np.random.default_rng(1).normal(size=(7, 7)))[0]
    measure = sim.find_measure(name)
    same = float(measure(x, x.copy()))
    for changed in (swapped, rotated):
        np.testing.assert_allclose(sim.cka(x, rotated), 1)
        assert abs(float(measure(x, changed)) - same) > 0.05


@pytest.mark.parametrize(
    "name", ["relative_error", "sqnr", "row_cosine", "max_deviation"]
)
def test_different_widths_are_undefined(name: str) -> None:
    x, y = pair()
    with pytest.raises(sim.Undefined, match="x has 7 columns and y has 5"):
        sim.find_measure(name)(x, y[:, :5])


def test_zero_references_and_rows_are_undefined() -> None:
    x, y = pair()
    for name in ("relative_error", "sqnr"):
        with pytest.raises(sim.Undefined, match="x is 0 everywhere"):
            sim.find_measure(name)(0 * x, y)
    assert sim.relative_error(x, 0 * x) == 1
    y[4] = 0
    with pytest.raises(sim.Undefined, match="y: row 4"):
        sim.row_cosine(x, y)


@pytest.mark.parametrize("scale", [1e-200, 1e-90, 1e90, 1e150])
def test_extreme_scales(scale: float) -> None:
    x, y = pair()
    for name in ("relative_error", "sqnr"):
        measure = sim.find_measure(name)
        np.testing.assert_allclose(measure(scale * x, scale * y), measure(x, y))
    np.testing.assert_allclose(
        sim.max_deviation(scale * x, scale * y), scale * sim.max_deviation(x, y)
    )
    with pytest.raises(sim.Undefined, match="larger than the largest number"):
        sim.relative_error(1e-300 * x, 1e300 * y)
    np.testing.assert_allclose(sim.relative_error(1e90 * x, 1e-90 * y), 1)


def test_compare_records_pairs_of_different_widths() -> None:
    x, y = pair()
    found = sim.compare({"a": x, "b": y, "c": x[:, :5]}, ["relative_error", "cka"])
    reasons = [row.reason for row in found.errors() if row.measure == "relative_error"]
    assert len(reasons) == 4  # both directions of a-c and b-c
    assert all("column by column" in reason for reason in reasons)
