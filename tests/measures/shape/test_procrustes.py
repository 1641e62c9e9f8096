"""Procrustes against scipy and against the singular values."""

import numpy as np
import pytest
import scipy

import similitude as sim

RNG = np.random.default_rng(5)
X = RNG.normal(size=(40, 6)) + 1
Y = X @ RNG.normal(size=(6, 6)) + RNG.normal(size=(40, 6))


def naive_nuc(x: np.ndarray, y: np.ndarray) -> float:
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    x, y = x / np.linalg.norm(x), y / np.linalg.norm(y)
    return np.linalg.svd(x.T @ y, compute_uv=False).sum()


@pytest.mark.parametrize("widths", [(6, 6), (2, 6), (6, 2), (60, 6), (60, 70)])
def test_forms_equal_their_definitions(widths: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=(40, d)) + X[:, :1] for d in widths)
    nuc = naive_nuc(x, y)
    expected = {
        "angular": np.arccos(nuc),
        "euclidean": np.sqrt(2 - 2 * nuc),
        "squared": 2 - 2 * nuc,
        "similarity": nuc,
    }
    for form, value in expected.items():
        np.testing.assert_allclose(sim.procrustes(x, y, form=form), value, rtol=1e-9)


def test_disparity_of_scipy_follows_from_the_similarity() -> None:
    disparity = scipy.spatial.procrustes(X, Y)[2]
    nuc = float(sim.procrustes(X, Y, form="similarity"))
    np.testing.assert_allclose(disparity, 1 - nuc**2, rtol=1e-10)


def test_similarity_is_the_bures_similarity_of_grams() -> None:
    x, y = (v - v.mean(axis=0) for v in (X, Y))
    fidelity = np.linalg.norm(matrix_root(x @ x.T) @ matrix_root(y @ y.T), "nuc")
    expected = fidelity / np.sqrt(np.sum(x**2) * np.sum(y**2))
    got = sim.procrustes(X, Y, form="similarity")
    np.testing.assert_allclose(got, expected, rtol=1e-10)


def matrix_root(gram: np.ndarray) -> np.ndarray:
    values, vectors = np.linalg.eigh(gram)
    return vectors * np.sqrt(np.where(values > 1e-10, values, 0)) @ vectors.T


def test_small_procrustes_distances_are_resolved() -> None:
    rotated = X @ np.linalg.qr(RNG.normal(size=(6, 6)))[0] * 5 + 2
    assert sim.procrustes(X, rotated) < 1e-13
    nudge = RNG.normal(size=X.shape)
    near, nearer = (float(sim.procrustes(X, X + h * nudge)) for h in (1e-9, 1e-10))
    np.testing.assert_allclose(near / nearer, 10, rtol=1e-4)


def test_unequal_widths_equal_zero_padding() -> None:
    padded = np.column_stack([X[:, :2], np.zeros((40, 4))])
    narrow = sim.procrustes(X[:, :2], Y)
    np.testing.assert_allclose(narrow, sim.procrustes(padded, Y), rtol=1e-12)


@pytest.mark.parametrize("widths", [(6, 6), (2, 6), (6, 2)])
@pytest.mark.parametrize("form", ["angular", "euclidean", "squared", "similarity"])
def test_null_scores_equal_those_of_permuted_rows(form, widths) -> None:
    measure = sim.measures.Procrustes(form=form)
    x, y = X[:, : widths[0]], Y[:, : widths[1]]
    orders = np.array([RNG.permutation(40) for _ in range(5)])
    expected = [float(measure(x, y[order])) for order in orders]
    got = measure.null(measure.prepare(x), measure.prepare(y), orders)
    np.testing.assert_allclose(got, expected, rtol=1e-13)


def test_null_score_of_the_same_rows_is_resolved() -> None:
    """Rows that are close are subtracted, even if orders are scored together."""
    orders = np.stack([np.arange(40), RNG.permutation(40)])
    measure, copy = sim.measures.Procrustes(), X * (1 + 1e-9)
    got = measure.null(measure.prepare(X), measure.prepare(copy), orders)
    assert got[0] < 1e-12 < got[1]


def test_cross_validated_similarity_equals_rotations_of_scipy() -> None:
    dot = xx = yy = 0.0
    for fold in range(4):
        test = np.arange(40) % 4 == fold
        x, y = X - X[~test].mean(axis=0), Y - Y[~test].mean(axis=0)
        rotation = scipy.linalg.orthogonal_procrustes(x[~test], y[~test])[0]
        dot += np.sum(x[test] @ rotation * y[test])
        xx, yy = xx + np.sum(x[test] ** 2), yy + np.sum(y[test] ** 2)
    options = {"form": "similarity", "cross_validated": True, "folds": 4}
    got = sim.procrustes(X, Y, **options)
    np.testing.assert_allclose(got, dot / np.sqrt(xx * yy), rtol=1e-10)


def test_cross_validation_removes_the_bias_of_wide_noise() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 50, 500))
    assert sim.procrustes(x, y, form="similarity") > 0.95
    assert abs(sim.procrustes(x, y, form="similarity", cross_validated=True)) < 0.1
    with pytest.raises(sim.Undefined, match="folds"):
        sim.procrustes(x[:6], y[:6], cross_validated=True)


def test_procrustes_of_wide_noise_is_high_unless_cross_validated() -> None:
    """n = 50, d = 500: nuc is 0.974 between two unrelated representations."""
    x, y = np.random.default_rng(0).normal(size=(2, 50, 500))
    nuc = float(sim.procrustes(x, y, form="similarity"))
    np.testing.assert_allclose(nuc, 0.974, atol=2e-3)
    assert "d / n" in sim.measures.Procrustes().claims().chance
    assert abs(sim.procrustes(x, y, form="similarity", cross_validated=True)) < 0.1


def test_all_forms_follow_from_the_nuclear_norm() -> None:
    """All forms, and size-and-shape of normalized rows, follow from one number."""
    nuc = naive_nuc(X, Y)
    a, b = (v - v.mean(axis=0) for v in (X, Y))
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    euclidean = sim.procrustes(X, Y, form="euclidean")
    np.testing.assert_allclose(sim.size_and_shape(a, b), euclidean, rtol=1e-10)
    np.testing.assert_allclose(1 - float(euclidean) ** 2 / 2, nuc, rtol=1e-10)
    np.testing.assert_allclose(np.cos(sim.procrustes(X, Y)), nuc, rtol=1e-10)
