"""Reports of invariance and isometry."""

import itertools

import numpy as np
import pytest
import torch

from similitude import Undefined
from similitude.latent.align import relative
from similitude.latent.align.symmetry import invariance_report, isometry_report
from similitude.transformations import random_orthogonal, sample_element

RNG = np.random.default_rng(21)
X = RNG.normal(size=(60, 6)) + 0.5


def test_invariance_report_agrees_with_declared_invariances() -> None:
    for transform in (relative.Cosine(), relative.Robust(), relative.Euclidean()):
        report = invariance_report(transform, X, X[:12], rng=1)
        single = {name.replace(" ", "_") for name in report.survives}
        assert single & set(relative.TRANSFORMS) == set()
        assert {
            s for s in single if s in transform.invariances
        } == transform.invariances
        visible = [v for k, v in report.change.items() if k not in report.survives]
        assert min(visible) > 1e-3
    text = str(invariance_report(relative.Robust(), X, X[:12], rng=1))
    assert "permutation x diagonal + shift" in text.splitlines()[0]
    assert "orthogonal" not in text.splitlines()[0]
    assert "%" in text


def test_invariance_report_accepts_functions_and_torch() -> None:
    def fit(anchors: torch.Tensor):
        return lambda x: torch.cdist(x, anchors)

    x = torch.tensor(X, dtype=torch.float32)
    report = invariance_report(fit, x, x[:9], rng=0)
    assert "rotation + shift" in report.survives
    assert "isotropic_scale" not in report.survives
    train = invariance_report(
        relative.Robust(stats="train"), X, X[:9], X[20:], rng=0, draws=1
    )
    assert "translation" in train.survives
    with pytest.raises(Undefined, match="same for all rows"):
        invariance_report(lambda a: lambda x: np.ones((60, 2)), X, X[:9], rng=0)


def test_isometry_report_finds_isometries_and_permutations() -> None:
    y = 3 * X @ random_orthogonal(6, RNG) - 2
    report = isometry_report(X, y)
    np.testing.assert_allclose(report.scale, 3.0, rtol=1e-9)
    assert report.epsilon < 1e-9
    assert report.ratio_spread < 1e-9
    assert report.orthogonal < 1e-9
    assert report.permutation > 0.1
    assert report.gap > 0.5
    shuffled = isometry_report(X, 2 * X[:, RNG.permutation(6)])
    assert shuffled.permutation < 1e-9
    assert shuffled.gap < 1e-9
    wide = isometry_report(X, np.pad(y, ((0, 0), (0, 2))))
    assert wide.permutation is None
    assert wide.orthogonal < 1e-9
    assert "epsilon" in str(report)
    assert "permutation" not in str(wide)


def test_isometry_report_equals_brute_force() -> None:
    y = X @ sample_element(("linear",), 6, RNG, spread=2.0).matrix
    report = isometry_report(X, y)
    pairs = list(itertools.combinations(range(60), 2))
    dx = np.array([np.linalg.norm(X[i] - X[j]) for i, j in pairs])
    dy = np.array([np.linalg.norm(y[i] - y[j]) for i, j in pairs])
    grid = np.linspace(0, 4, 40001)
    errors = np.array([np.abs(dy - a * dx).max() for a in grid])
    np.testing.assert_allclose(report.scale, grid[errors.argmin()], atol=1e-3)
    assert report.epsilon * dy.mean() <= errors.min() + 1e-12
    np.testing.assert_allclose(report.epsilon, errors.min() / dy.mean(), rtol=1e-3)
    np.testing.assert_allclose(report.ratio_spread, np.log(dy / dx).std(), rtol=1e-9)
    duplicate = isometry_report(np.vstack([X, X[:1]]), np.vstack([y, y[:1]]))
    assert duplicate.coincident == 1
    with pytest.raises(Undefined, match="2 rows; give at least 3"):
        isometry_report(X[:2], y[:2])
