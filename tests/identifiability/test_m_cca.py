"""m_CCA is 1 if and only if the map between x and y is affine and invertible."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cross_decomposition import CCA

import similitude as sim
from similitude.identifiability import SoftmaxModel, m_cca


def well_conditioned(rng: np.random.Generator, m: int) -> np.ndarray:
    """A random invertible matrix with a condition number of at most 1,000."""
    u, v = (np.linalg.qr(rng.normal(size=(m, m)))[0] for _ in range(2))
    return u * 10 ** rng.uniform(-1.5, 1.5, size=m) @ v


shapes = st.tuples(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(15, 60))


@settings(max_examples=60, deadline=None)
@given(shapes)
def test_m_cca_of_an_affine_map_is_1(shape: tuple[int, int, int]) -> None:
    seed, m, n = shape
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, m)) ** 3 @ well_conditioned(rng, m)
    y = x @ well_conditioned(rng, m) + 100 * rng.normal(size=m)
    np.testing.assert_allclose(m_cca(x, y), 1, rtol=0, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(shapes, st.floats(-8, 1))
def test_m_cca_is_below_1_if_the_map_is_not_affine(
    shape: tuple[int, int, int], exponent: float
) -> None:
    """1 - m_CCA is, up to a factor of 2, the share of y that is not affine in x.

    In whitened coordinates of y, the residual of the best affine fit has the mean
    square u = mean(1 - rho^2). Since 1 - rho <= 1 - rho^2 <= 2 (1 - rho), m_CCA = 1
    implies u = 0, an exact fit.
    """
    seed, m, n = shape
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, m))
    y = x @ well_conditioned(rng, m) + 10**exponent * np.sin(3 * x)
    white = np.linalg.svd(y - y.mean(axis=0), full_matrices=False)[0]
    design = np.concatenate([x, np.ones((n, 1))], axis=1)
    fit = design @ np.linalg.lstsq(design, white, rcond=None)[0]
    unexplained = np.sum((white - fit) ** 2) / m
    gap = 1 - m_cca(x, y)
    assert gap <= unexplained + 1e-14
    assert unexplained <= 2 * gap + 1e-14
    if exponent > -6:
        assert gap > 1e-16


def test_m_cca_matches_sklearn() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 2))
    y = x @ rng.normal(size=(2, 2)) + rng.normal(size=(200, 2))
    a, b = CCA(n_components=2, max_iter=1000, tol=1e-10).fit_transform(x, y)
    expected = np.mean([np.corrcoef(a[:, k], b[:, k])[0, 1] for k in range(2)])
    np.testing.assert_allclose(m_cca(x, y), expected, rtol=1e-12)


def test_m_cca_counts_forced_correlations_of_few_points() -> None:
    """With four labels in two dimensions, one correlation is 1 for any data."""
    rng = np.random.default_rng(0)
    value = m_cca(rng.normal(size=(4, 2)), rng.normal(size=(4, 2)))
    assert 0.5 <= value <= 1


def test_models_different_widths_and_low_rank_raise() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(10, 2))
    with pytest.raises(sim.InvalidInput, match="x is a SoftmaxModel; pass its embed"):
        m_cca(SoftmaxModel(x, x), x)
    with pytest.raises(sim.InvalidInput, match="2 columns and y has 1"):
        m_cca(x, x[:, :1])
    with pytest.raises(
        sim.Undefined, match="y has rank 1 over its 10 rows, below M = 2"
    ):
        m_cca(x, x[:, [0, 0]])
