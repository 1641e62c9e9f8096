"""Kernel measures of rows without class means, against naive centering of blocks."""

import numpy as np
import pytest

import similitude as sim
from similitude import config
from similitude.inputs import without_class_means


def naive_centered(k: np.ndarray, classes: np.ndarray, *, unbiased: bool) -> np.ndarray:
    """Center each block of classes; U-center the blocks on the diagonal."""
    result = np.zeros_like(k)
    for a in np.unique(classes):
        for b in np.unique(classes):
            places = np.ix_(classes == a, classes == b)
            block, m = k[places].copy(), int(np.sum(classes == a))
            if a != b or not unbiased:
                block -= block.mean(axis=0)
                block -= block.mean(axis=1)[:, None]
            else:
                np.fill_diagonal(block, 0)
                sums = block.sum(axis=1)
                block -= (sums[:, None] + sums[None]) / (m - 2)
                block += sums.sum() / ((m - 1) * (m - 2))
                np.fill_diagonal(block, 0)
            result[places] = block
    return result


def data(d: int, n: int = 300) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(d)
    classes = np.arange(n) % 5
    classes[:3] = [3, 0, 0]  # classes of different sizes
    classes = rng.permutation(classes)
    x = rng.normal(size=(n, d)) + 3 * rng.normal(size=(5, d))[classes]
    return x, x @ rng.normal(size=(d, 7)) + rng.normal(size=(n, 7)), classes


def kernel(rows: np.ndarray, name: str) -> np.ndarray:
    if name == "linear":
        return rows @ rows.T
    distances = np.linalg.norm(rows[:, None] - rows[None], axis=2)
    return np.exp(-(distances**2) / 18) if name == "rbf" else distances


@pytest.mark.parametrize("budget", [2**30, 2**21, 2**20])
@pytest.mark.parametrize("d", [4, 350])
@pytest.mark.parametrize(
    ("measure", "name"),
    [
        (sim.measures.CKA(), "linear"),
        (sim.measures.CKA(estimator="biased"), "linear"),
        (sim.measures.CKA(kernel=sim.measures.RBF(sigma=3.0)), "rbf"),
        (sim.measures.DistanceCorrelation(), "distance"),
        (sim.measures.DistanceCorrelation(estimator="biased"), "distance"),
    ],
    ids=lambda value: getattr(value, "label", value),
)
def test_scores_equal_the_naive_centering(
    measure: sim.Measure, name: str, d: int, budget: int
) -> None:
    x, y, classes = data(d)
    unbiased = measure.options["estimator"] == "unbiased"
    rows = [without_class_means(v, classes) for v in (x, y)]
    k, l = (  # noqa: E741
        naive_centered(kernel(v.values, name), classes, unbiased=unbiased) for v in rows
    )
    order = np.arange(len(x))
    for label in range(5):
        members = np.flatnonzero(classes == label)
        order[members] = np.random.default_rng(label).permutation(members)
    norm = np.sqrt(np.sum(k * k) * np.sum(l * l))
    expected = np.sum(k * l) / norm
    with config(memory_budget=budget):
        p, q = (measure.prepare(v) for v in rows)
        np.testing.assert_allclose(float(measure.compare(p, q)), expected, atol=1e-12)
        table = measure.compare_all([p, q])
        np.testing.assert_allclose(float(table[0, 1]), expected, atol=1e-12)
        np.testing.assert_allclose(float(table[0, 0]), 1, atol=1e-12)
        permuted = float(measure.null(p, q, order[None])[0])
    expected = np.sum(k * l[np.ix_(order, order)]) / norm
    np.testing.assert_allclose(permuted, expected, atol=1e-12)


@pytest.mark.parametrize(
    "label",
    ["cka", "cka(kernel=rbf)", "distance_correlation", "pnka(estimator=unbiased)"],
)
def test_unbiased_scores_of_noise_within_many_classes_are_near_zero(label: str) -> None:
    """Counting n rows instead of those left by the class means would give 0.05."""
    measure, scores = sim.find_measure(label), []
    for run in range(40):
        rng = np.random.default_rng(run)
        classes = np.repeat(np.arange(20), 10)
        x, y = rng.normal(size=(2, 200, 100))
        p, q = (measure.prepare(without_class_means(v, classes)) for v in (x, y))
        scores.append(float(measure.compare(p, q)))
    error = np.std(scores) / np.sqrt(len(scores))
    assert abs(np.mean(scores)) < 4 * error
    assert error < 0.003


def test_class_means_are_removed_at_large_offsets() -> None:
    x, _, classes = data(4)
    rows = without_class_means((x + 1e6).astype("float32"), classes)
    assert rows.values.dtype == np.float32
    for label in range(5):
        assert np.abs(rows.values[classes == label].mean(axis=0)).max() < 1e-3


def test_a_class_of_two_rows_is_refused_by_unbiased_scores() -> None:
    x, y, classes = data(4)
    classes = classes.copy()
    classes[:2] = 5
    rows = [without_class_means(v, classes) for v in (x, y)]
    with pytest.raises(sim.Undefined, match="one class has 2"):
        sim.cka(*rows)
    assert np.isfinite(sim.cka(*rows, estimator="biased"))
