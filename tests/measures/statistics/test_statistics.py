"""Statistics of one representation against loops, and claims of unpaired measures."""

import itertools

import numpy as np
import pytest

import similitude as sim
from similitude.testing._battery import draws

RNG = np.random.default_rng(11)
X = RNG.normal(size=(30, 5)) + 0.7
Y = RNG.normal(size=(17, 3)) - 0.2


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return a @ b / np.sqrt((a @ a) * (b @ b))


def naive_magnitude(x: np.ndarray) -> float:
    return np.sqrt(sum(np.mean(column) ** 2 for column in x.T))


def naive_concentricity(x: np.ndarray) -> float:
    return np.mean([cosine(row, x.mean(axis=0)) for row in x])


def naive_uniformity(x: np.ndarray, t: float = 2.0) -> float:
    unit = [row / np.linalg.norm(row) for row in x]
    terms = [
        np.exp(-t * np.sum((a - b) ** 2)) for a, b in itertools.combinations(unit, 2)
    ]
    return np.log(np.mean(terms))


@pytest.mark.parametrize(
    ("measure", "naive"),
    [
        (sim.magnitude_difference, naive_magnitude),
        (sim.concentricity_difference, naive_concentricity),
        (sim.uniformity_difference, naive_uniformity),
    ],
)
def test_differences_of_statistics_equal_their_definitions(measure, naive) -> None:
    np.testing.assert_allclose(measure(X, Y), abs(naive(X) - naive(Y)), rtol=1e-12)


def test_uniformity_of_long_rows_and_large_t_does_not_underflow() -> None:
    """With rows of length 100, all potentials of raw rows would be 0."""
    got = sim.uniformity_difference(100 * X, 100 * Y)
    expected = abs(naive_uniformity(X) - naive_uniformity(Y))
    np.testing.assert_allclose(got, expected, rtol=1e-12)
    assert float(got) > 0.1
    sharp = sim.uniformity_difference(X[:3], -Y[:3], t=1e4)  # below exp(-745)
    unit = [v[:3] / np.linalg.norm(v[:3], axis=1, keepdims=True) for v in (X, -Y)]
    nearest = [
        min(np.sum((a - b) ** 2) for a, b in itertools.combinations(u, 2)) for u in unit
    ]
    np.testing.assert_allclose(sharp, 1e4 * abs(nearest[0] - nearest[1]), rtol=1e-10)


def test_a_small_memory_budget_gives_the_same_uniformity() -> None:
    x, y = RNG.normal(size=(300, 4)), RNG.normal(size=(300, 4)) + 2
    expected = sim.uniformity_difference(x, y)
    with sim.config(memory_budget=2**20):
        got = sim.uniformity_difference(x, y)
    np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_magnitude_difference_scales_with_the_unit_without_overflow() -> None:
    for scale in (1e-200, 1e200):
        got = sim.magnitude_difference(X * scale, Y * scale)
        expected = scale * float(sim.magnitude_difference(X, Y))
        np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_a_zero_row_or_a_zero_mean_row_is_undefined() -> None:
    x = X.copy()
    x[4] = 0
    with pytest.raises(sim.Undefined, match="row 4 is zero"):
        sim.concentricity_difference(x, Y)
    with pytest.raises(sim.Undefined, match="row 4 is zero"):
        sim.uniformity_difference(x, Y)
    with pytest.raises(sim.Undefined, match="Pass raw rows"):
        sim.concentricity_difference(X - X.mean(axis=0), Y)


UNPAIRED = {
    "effective_dimension_difference",
    "imd",
    "accuracy_difference",
    "concentricity_difference",
    "magnitude_difference",
    "uniformity_difference",
}


def test_unpaired_measures_offer_no_permutation_null() -> None:
    """Permuting the rows of y does not change the score."""
    found = {m.name for m in sim.MEASURES.values() if not m.claims().paired}
    assert found >= UNPAIRED
    for name in found:
        assert not sim.MEASURES[name].offers("permute"), name
        assert not sim.MEASURES[name].offers("null_moments"), name
    draw = draws("points")[0]
    order = np.random.default_rng(0).permutation(60)
    for name in UNPAIRED - {"accuracy_difference"}:
        measure = sim.MEASURES[name]
        shuffled = measure(draw.x, draw.y[order])
        np.testing.assert_allclose(shuffled, measure(draw.x, draw.y), rtol=1e-9)


def test_paired_measures_refuse_unequal_numbers_of_rows() -> None:
    with pytest.raises(sim.InvalidInput, match="30 rows and y has 17"):
        sim.cka(X, Y)
