"""Leaving out groups of rows, compared with scores of the remaining rows."""

from collections.abc import Sequence

import numpy as np
import pytest

from similitude import config
from similitude._linalg import _leave_out
from similitude.measures import CKA, RBF, Linear, Polynomial


def clouds(n: int, widths: tuple[int, ...]) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(n, 3))
    return [z @ rng.normal(size=(3, d)) + rng.normal(size=(n, d)) + 3 for d in widths]


def groups_of(sizes: Sequence[int]) -> list[np.ndarray]:
    """Groups of rows, in a random order."""
    order = np.random.default_rng(1).permutation(sum(sizes))
    return np.split(order, np.cumsum(sizes)[:-1])


def one_each(groups: list[np.ndarray]) -> np.ndarray:
    """Each result leaves out one group."""
    return 1.0 - np.eye(len(groups))


def naive(measure: CKA, xs: list[np.ndarray], groups: list[np.ndarray]) -> np.ndarray:
    result = []
    for group in groups:
        remaining = [np.delete(x, group, axis=0) for x in xs]
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
    groups = groups_of(sizes)
    got = measure.leave_out([measure.prepare(x) for x in xs], groups, one_each(groups))
    expected, diagonal = naive(measure, xs, groups), np.eye(3, dtype=bool)
    np.testing.assert_allclose(got[:, ~diagonal], expected[:, ~diagonal], rtol=1e-11)
    # An angle of 0 has half the digits of its cosine.
    tolerance = 1e-7 if form == "angular" else 1e-11
    np.testing.assert_allclose(got[:, diagonal], expected[:, diagonal], atol=tolerance)


@pytest.mark.parametrize("estimator", ["unbiased", "biased"])
@pytest.mark.parametrize("widths", [(3, 5, 4), (60, 90, 75)])  # rows, Grams
def test_leave_out_of_several_groups_at_once(estimator, widths) -> None:
    measure, xs, sizes = CKA(estimator=estimator), clouds(40, widths), (4, 9, 20, 7)
    kept = np.array([[0, 0, 1, 1], [1, 0, 1, 0], [1, 1, 1, 1], [0, 1, 0, 1]], float)
    ps, groups = [measure.prepare(x) for x in xs], groups_of(sizes)
    got = measure.leave_out(ps, groups, kept)
    for table, row in zip(got, kept, strict=True):
        rows = np.concatenate([groups[g] for g in np.flatnonzero(row)])
        remaining = [x[rows] for x in xs]
        expected = [[float(measure(x, y)) for y in remaining] for x in remaining]
        np.testing.assert_allclose(table, expected, rtol=1e-11)
    # Other groups of the same prepared representations are not mixed up.
    groups = groups_of((10, 10, 10, 10))
    again = measure.leave_out(ps, groups, one_each(groups))
    np.testing.assert_allclose(again, naive(measure, xs, groups), rtol=1e-11)


@pytest.mark.parametrize("kernel", [Polynomial(), RBF(sigma=4.0)])
def test_leave_out_of_other_kernels_with_given_bandwidth(kernel) -> None:
    measure = CKA(kernel=kernel)
    xs, groups = clouds(30, (4, 6)), groups_of((10, 5, 15))
    got = measure.leave_out([measure.prepare(x) for x in xs], groups, one_each(groups))
    np.testing.assert_allclose(got, naive(measure, xs, groups), rtol=1e-10)
    assert not CKA(kernel=RBF()).offers("leave_out")  # the median would change


def test_features_grams_and_small_budgets_agree() -> None:
    measure, xs = CKA(), clouds(300, (8, 9, 10))
    sides = [measure.prepare(x).gram for x in xs]
    groups, kept = groups_of((100, 50, 150)), np.array([[0, 1, 1], [1.0, 0, 0]])
    by_features = _leave_out._by_features(sides, groups, kept)
    by_grams = _leave_out._by_grams(sides, groups, kept)
    np.testing.assert_allclose(by_features, by_grams, rtol=1e-10)
    with config(memory_budget=2**20):
        np.testing.assert_allclose(
            _leave_out._by_grams(sides, groups, kept), by_grams, rtol=1e-12
        )


def test_score_is_nan_if_remaining_rows_are_constant_or_too_few() -> None:
    x = np.zeros((12, 3))
    x[:6] = np.random.default_rng(0).normal(size=(6, 3))
    y = np.random.default_rng(1).normal(size=(12, 3))
    ps = [CKA().prepare(v) for v in (x, y)]
    # Without the first half, x is constant.
    got = CKA().leave_out(ps, np.split(np.arange(12), 2), 1 - np.eye(2))
    assert np.isnan(got[0, 0, 1])
    assert np.isfinite(got[1]).all()
    few = CKA().leave_out(ps, np.split(np.arange(12), [9]), 1 - np.eye(2))
    assert np.isnan(few[0]).all()  # three rows are too few


@pytest.mark.parametrize("estimator", ["unbiased", "biased"])
@pytest.mark.parametrize("widths", [(3, 5), (60, 90)])
@pytest.mark.parametrize("kernel", [Linear(), Polynomial()])
@pytest.mark.parametrize("factor", [5.0, 1e2, 1e4])
def test_leaving_out_a_dominant_row_gives_an_accurate_score_or_nan(
    estimator, widths, kernel, factor
) -> None:
    """Rounding errors of the large row must not become the score of the others."""
    xs = clouds(40, widths)
    xs[0][7] *= factor
    measure = CKA(kernel=kernel, estimator=estimator)
    groups = np.split(np.arange(40), 4)
    got = measure.leave_out([measure.prepare(x) for x in xs], groups, one_each(groups))
    expected = naive(measure, xs, groups)
    scored = ~np.isnan(got[0, 0])
    assert scored.tolist() == [False, False] or factor < 100 or kernel == Linear()
    np.testing.assert_allclose(got[0, 0, scored], expected[0, 0, scored], rtol=1e-11)


def test_small_remaining_sums_are_accurate_or_nan() -> None:
    """With a narrow kernel, the sums over a few distant rows are tiny."""
    measure, xs = CKA(kernel=RBF(sigma=1.0)), clouds(40, (60, 90))
    groups = np.split(np.arange(40), [10, 35])
    got = measure.leave_out([measure.prepare(x) for x in xs], groups, one_each(groups))[
        :, 0, 1
    ]
    expected = naive(measure, xs, groups)[:, 0, 1]
    np.testing.assert_allclose(got[2], expected[2], rtol=1e-11)
    assert np.isnan(got[:2]).all()  # below a hundredth of the norm
