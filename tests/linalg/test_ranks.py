"""Ranks and rank correlations equal those of scipy.stats."""

import numpy as np
import pytest
from scipy import stats

from similitude import _linalg


@pytest.mark.parametrize("values", [[2.0, 1.0, 2.0, -3.0], [1.0], [0.0, -0.0, 5.0]])
def test_equal_values_have_the_mean_of_their_ranks(values: list[float]) -> None:
    np.testing.assert_array_equal(_linalg.ranks(values), stats.rankdata(values))


@pytest.mark.parametrize("decimals", [0, 1, 8])
def test_rank_correlation_is_that_of_spearman(decimals: int) -> None:
    rng = np.random.default_rng(decimals)
    a = rng.normal(size=40).round(decimals)
    b = (a + rng.normal(size=40)).round(decimals)
    expected = stats.spearmanr(a, b).statistic
    np.testing.assert_allclose(_linalg.rank_correlation(a, b), expected, atol=1e-15)
