"""Scores of single stimuli equal their definitions."""

import numpy as np
import pytest

import similitude as sim
from similitude._linalg import _row_products
from similitude.testing._battery import related


def naive_mutual_knn(x: np.ndarray, y: np.ndarray, k: int) -> list[float]:
    def lists(v: np.ndarray) -> np.ndarray:
        distances = ((v[:, None] - v[None]) ** 2).sum(axis=2)
        np.fill_diagonal(distances, np.inf)
        return np.argsort(distances, axis=1)[:, :k]

    pairs = zip(lists(x), lists(y), strict=True)
    return [len(set(a) & set(b)) / k for a, b in pairs]


def test_mutual_knn_per_stimulus_is_the_shared_share_of_each_list() -> None:
    x, y = related(np.random.default_rng(0), 50, 6, 5)
    got = sim.per_stimulus(x, y, "mutual_knn(k=7, metric=euclidean)")
    np.testing.assert_allclose(got, naive_mutual_knn(x, y, 7), rtol=1e-15)


@pytest.mark.parametrize(
    "label",
    [
        *("cka", "cka(estimator=biased)", "cka(form=angular)"),
        "cka(kernel=laplacian(sigma=3))",
        "cka(kernel=polynomial, estimator=biased)",
        *("distance_correlation", "distance_correlation(estimator=biased)"),
    ],
)
@pytest.mark.parametrize("shape", [(30, 6, 5), (20, 35, 40), (25, 40, 3)])
def test_influence_equals_leaving_out_each_stimulus(label: str, shape: tuple) -> None:
    x, y = related(np.random.default_rng(1), *shape)
    measure = sim.find_measure(label)
    without = [
        float(measure(np.delete(x, i, axis=0), np.delete(y, i, axis=0)))
        for i in range(len(x))
    ]
    expected = float(measure(x, y)) - np.asarray(without)
    got = sim.per_stimulus(x, y, measure)
    np.testing.assert_allclose(got, expected, atol=1e-12)


def test_influence_in_single_precision_differs_by_less_than_its_bound() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(6000, 20))
    y = x @ rng.normal(size=(20, 30)) + rng.normal(size=(6000, 30))
    measure = sim.measures.CKA()
    p, q = measure.prepare(x).gram, measure.prepare(y).gram
    assert _row_products._rounding(p, q) < _row_products._MOST_ERROR
    whole = float(measure(x, y))
    scores = measure.per_stimulus(measure.prepare(x), measure.prepare(y))
    exact = _row_products.row_products(p, q)
    single = _row_products._inner_and_rows(p, q, most_error=1e-9)[1]
    assert np.max(np.abs(single - exact)) > 0  # the faster route was taken
    for i in (0, 17, 5999):
        without = float(measure(np.delete(x, i, axis=0), np.delete(y, i, axis=0)))
        np.testing.assert_allclose(scores[i], whole - without, atol=1e-9)


def test_procrustes_residuals_are_rows_after_the_best_rotation() -> None:
    x, y = related(np.random.default_rng(3), 40, 6, 4)
    x, y = (v - v.mean(axis=0) for v in (x, y))
    x, y = (v / np.linalg.norm(v) for v in (x, y))
    u, _, vt = np.linalg.svd(x.T @ np.pad(y, ((0, 0), (0, 2))))
    rest = x @ u @ vt - np.pad(y, ((0, 0), (0, 2)))
    expected = len(x) * np.sum(rest**2, axis=1)
    for form, value in (
        ("squared", expected),
        ("similarity", 1 - expected / 2),
        ("euclidean", np.sqrt(expected)),
        ("angular", np.sqrt(expected)),
    ):
        got = sim.per_stimulus(x, y, sim.measures.Procrustes(form=form))
        np.testing.assert_allclose(got, value, rtol=1e-9)


def test_outputs_have_scores_of_stimuli() -> None:
    p = np.array([[0.5, 0.5], [0.25, 0.75], [0.9, 0.1]])
    q = np.array([[0.25, 0.75], [0.25, 0.75], [0.2, 0.8]])
    expected = np.sum(p * np.log(p / q), axis=1)
    got = sim.per_stimulus(np.log(p), np.log(q), "kl_divergence")
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-16)
    flips = sim.per_stimulus(np.array([0, 1, 0]), np.array([1, 1, 1]), "disagreement")
    np.testing.assert_array_equal(flips, [1, 0, 1])


def test_a_measure_without_scores_of_stimuli_is_refused_with_a_list() -> None:
    x = np.eye(5)
    with pytest.raises(sim.InvalidInput, match=r"rsa has no scores.*pnka"):
        sim.per_stimulus(x, x, "rsa")
    with pytest.raises(sim.InvalidInput, match="kernel=rbf"):
        sim.per_stimulus(x, x, "cka(kernel=rbf)")


def test_a_stimulus_that_outweighs_all_others_is_named() -> None:
    x, y = (v.copy() for v in related(np.random.default_rng(4), 30, 4, 5))
    x[11] *= 1e6
    with pytest.raises(sim.Undefined, match="row 11 outweighs"):
        sim.per_stimulus(x, y, "cka(estimator=biased)")
    with pytest.raises(sim.Undefined, match="y: all 30 rows are equal"):
        sim.per_stimulus(x, np.ones((30, 2)), "mutual_knn(metric=euclidean)")
