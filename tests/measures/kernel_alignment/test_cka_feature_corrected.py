"""CKA of a population of units, from a sample of them."""

import itertools

import numpy as np
import pytest

import similitude as sim
from measures.kernel_alignment.naive_hsic import naive_hsic_1
from similitude.measures.kernel_alignment import _cka_feature_corrected as module


def population(n: int, d: int, seed: int, noise: float = 1.5) -> np.ndarray:
    """Units that share four latent variables; each unit has independent noise."""
    rng = np.random.default_rng(3)
    latent = rng.normal(size=(n, 4))
    rng = np.random.default_rng(seed)
    return latent @ rng.normal(size=(4, d)) + noise * rng.normal(size=(n, d))


def columns(x: np.ndarray) -> list[np.ndarray]:
    return [np.outer(c, c) for c in x.T]


def terms(x: np.ndarray, y: np.ndarray) -> list[float]:
    """Numerator and both sums of the denominator, by pairs of columns."""
    a, b = columns(x), columns(y)
    between = [np.mean([naive_hsic_1(k, l) for k in a for l in b])]  # noqa: E741
    for side in (a, b):
        pairs = itertools.permutations(side, 2)
        between.append(np.mean([naive_hsic_1(k, l) for k, l in pairs]))  # noqa: E741
    return between


@pytest.mark.parametrize("widths", [(4, 6), (5, 40)])
def test_corrected_cka_equals_its_definition(widths: tuple[int, int]) -> None:
    x, y = (population(30, d, i, noise=0.3) for i, d in enumerate(widths))
    top, left, right = terms(x, y)
    got = sim.cka_feature_corrected(x, y)
    np.testing.assert_allclose(got, top / np.sqrt(left * right), rtol=1e-9)


def terms_of_the_measure(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The same three terms, computed by the measure."""
    measure = sim.measures.CKAFeatureCorrected()
    p, q = measure.prepare(x), measure.prepare(y)
    n, d = len(x), (x.shape[1], y.shape[1])
    top = measure.compare(p, q) * p.norm * q.norm / (d[0] * d[1])
    sides = [v.norm**2 / w**2 for v, w in ((p, d[0]), (q, d[1]))]
    return np.asarray([top, *sides]) / (n * (n - 3))


def test_corrected_cka_is_unbiased_under_sampling_of_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The mean over all samples of three of six columns is the value of the six."""
    monkeypatch.setattr(module, "_check_dependent", lambda between, own, n: None)
    rng = np.random.default_rng(0)
    one = rng.normal(size=(12, 1))  # all columns are near it: no sum is below 0
    x, y = (one + 0.1 * rng.normal(size=(12, 6)) for _ in range(2))
    whole = terms_of_the_measure(x, y)
    chosen = [list(c) for c in itertools.combinations(range(6), 3)]
    samples = [
        terms_of_the_measure(x[:, c], y[:, e])
        for c, e in itertools.product(chosen, chosen)
    ]
    np.testing.assert_allclose(np.mean(samples, axis=0), whole, rtol=1e-10)
    # and over all samples of seven of the twelve rows
    rows = [list(r) for r in itertools.combinations(range(12), 7)]
    samples = [terms_of_the_measure(x[r], y[r]) for r in rows]
    np.testing.assert_allclose(np.mean(samples, axis=0), whole, rtol=1e-10)


def test_cka_falls_with_few_columns_and_corrected_cka_does_not() -> None:
    """Unbiased CKA is lower with fewer columns; corrected CKA is not."""
    x, y = population(60, 1500, 0), population(60, 1500, 1)
    truth = float(sim.cka_feature_corrected(x, y))
    np.testing.assert_allclose(sim.cka(x, y), truth, rtol=0.02)  # with all columns
    rng = np.random.default_rng(0)
    plain, corrected = [], []
    for _ in range(150):
        a, b = (v[:, rng.choice(1500, 40, replace=False)] for v in (x, y))
        plain.append(float(sim.cka(a, b)))
        corrected.append(float(sim.cka_feature_corrected(a, b)))
    assert np.mean(plain) < 0.85 * truth
    np.testing.assert_allclose(np.mean(corrected), truth, rtol=0.03)


def test_corrected_cka_of_independent_noise_is_undefined() -> None:
    rng = np.random.default_rng(0)
    y = population(50, 5, 0)
    messages = []
    for _ in range(100):
        try:
            sim.cka_feature_corrected(rng.normal(size=(50, 30)), y)
        except sim.Undefined as error:
            messages.append(str(error))
    assert len(messages) >= 98  # four standard deviations of a skewed distribution
    assert all("independent" in message for message in messages)
    for few in (y[:, :1], y[:3]):
        with pytest.raises(sim.Undefined, match="4 rows and 2 columns"):
            sim.measures.CKAFeatureCorrected().prepare(few)


def test_null_moments_agree_with_random_permutations() -> None:
    measure, rng = sim.measures.CKAFeatureCorrected(), np.random.default_rng(1)
    p, q = (measure.prepare(population(40, 6, seed, noise=0.3)) for seed in (0, 1))
    orders = rng.permuted(np.tile(np.arange(40), (4000, 1)), axis=1)
    mean, variance, skewness = measure.null_moments(p, q)
    z = (np.asarray(measure.null(p, q, orders)) - mean) / np.sqrt(variance)
    for k, expected in ((1, 0.0), (2, 1.0), (3, skewness)):
        assert abs(np.mean(z**k) - expected) < 4 * np.std(z**k) / np.sqrt(len(z))
