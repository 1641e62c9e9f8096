"""`compat.google_research`: the functions of the notebook."""

import numpy as np
import pytest
import torch

import similitude as sim
from compat import old_formulas
from similitude.compat import ChangedNumber
from similitude.compat.google_research import (
    center_gram,
    cka,
    feature_space_linear_cka,
    gram_linear,
    gram_rbf,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(25, 6))
Y = X[:, :3] + RNG.normal(size=(25, 3))


def test_the_default_is_the_unbiased_cka() -> None:
    with pytest.warns(ChangedNumber, match="debiased=False"):
        from_grams = cka(gram_linear(X), gram_linear(Y))
    with pytest.warns(ChangedNumber, match="debiased=False"):
        from_features = feature_space_linear_cka(X, Y)
    np.testing.assert_allclose(from_grams, sim.cka(X, Y), rtol=1e-12)
    assert from_features == sim.cka(X, Y)


def test_debiased_false_is_the_old_number_without_a_warning() -> None:
    expected = old_formulas.linear_cka(X, Y)
    found = cka(gram_linear(X), gram_linear(Y), debiased=False)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    found = feature_space_linear_cka(X, Y, debiased=False)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("threshold", [1.0, 0.5])
def test_rbf_grams_have_the_bandwidth_of_similitude(threshold: float) -> None:
    with pytest.warns(ChangedNumber, match="diagonal"):
        grams = [gram_rbf(rows, threshold) for rows in (X, Y)]
    found = cka(*grams, debiased=False)
    rbf = sim.measures.RBF(fraction=threshold)
    expected = sim.cka(X, Y, kernel=rbf, estimator="biased")
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    with pytest.warns(ChangedNumber):
        found = cka(*grams, debiased=True)
    expected = sim.cka(X, Y, kernel=rbf)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_centering_does_not_change_its_argument() -> None:
    gram = gram_linear(X)
    before = gram.copy()
    centered = center_gram(gram)
    np.testing.assert_array_equal(gram, before)
    np.testing.assert_allclose(centered.sum(axis=0), 0, atol=1e-12)
    centered = center_gram(gram, unbiased=True)
    np.testing.assert_array_equal(gram, before)
    np.testing.assert_allclose(centered.sum(axis=0), 0, atol=1e-12)
    np.testing.assert_array_equal(np.diag(centered), 0)


def test_tensors_are_accepted() -> None:
    found = gram_linear(torch.tensor(X))
    np.testing.assert_allclose(found, X @ X.T, rtol=1e-12)


@pytest.mark.parametrize(
    ("grams", "error", "message"),
    [
        ((X, Y), sim.InvalidInput, "gram_linear"),
        ((np.triu(X @ X.T), X @ X.T), sim.InvalidInput, "not symmetric"),
        ((X @ X.T, (X @ X.T)[:20, :20]), sim.InvalidInput, "same stimuli"),
        ((X @ X.T, np.ones((25, 25))), sim.Undefined, "all rows are equal"),
    ],
)
def test_wrong_grams_are_errors(grams, error, message) -> None:
    with pytest.raises(error, match=message):
        cka(*grams, debiased=False)


def test_undefined_bandwidths_and_few_rows_are_errors() -> None:
    with pytest.warns(ChangedNumber), pytest.raises(sim.Undefined, match="half"):
        gram_rbf(np.ones((5, 2)))
    with pytest.raises(sim.Undefined, match="at least 4 rows"):
        center_gram(np.eye(3), unbiased=True)
