"""Leaving out groups of rows, compared with scores of the remaining rows."""

import numpy as np
import pytest

from similitude import config
from similitude._linalg import _leave_out
from similitude.measures import CKA


def clouds(n: int, widths: tuple[int, ...]) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(n, 3))
    return [z @ rng.normal(size=(3, d)) + rng.normal(size=(n, d)) + 3 for d in widths]


def naive(measure: CKA, xs: list[np.ndarray], sizes: list[int]) -> np.ndarray:
    result = []
    for end, size in zip(np.cumsum(sizes), sizes, strict=True):
        remaining = [np.delete(x, np.s_[end - size : end], axis=0) for x in xs]
        scores = [[float(measure(x, y)) for y in remaining] for x in remaining]
        result.append(scores)
    return np.array(result)


@pytest.mark.parametrize("estimator", ["unbiased", "biased"])
@pytest.mark.parametrize("form", ["similarity", "angular"])
@pytest.mark.parametrize(
    ("n", "widths"),
    [(40, (3, 5, 4)), (40, (60, 90, 75)), (40, (4, 90, 3))],  # rows, Grams, both
)
@pytest.mark.parametrize("sizes", [(10, 10, 10, 10), (1, 30, 2, 7)])
def test_leave_out_equals_scores_of_remaining_rows(
    estimator, form, n, widths, sizes
) -> None:
    measure, xs = CKA(estimator=estimator, form=form), clouds(n, widths)
    got = measure.leave_out([measure.prepare(x) for x in xs], sizes)
    expected, diagonal = naive(measure, xs, list(sizes)), np.eye(3, dtype=bool)
    np.testing.assert_allclose(got[:, ~diagonal], expected[:, ~diagonal], rtol=1e-11)
    # An angle of 0 has half the digits of its cosine.
    tolerance = 1e-7 if form == "angular" else 1e-11
    np.testing.assert_allclose(got[:, diagonal], expected[:, diagonal], atol=tolerance)


@pytest.mark.parametrize("kernel", ["polynomial", "rbf"])
def test_leave_out_of_other_kernels_with_given_bandwidth(kernel: str) -> None:
    measure = CKA(kernel=kernel, sigma=None if kernel == "polynomial" else 4.0)
    xs = clouds(30, (4, 6))
    got = measure.leave_out([measure.prepare(x) for x in xs], (10, 5, 15))
    np.testing.assert_allclose(got, naive(measure, xs, [10, 5, 15]), rtol=1e-10)
    assert not CKA(kernel="rbf").offers("leave_out")  # the median would change


def test_features_grams_and_small_budgets_agree() -> None:
    measure, xs = CKA(), clouds(300, (8, 9, 10))
    sides = [measure.prepare(x).gram for x in xs]
    edges = np.array([0, 100, 150, 300])
    by_features = _leave_out._by_features(sides, edges)
    by_grams = _leave_out._by_grams(sides, edges)
    np.testing.assert_allclose(by_features, by_grams, rtol=1e-10)
    with config(memory_budget=2**20):
        np.testing.assert_allclose(
            _leave_out._by_grams(sides, edges), by_grams, rtol=1e-12
        )


def test_score_is_nan_if_remaining_rows_are_constant_or_too_few() -> None:
    x = np.zeros((12, 3))
    x[:6] = np.random.default_rng(0).normal(size=(6, 3))
    y = np.random.default_rng(1).normal(size=(12, 3))
    ps = [CKA().prepare(v) for v in (x, y)]
    got = CKA().leave_out(ps, (6, 6))  # without the first half, x is constant
    assert np.isnan(got[0, 0, 1])
    assert np.isfinite(got[1]).all()
    assert np.isnan(CKA().leave_out(ps, (9, 3))[0]).all()  # three rows are too few


@pytest.mark.parametrize("estimator", ["unbiased", "biased"])
@pytest.mark.parametrize("widths", [(3, 5), (60, 90)])
@pytest.mark.parametrize("kernel", ["linear", "polynomial"])
@pytest.mark.parametrize("factor", [5.0, 1e2, 1e4])
def test_leaving_out_a_dominant_row_gives_an_accurate_score_or_nan(
    estimator, widths, kernel, factor
) -> None:
    """Rounding errors of the large row must not become the score of the others."""
    xs = clouds(40, widths)
    xs[0][7] *= factor
    measure = CKA(kernel=kernel, estimator=estimator)
    got = measure.leave_out([measure.prepare(x) for x in xs], (10, 10, 10, 10))
    expected = naive(measure, xs, [10] * 4)
    scored = ~np.isnan(got[0, 0])
    assert scored.tolist() == [False, False] or factor < 100 or kernel == "linear"
    np.testing.assert_allclose(got[0, 0, scored], expected[0, 0, scored], rtol=1e-11)


def test_small_remaining_sums_are_accurate_or_nan() -> None:
    """With a narrow kernel, the sums over a few distant rows are tiny."""
    measure, xs = CKA(kernel="rbf", sigma=1.0), clouds(40, (60, 90))
    got = measure.leave_out([measure.prepare(x) for x in xs], (10, 25, 5))[:, 0, 1]
    expected = naive(measure, xs, [10, 25, 5])[:, 0, 1]
    np.testing.assert_allclose(got[2], expected[2], rtol=1e-11)
    assert np.isnan(got[:2]).all()  # below a hundredth of the norm
