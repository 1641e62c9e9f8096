"""NTS-E and NTS-M against single-linkage trees of scipy."""

import itertools

import numpy as np
import pytest
import scipy
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import pdist, squareform

import similitude as sim
from measures.topological.noisy_clouds import clouds
from similitude import MEASURES, Undefined


def heights(w: np.ndarray) -> np.ndarray:
    return squareform(cophenet(linkage(squareform(w), "single")))


def naive_tree(w: np.ndarray) -> set:
    """Edges that are not longer than the minimax path between their ends."""
    above = heights(w)
    pairs = itertools.combinations(range(len(w)), 2)
    return {(i, j) for i, j in pairs if w[i, j] <= above[i, j]}


@pytest.mark.parametrize("seed", range(5))
def test_nts_e_and_nts_m_equal_their_definitions(seed: int) -> None:
    x, y = clouds(seed, n=25)
    w, v = squareform(pdist(x)), squareform(pdist(y))
    edges = tuple(np.array(sorted(naive_tree(w) | naive_tree(v))).T)
    expected = scipy.stats.spearmanr(w[edges], v[edges]).statistic
    np.testing.assert_allclose(float(sim.nts_e(x, y)), expected)
    expected = scipy.stats.spearmanr(heights(w)[edges], heights(v)[edges]).statistic
    np.testing.assert_allclose(float(sim.nts_m(x, y)), expected)
    found = sim.measures.NTSE().details(*map(sim.measures.NTSE().prepare, (x, y)))
    assert found["edges"] == len(edges[0])
    assert found["edges_in_both"] == len(naive_tree(w) & naive_tree(v))


def test_nts_of_duplicates_and_ties_is_one_for_a_scaled_copy() -> None:
    x = np.array([[0.0], [0.0], [1.0], [2.0], [2.0]])
    np.testing.assert_allclose(float(sim.nts_e(x, 3 * x)), 1.0)
    np.testing.assert_allclose(float(sim.nts_m(x, 3 * x)), 1.0)
    with pytest.raises(Undefined, match="3 rows"):
        sim.nts_e(x[:2], x[:2])


def test_chance_level_of_nts_is_negative() -> None:
    """The measured levels agree with the claimed chance."""
    rng = np.random.default_rng(0)

    def noise(name: str, d: int) -> float:
        pairs = [rng.normal(size=(2, 100, d)) for _ in range(12)]
        return float(np.mean([getattr(sim, name)(x, y) for x, y in pairs]))

    assert -0.75 < noise("nts_e", 2) < -0.62
    assert -0.75 < noise("nts_e", 64) < -0.62
    assert -0.4 < noise("nts_m", 2) < -0.22
    assert -0.2 < noise("nts_m", 64) < -0.05
    assert "-0.7" in MEASURES["nts_e"].claims().chance
    assert "-0.3" in MEASURES["nts_m"].claims().chance
